"""The command line of the benchmark; bench.py has its help."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from shapes import BENCHMARK, BENCHMARK_M

from . import results as store
from .points import DTYPES, Point, make_points, parse_ms

PEERS = ("wna16", "variants", "cublas", "tinygemm")


def parser(description: str) -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = p.add_argument
    add("--shape", action="append", metavar="NAME", help="8b.o, or 4096x4096; all if left out")
    add("--m", action="append", metavar="LIST", help="1,8 or 16-128; all if left out")
    add("--dtype", action="append", choices=DTYPES, help="f16 if left out")
    add("--peers", metavar="LIST", help=f"out of {','.join(PEERS)}; all if left out")
    add("--kernels", type=Path, metavar="DIR", help="saved kernels; compiled if left out")
    add("--variants", type=Path, metavar="PATH", help="a schedules file, or its compiled folder")
    add("--out", type=Path, metavar="DIR", help="folder of bench.json and what is made of it")
    add("--again", action="store_true", help="measure points again that --out has")
    add("--rounds", type=int, default=3, metavar="N")
    add("--seconds", type=float, default=1e9, metavar="S", help="start no point after S seconds")
    return p


def chosen_points(options: argparse.Namespace) -> list[Point]:
    names = options.shape or [s[0] for s in BENCHMARK]
    ms = parse_ms(options.m) if options.m else BENCHMARK_M
    return make_points(names, ms, options.dtype or ["f16"])


def main(description: str) -> int:
    begin = time.monotonic()
    options = parser(description).parse_args()
    try:
        points = chosen_points(options)
    except ValueError as error:
        print(f"bench: error: {error}", file=sys.stderr)
        return 2
    missing = what_is_missing()
    if missing:
        print(f"bench: error: cannot measure here: {missing}", file=sys.stderr)
        return 1
    from .measure import measure

    with tempfile.TemporaryDirectory() as work:
        return measure(options, points, begin, Path(work))


def what_is_missing() -> str:
    """Everything that this machine lacks, in one sentence; empty if nothing."""
    try:
        import torch
    except ImportError:
        return "PyTorch is not installed (it makes tensors, streams and graphs)"
    if not torch.cuda.is_available():
        return "PyTorch finds no CUDA device"
    return ""


def open_results(out: Path | None) -> store.Results:
    if out is None:
        return store.Results()
    out.mkdir(parents=True, exist_ok=True)
    path = out / "bench.json"
    return store.read(path) if path.exists() else store.Results(path)
