"""From options to candidates to a session; the part that needs a GPU."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import torch

import wna16
from wna16.runtime import runtime

from . import variants as variant_files
from .candidates import Candidate, Ours, Variants
from .cli import PEERS, open_results
from .points import Point
from .session import DeviceLost, Session
from .timing import Method
from .torch_peers import Cublas, Tinygemm


def machine() -> dict[str, str]:
    """What the numbers were measured on."""
    return {
        "device": torch.cuda.get_device_name(),
        "driver": ".".join(map(str, runtime().driver_version())),
        "torch": torch.__version__,
    }


def candidates(options: argparse.Namespace, work: Path) -> list[Candidate]:
    """The candidates that --peers asks for and that can be had."""
    asked = options.peers.split(",") if options.peers else list(PEERS)
    unknown = set(asked) - set(PEERS)
    if unknown:
        raise SystemExit(f"bench: error: unknown peers {', '.join(sorted(unknown))}")
    result: list[Candidate] = []
    simple = {"cublas": Cublas, "tinygemm": Tinygemm}
    if "wna16" in asked:
        result.append(Ours(options.kernels))
    if "variants" in asked and options.variants:
        result.append(Variants(_variants(options.variants, work)))
    result += [make() for name, make in simple.items() if name in asked]
    return result


def _variants(path: Path, work: Path) -> list[variant_files.Variant]:
    if path.is_file():
        listed = variant_files.read_file(path)
        variant_files.compile_all(listed, work / "variants", wna16.default_target())
        path = work / "variants"
    return variant_files.read_index(path)


def measure(options: argparse.Namespace, points: list[Point], begin: float, work: Path) -> int:
    chosen = candidates(options, work)
    method = Method(rounds=options.rounds)
    results = open_results(options.out)
    names = [c.name for c in chosen]
    if not options.again:
        points = [p for p in points if not results.done(p, names)]
    results.begin_call({**machine(), "peers": names, "method": vars(method)})
    print(f"{len(points)} points, candidates {', '.join(names)}", flush=True)
    session = Session(chosen, method, results, begin + options.seconds, _log)
    try:
        left = session.run(points)
    except DeviceLost as error:
        print(f"bench: error: the device was lost by {error}", file=sys.stderr)
        return 1
    print(f"{time.monotonic() - begin:.0f} s", flush=True)
    if left:
        print(f"bench: no time was left for {len(left)} points: {', '.join(p.key for p in left)}")
    wrong = [r for m in results.points for r in m.rows if r.reason.startswith("wrong")]
    return 1 if any(r.name.startswith("wna16") for r in wrong) else 0


def _log(text: str) -> None:
    print(text, flush=True)
