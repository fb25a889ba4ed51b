"""Checks the buffers that by-value.ptx left: by-value.py PREFIX M LDX."""
import sys

import numpy as np

prefix, m, ldx = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
x = np.fromfile(f"{prefix}.x", np.float32)
rows = np.fromfile(f"{prefix}.rows", np.int32)
y = np.fromfile(f"{prefix}.y", np.float32)
tickets = np.fromfile(f"{prefix}.tickets", np.int32)

assert rows.size == m and rows.min() >= 0 and rows.max() < m, rows
expected = x[rows * ldx + np.arange(m)] * np.float32(0.25) * np.float32(1.5)
assert np.array_equal(y, expected), (y, expected)
assert tickets.tolist() == [0, m], tickets
