"""Checkpoint formats: configuration and tensors in, layers out."""
