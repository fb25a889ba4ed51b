"""Checks the parameters that a driver was given for by-value.ptx: its log."""
import struct
import sys

lines = [line.split() for line in open(sys.argv[1])]
y, x, rows, tickets = [int(line[1]) for line in lines if line[0] == "memory"]
(launch,) = [line for line in lines if line[0] == "launch"]
(tensor_map,) = [line for line in lines if line[0] == "map"]

# The driver's stand-in makes a map of the address and zeros.
assert int(tensor_map[4]) == x, tensor_map
expected = [
    struct.pack("=Q", y),
    struct.pack("=Q120x", x),
    struct.pack("=QQe2xfiIQQ", x, 0, 1.5, 0.25, 68, 2**32 - 1, rows, tickets + 4),
]
assert [bytes.fromhex(part) for part in launch[-1].split(",")] == expected, launch
