"""Runs kernels whose blocks take tickets again and again on the same workspace.

usage: tickets.py FOLDER [--target NAME] [--rows M,M,...] CASE...
       CASE: NxKxGROUP:SCHEDULE, as in schedules.py

Each case runs with every M of the list and all kinds of data, in every order of blocks. A
run gets the workspace that the one before it has left; before the first one, shares are
NaN and counters zero. wna16-run compares with fp64. All runs of the same data must give
the same bits, and each must leave zeros in the counters. Prints how many runs there were.
"""
import argparse
import itertools
import json
import re
from pathlib import Path

from gemms import DATA, call, module, run

KERNEL = """\
func.func @gemm(%x: !x, %w: !w, %s: !s) -> !y {{
  %y = wna16.gemm %x, %w, %s {{max_m = {max_m} : i64, schedule = #wna16.schedule<{schedule}>}}
      : (!x, !w, !s) -> !y
  return %y : !y
}}
"""

#: One resident block must be enough; with all of them, any may be the last.
ORDERS = (
    ["--resident", "1"],
    ["--resident", "1", "--block-order", "reverse"],
    ["--block-order", "random", "--schedule", "5"],
    ["--block-order", "random", "--completion", "random", "--schedule", "11"],
)


def check_record(record, folder):
    """The record describes the workspace; its first contents."""
    workspace = {a["name"]: a for a in record["arguments"] if a.get("workspace")}
    assert list(workspace) == ["shares", "tickets"], workspace
    shares, tickets = workspace["shares"], workspace["tickets"]
    assert (shares["dtype"], tickets["dtype"]) == ("f32", "i32")
    assert "initial" not in shares and tickets["initial"] == "zero"
    sizes = [4 * a["shape"][0] * a["shape"][1] for a in (shares, tickets)]
    assert record["workspace_bytes"] == sum(sizes), record["workspace_bytes"]
    assert record["cluster"] == [1, 1, 1], record["cluster"]
    files = {name: folder / name for name in workspace}
    files["shares"].write_bytes(b"\xff" * sizes[0])
    files["tickets"].write_bytes(bytes(sizes[1]))
    return files


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--target", default="sm_80")
    parser.add_argument("--rows", default="1,5,8")
    parser.add_argument("cases", nargs="+")
    args = parser.parse_args()
    runs = 0
    for number, case in enumerate(args.cases):
        size, schedule = case.split(":")
        n, k, group = map(int, size.split("x"))
        out = args.folder / str(number)
        out.mkdir(parents=True, exist_ok=True)
        source = out / "gemm.mlir"
        max_m = int(re.search(r"tile = \[\d+, (\d+),", schedule)[1]) * 2
        kernel = KERNEL.format(max_m=max_m, schedule=schedule)
        source.write_text(module(kernel, n, k, group, "f16"))
        call("wna16-compile", source, "--target", args.target, "-o", out, "--no-cubin")
        files = check_record(json.loads((out / "gemm.json").read_text()), out)
        y = out / "y"
        workspace = [f"{name}={file}" for name, file in files.items()]
        passed = [word for w in workspace for word in ("--arg", w, "--out", w)]
        for m, data in itertools.product(map(int, args.rows.split(",")), DATA):
            seen = set()
            for order in ORDERS:
                y.write_bytes(b"")
                run(out / "gemm.json", m, k, data, 0, *passed, "--out", f"y={y}", *order)
                seen.add(y.read_bytes())
                assert not any(files["tickets"].read_bytes()), (case, m, data, order)
                runs += 1
            assert len(seen) == 1, (case, m, data)
    print(f"{runs} runs right")


main()
