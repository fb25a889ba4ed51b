"""Compiles products by schedules written by hand and runs each for many M.

usage: tiles.py FOLDER [TARGET]

The largest M of every schedule is beyond its tile, so the last row tile is partial, and
blocks lie side by side along both dimensions. Kinds of data and row strides take turns.
wna16-run compares with fp64 and poisons what is not an element of x with NaN.
Prints how many runs were right.
"""
import itertools
import sys
from pathlib import Path

from gemms import DATA, PADDING, call, module, run

N, K = 256, 512
ROWS = (1, 7, 16, 17, 33, 64, 65, 100, 130)
#: Of the first schedule: more tiles than are walked together, and one more.
TALL = 16 * 32 + 10
#: tile [n, m, k], warps [n, k], stages, scales, warps along m.
SCHEDULES = (
    ("64, 32, 128", "1, 4", 2, "accumulator", 1),
    ("128, 32, 64", "2, 2", 3, "accumulator", 2),
    ("64, 32, 64", "1, 1", 2, "weights", 4),
    ("128, 64, 64", "2, 2", 2, "weights", 1),
    ("256, 64, 32", "4, 1", 4, "accumulator", 2),
    ("64, 128, 64", "1, 2", 2, "weights", 2),
    ("128, 128, 64", "2, 1", 3, "weights", 2),
    ("128, 128, 128", "2, 1", 2, "accumulator", 4),
    ("64, 256, 32", "1, 1", 2, "weights", 4),
    ("128, 256, 64", "2, 1", 2, "weights", 4),
)
KERNEL = """\
func.func @t{index}(%x: !x, %w: !w, %s: !s) -> !y {{
  %y = wna16.gemm %x, %w, %s {{max_m = 1000 : i64, schedule = #wna16.schedule<tile = [{tile}],
      warps = [{warps}], stages = {stages}, copy = cp_async, math = mma, scales = {scales},
      split = none, roles = uniform, warps_m = {warps_m}>}} : (!x, !w, !s) -> !y
  return %y : !y
}}
"""


def main(folder, target="sm_80"):
    folder.mkdir(parents=True, exist_ok=True)
    cases = itertools.cycle(itertools.product(DATA, PADDING))
    runs = 0
    for dtype in ("f16", "bf16"):
        text = ""
        for index, (tile, warps, stages, scales, warps_m) in enumerate(SCHEDULES):
            text += KERNEL.format(
                index=index, tile=tile, warps=warps, stages=stages, scales=scales, warps_m=warps_m
            )
        source = folder / f"{dtype}.mlir"
        source.write_text(module(text, N, K, 128, dtype))
        call("wna16-compile", source, "--target", target, "-o", folder / dtype, "--no-cubin")
        for index in range(len(SCHEDULES)):
            for m in ROWS if index else (*ROWS, TALL):
                run(folder / dtype / f"t{index}.json", m, K, *next(cases))
                runs += 1
    print(f"{runs} runs right")


main(Path(sys.argv[1]), *sys.argv[2:])
