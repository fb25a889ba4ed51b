"""Compiles gemms under given schedules and runs each in the emulator.

usage: schedules.py FOLDER [--target NAME] [--rows M,M,...] [--max-m M] [--out DTYPE]
                    [--bias DTYPE] [--run ARG]... CASE...
       CASE: NxKxGROUP[:DTYPE]:SCHEDULE, the keys of #wna16.schedule; DTYPE is f16
       N and K may be those of x and y, and those of the weights: 40/64x72/128x64

Each case runs with every M of the list (default: odd ones, small and up to the tile), with
all kinds of data and row strides in turn, and with every further argument of wna16-run.
The rows may go beyond the tile, up to --max-m (default: the tile).
wna16-run compares with fp64. Prints how many runs were right.
"""
import argparse
import itertools
import re
from pathlib import Path

from gemms import DATA, PADDING, call, module, run, sizes

KERNEL = """\
func.func @gemm(%x: !x, %w: !w, %s: !s{argument}) -> !y {{
  %y = wna16.gemm %x, %w, %s{operand} {{max_m = {max_m} : i64, schedule = #wna16.schedule<{schedule}>}}
      : (!x, !w, !s{type}) -> !y
  return %y : !y
}}
"""
BIAS = {"argument": ", %b: !b", "operand": " bias %b", "type": ", !b"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--rows", default="1,3,7,8")
    parser.add_argument("--max-m", type=int)
    parser.add_argument("--out")
    parser.add_argument("--bias")
    parser.add_argument("--run", action="append", default=[])
    parser.add_argument("cases", nargs="+")
    args = parser.parse_args()
    rows = [int(m) for m in args.rows.split(",")]
    turns = itertools.cycle(itertools.product(DATA, PADDING))
    ways = [way.split() for way in args.run] or [[]]
    runs = 0
    for number, case in enumerate(args.cases):
        size, *dtype, schedule = case.split(":")
        n, k, group = size.split("x")
        (n, stored_n), (k, stored_k) = sizes(n), sizes(k)
        source = args.folder / f"{number}.mlir"
        args.folder.mkdir(parents=True, exist_ok=True)
        max_m = args.max_m or int(re.search(r"tile = \[\d+, (\d+),", schedule)[1])
        bias = BIAS if args.bias else dict.fromkeys(BIAS, "")
        kernel = KERNEL.format(max_m=max_m, schedule=schedule, **bias)
        types = {"stored": (stored_n, stored_k), "out": args.out, "bias": args.bias}
        text = module(kernel, n, k, int(group), dtype[0] if dtype else "f16", **types)
        source.write_text(text)
        out = args.folder / str(number)
        call("wna16-compile", source, "--target", args.target, "-o", out, "--no-cubin")
        for m, way in itertools.product(rows, ways):
            run(out / "gemm.json", m, k, *next(turns), *way)
            runs += 1
    print(f"{runs} runs right")


main()
