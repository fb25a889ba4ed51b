"""Compiles gemms of the whole scope and runs each in the emulator.

usage: shapes.py FOLDER SHAPE...      SHAPE: NxKxGROUP[:DTYPE][@TARGET], DTYPE is f16

Every shape is compiled for every target (or the one named) and both bounds of M, and
runs with every M of the bound's list. Kinds of data and row strides take turns: over
the targets of a shape, each M meets each pair of them. wna16-run compares with fp64.
Prints how many runs were right.
"""
import itertools
import subprocess
import sys
from pathlib import Path

TARGETS = ("sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a")
ROWS = {8: (0, 1, 7, 8), 16: (1, 8, 9, 15, 16)}
DATA = ("random", "adversarial", "onehot")
PADDING = (0, 8)

TEXT = """\
!x = tensor<?x{k}x{dtype}>
!w = tensor<{k}x{n}x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<{groups}x{n}x{dtype}, #wna16.layout<marlin_scales>>
!y = tensor<?x{n}x{dtype}>
"""
KERNEL = """\
func.func @m{max_m}(%x: !x, %w: !w, %s: !s) -> !y {{
  %y = wna16.gemm %x, %w, %s {{max_m = {max_m} : i64}} : (!x, !w, !s) -> !y
  return %y : !y
}}
"""


def call(*command):
    done = subprocess.run(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def run(record, m, k, data, padding):
    symbols = ["--symbol", f"M={m}", "--symbol", f"ldx={k + padding}"]
    out = call("wna16-run", record, *symbols, "--data", data)
    # Exit status 0 alone would also be that of a run without a reference.
    wanted = ": right\n" if m else "nothing to launch"
    if wanted not in out:
        sys.exit(f"expected '{wanted.strip()}' for M = {m} of {record}:\n{out}")


def main(folder, shapes):
    folder.mkdir(parents=True, exist_ok=True)
    cases = list(itertools.product(DATA, PADDING))
    runs = 0
    for shape in shapes:
        case, _, only = shape.partition("@")
        size, _, dtype = case.partition(":")
        n, k, group = map(int, size.split("x"))
        source = folder / f"{size}{dtype}.mlir"
        text = TEXT.format(n=n, k=k, groups=k // group, dtype=dtype or "f16")
        source.write_text(text + "".join(KERNEL.format(max_m=m) for m in ROWS))
        for turn, target in enumerate([only] if only else TARGETS):
            out = folder / f"{size}{dtype}-{target}"
            call("wna16-compile", source, "--target", target, "-o", out, "--no-cubin")
            for max_m, rows in ROWS.items():
                for index, m in enumerate(rows):
                    case = cases[(turn + index) % len(cases)]
                    run(out / f"m{max_m}.json", m, k, *case)
                    runs += 1
    print(f"{runs} runs right")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
