"""Runs, in the emulator, every schedule that is selected for the layers of a model.

usage: selected.py FOLDER TARGET... -- NxK...

The compiler says which schedules it selects for layers of these extents, for all M, both
types of activations and each target. Each schedule then computes a product as small as
shows all of it: two tiles of columns; a K that goes once around its ring and one group
further, so that blocks and warps that share K get different shares; and a last tile of rows
that is not full, behind a full one if the schedule is for more rows than its tile has.
wna16-run compares with fp64. Prints how many schedules were right.
"""
import itertools
import json
import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from gemms import DATA, PADDING, call, module, run

GROUP = 128
#: More rows than any tile has.
MANY = 1 << 20
KERNEL = """\
func.func @gemm(%x: !x, %w: !w, %s: !s) -> !y {{
  %y = wna16.gemm %x, %w, %s {{max_m = {max_m} : i64{schedule}}} : (!x, !w, !s) -> !y
  return %y : !y
}}
"""
WAYS = (
    ("--completion", "random", "--seed", "3", "--check-order"),
    ("--completion", "early", "--block-order", "reverse"),
    ("--schedules", "1", "--seed", "5"),
)


def selected(folder, target, dtype, n, k):
    """(schedule, largest M) of every range."""
    source = folder / f"{target}-{dtype}-{n}x{k}.mlir"
    source.write_text(module(KERNEL.format(max_m=MANY, schedule=""), n, k, GROUP, dtype))
    answer = json.loads(call("wna16-compile", source, "--target", target, "--plan"))
    return [(r["schedule"], r["max_m"]) for r in answer["gemms"][0]["ranges"]]


def numbers(schedule, key, otherwise="1"):
    found = re.search(rf"\b{key} = \[?([\d, ]+)", schedule)
    return [int(number) for number in (found[1] if found else otherwise).strip(" ,").split(",")]


def check(folder, name, target, dtype, schedule, max_m, data, padding, way):
    tile_n, tile_m, tile_k = numbers(schedule, "tile")
    _, warps_k = numbers(schedule, "warps")
    (stages,), (blocks,) = numbers(schedule, "stages"), numbers(schedule, "blocks")
    around = tile_k * warps_k * blocks * stages
    k = around + -around % GROUP + GROUP
    m = tile_m + 3 if max_m > tile_m else tile_m - 3
    kernel = KERNEL.format(max_m=min(max_m, 2 * tile_m), schedule=f", schedule = {schedule}")
    source = folder / f"{name}.mlir"
    source.write_text(module(kernel, 2 * tile_n, k, GROUP, dtype))
    call("wna16-compile", source, "--target", target, "-o", folder / name, "--no-cubin")
    run(folder / name / "gemm.json", m, k, data, padding, "--threads", "1", *way)


def main():
    folder, at = Path(sys.argv[1]), sys.argv.index("--")
    folder.mkdir(parents=True, exist_ok=True)
    targets = sys.argv[2:at]
    layers = [tuple(map(int, layer.split("x"))) for layer in sys.argv[at + 1 :]]
    cases = {}
    for target, dtype, (n, k) in itertools.product(targets, ("f16", "bf16"), layers):
        for schedule, max_m in selected(folder, target, dtype, n, k):
            case = (target, dtype, schedule)
            cases[case] = max(max_m, cases.get(case, 0))
    turns = itertools.cycle(itertools.product(DATA, PADDING, WAYS))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [
            pool.submit(check, folder, f"case{i}", *case, max_m, *turn)
            for i, ((case, max_m), turn) in enumerate(zip(cases.items(), turns))
        ]
    for job in jobs:
        job.result()
    for target in targets:
        print(f"{target}: {sum(case[0] == target for case in cases)} schedules right")


main()
