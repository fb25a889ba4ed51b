"""Checkpoint formats: configuration and tensors in, packed layers out."""
