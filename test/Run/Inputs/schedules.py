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
from pathlib import Path

from gemms import DATA, PADDING, call, module, run

KERNEL = """\
func.func @gemm(%x: !x, %w: !w, %s: !s) -> !y {{
  %y = wna16.gemm %x, %w, %s {{max_m = {max_m} : i64, schedule = #wna16.schedule<{schedule}>}}
      : (!x, !w, !s) -> !y
  return %y : !y
}}
"""


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
        max_m = args.max_m or int(re.search(r"tile = \[\d+, (\d+),", schedule)[1])
        kernel = KERNEL.format(max_m=max_m, schedule=schedule)
        source.write_text(module(kernel, n, k, group, dtype[0] if dtype else "f16"))
        out = args.folder / str(number)
        call("wna16-compile", source, "--target", args.target, "-o", out, "--no-cubin")
        for m, way in itertools.product(rows, ways):
            run(out / "gemm.json", m, k, *next(turns), *way)
            runs += 1
    print(f"{runs} runs right")


main()
