"""The families of instructions that are compared with hardware."""
