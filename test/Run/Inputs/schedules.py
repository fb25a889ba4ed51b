"""Compiles gemms under given schedules and runs each in the emulator.

usage: schedules.py FOLDER [--target NAME] [--rows M,M,...] [--max-m M] [--run ARG]... CASE...
       CASE: NxKxGROUP[:DTYPE]:SCHEDULE, the keys of #wna16.schedule; DTYPE is f16

Each case runs with every M of the list (default: odd ones, small and up to the tile), with
all kinds of data and row strides in turn, and with every further argument of wna16-run.
The rows may go beyond the tile, up to --max-m (default: the tile).
wna16-run compares with fp64. Prints how many runs were right.
"""
import argparse
import itertools
import re
import subprocess
import sys
from pathlib import Path

DATA = ("adversarial", "onehot", "random")
PADDING = (0, 8)

TEXT = """\
!x = tensor<?x{k}x{dtype}>
!w = tensor<{k}x{n}x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>
!s = tensor<{groups}x{n}x{dtype}, #wna16.layout<marlin_scales>>
!y = tensor<?x{n}x{dtype}>
func.func @gemm(%x: !x, %w: !w, %s: !s) -> !y {{
  %y = wna16.gemm %x, %w, %s {{max_m = {max_m} : i64, schedule = #wna16.schedule<{schedule}>}}
      : (!x, !w, !s) -> !y
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--rows", default="1,3,7,8")
    parser.add_argument("--max-m", type=int)
    parser.add_argument("--run", action="append", default=[])
    parser.add_argument("cases", nargs="+")
    args = parser.parse_args()
    rows = [int(m) for m in args.rows.split(",")]
    turns = itertools.cycle(itertools.product(DATA, PADDING))
    ways = [way.split() for way in args.run] or [[]]
    runs = 0
    for number, case in enumerate(args.cases):
        size, *dtype, schedule = case.split(":")
        n, k, group = map(int, size.split("x"))
        source = args.folder / f"{number}.mlir"
        args.folder.mkdir(parents=True, exist_ok=True)
        facts = {"n": n, "k": k, "groups": k // group, "dtype": dtype[0] if dtype else "f16"}
        max_m = args.max_m or int(re.search(r"tile = \[\d+, (\d+),", schedule)[1])
        source.write_text(TEXT.format(**facts, max_m=max_m, schedule=schedule))
        out = args.folder / str(number)
        call("wna16-compile", source, "--target", args.target, "-o", out, "--no-cubin")
        for m, way in itertools.product(rows, ways):
            data, padding = next(turns)
            symbols = ["--symbol", f"M={m}", "--symbol", f"ldx={k + padding}"]
            text = call("wna16-run", out / "gemm.json", *symbols, "--data", data, *way)
            # Exit status 0 alone would also be that of a run without a reference.
            if ": right\n" not in text:
                sys.exit(f"expected 'right' for M = {m} of {case} {way}:\n{text}")
            runs += 1
    print(f"{runs} runs right")


main()
