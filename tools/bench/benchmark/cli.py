"""The command line of the benchmark; nothing here needs PyTorch or a GPU."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from shapes import BENCHMARK, BENCHMARK_M

from . import output, plan
from . import results as store
from .method import Method
from .points import DTYPES, Point, make_points, parse_ms

#: In the order in which a point prepares them.
PEERS = ("wna16", "variants", "read", "cublas", "tinygemm", "humming", "gemlite")
MARLIN = Path(__file__).resolve().parents[1] / "marlin_h200.json"


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
    add("--prototypes", type=Path, metavar="DIR", help="programs NAME.cu with their own tables")
    add("--wheels", type=Path, metavar="DIR", help="wheels of libraries that are not installed")
    add("--marlin", type=Path, metavar="FILE", default=MARLIN, help="times measured elsewhere")
    add("--out", type=Path, metavar="DIR", help="folder of bench.json, bench.md, roofline.svg")
    add("--merge", type=Path, nargs="+", metavar="FILE", help="only join these bench.json")
    add("--again", action="store_true", help="measure points again that --out has")
    add("--rounds", type=int, default=3, metavar="N")
    add("--seconds", type=float, default=1e9, metavar="S", help="start no point after S seconds")
    add("--plan", action="store_true", help="only say what it would cost")
    return p


def chosen_points(options: argparse.Namespace) -> list[Point]:
    names = options.shape or [s[0] for s in BENCHMARK]
    ms = parse_ms(options.m) if options.m else BENCHMARK_M
    return make_points(names, ms, options.dtype or ["f16"])


def chosen_peers(options: argparse.Namespace) -> list[str]:
    asked = options.peers.split(",") if options.peers else list(PEERS)
    unknown = sorted(set(asked) - set(PEERS))
    if unknown:
        raise ValueError(f"expected peers out of {', '.join(PEERS)}, found {', '.join(unknown)}")
    return [p for p in PEERS if p in asked]


def main(description: str) -> int:
    begin = time.monotonic()
    options = parser(description).parse_args()
    try:
        points, peers = chosen_points(options), chosen_peers(options)
    except ValueError as error:
        print(f"bench: error: {error}", file=sys.stderr)
        return 2
    if options.merge:
        merged = store.merge(store.read(path) for path in options.merge)
        output.write(merged, options.out or Path("."), options.marlin)
        return 0
    if options.plan:
        print(plan.make(points, len(peers), Method(options.rounds)).text(options.seconds))
        return 0
    missing = what_is_missing(options)
    if missing:
        print(f"bench: error: cannot measure here: {missing}", file=sys.stderr)
        return 1
    from .measure import measure

    with tempfile.TemporaryDirectory() as work:
        return measure(options, points, peers, begin, Path(work))


def what_is_missing(options: argparse.Namespace) -> str:
    """Everything that this machine lacks, in one sentence; empty if nothing."""
    from wna16.errors import LaunchError
    from wna16.runtime import runtime

    missing = []
    try:
        import torch

        if not torch.cuda.is_available():
            missing.append("PyTorch finds no CUDA device")
    except ImportError:
        missing.append("PyTorch is not installed (pip install -r tools/bench/requirements.txt)")
    try:
        if not missing:
            runtime().device_count()
    except LaunchError as error:
        missing.append(str(error))
    for path in (options.kernels, options.variants, options.prototypes, options.wheels):
        if path is not None and not path.exists():
            missing.append(f"there is no {path}")
    return "; ".join(missing)
