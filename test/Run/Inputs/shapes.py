"""Compiles gemms of the whole scope and runs each in the emulator.

usage: shapes.py FOLDER SHAPE...      SHAPE: NxKxGROUP[:DTYPE][@TARGET], DTYPE is f16

Every shape is compiled for every target (or the one named) and both bounds of M, and
runs with every M of the bound's list. Kinds of data and row strides take turns: over
the targets of a shape, each M meets each pair of them. wna16-run compares with fp64.
Prints how many runs were right.
"""
import itertools
import sys
from pathlib import Path

from gemms import DATA, PADDING, call, module, run

TARGETS = ("sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a")
ROWS = {8: (0, 1, 7, 8), 16: (1, 8, 9, 15, 16)}
KERNEL = """\
func.func @m{max_m}(%x: !x, %w: !w, %s: !s) -> !y {{
  %y = wna16.gemm %x, %w, %s {{max_m = {max_m} : i64}} : (!x, !w, !s) -> !y
  return %y : !y
}}
"""


def main(folder, shapes):
    folder.mkdir(parents=True, exist_ok=True)
    cases = list(itertools.product(DATA, PADDING))
    runs = 0
    for shape in shapes:
        case, _, only = shape.partition("@")
        size, _, dtype = case.partition(":")
        n, k, group = map(int, size.split("x"))
        source = folder / f"{size}{dtype}.mlir"
        kernels = "".join(KERNEL.format(max_m=m) for m in ROWS)
        source.write_text(module(kernels, n, k, group, dtype or "f16"))
        for turn, target in enumerate([only] if only else TARGETS):
            out = folder / f"{size}{dtype}-{target}"
            call("wna16-compile", source, "--target", target, "-o", out, "--no-cubin")
            for max_m, rows in ROWS.items():
                for index, m in enumerate(rows):
                    case = cases[(turn + index) % len(cases)]
                    run(out / f"m{max_m}.json", m, k, *case)
                    runs += 1
    print(f"{runs} runs right")


main(Path(sys.argv[1]), sys.argv[2:])
