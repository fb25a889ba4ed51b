"""From options to candidates to a session; the part that needs a GPU."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch

import wna16
from wna16.runtime import runtime

from . import output, plan, report
from . import variants as variant_files
from .candidates import Candidate, Ours, Variants
from .method import Method
from .points import Point
from .prototypes import Prototypes
from .results import Row
from .session import DeviceLost, Session
from .wheels import add_to_path


def machine() -> dict[str, str]:
    """What the numbers were measured on."""
    return {
        "device": torch.cuda.get_device_name(),
        "driver": ".".join(map(str, runtime().driver_version())),
        "torch": torch.__version__,
    }


def _factories(options: argparse.Namespace, work: Path) -> dict[str, Callable[[], Candidate]]:
    """How each candidate is made; imports happen then, and may fail."""

    def read() -> Candidate:
        from .read_limit import ReadLimit

        return ReadLimit()

    def of_torch(name: str) -> Candidate:
        from . import torch_peers

        return {"cublas": torch_peers.Cublas, "tinygemm": torch_peers.Tinygemm}[name]()

    def of_library(name: str) -> Candidate:
        from . import library_peers

        return {"humming": library_peers.Humming, "gemlite": library_peers.Gemlite}[name]()

    return {
        "wna16": lambda: Ours(options.kernels),
        "variants": lambda: Variants(_variants(options.variants, work)),
        "read": read,
        "cublas": lambda: of_torch("cublas"),
        "tinygemm": lambda: of_torch("tinygemm"),
        "humming": lambda: of_library("humming"),
        "gemlite": lambda: of_library("gemlite"),
    }


def candidates(
    options: argparse.Namespace, peers: list[str], work: Path
) -> tuple[list[Candidate], dict[str, str]]:
    """The candidates that can be had here, and why the others cannot."""
    made: list[Candidate] = []
    absent: dict[str, str] = {}
    factories = _factories(options, work)
    for name in peers:
        if name == "variants" and options.variants is None:
            continue
        try:
            made.append(factories[name]())
        except Exception as error:  # whatever importing another library raises
            first = (str(error).splitlines() or [""])[0]
            absent[name] = f"{type(error).__name__}: {first}"
    return made, absent


def _variants(path: Path, work: Path) -> list[variant_files.Variant]:
    if path.is_file():
        listed = variant_files.read_file(path)
        variant_files.compile_all(listed, work / "variants", wna16.default_target())
        path = work / "variants"
    return variant_files.read_index(path)


def _prototype_rows(options: argparse.Namespace, work: Path) -> Callable[[Point], list[Row]]:
    if options.prototypes is None:
        return lambda point: []
    prototypes = Prototypes(options.prototypes, _log)
    prototypes.run(prototypes.build(work / "prototypes"), options.out)
    return prototypes.rows


def measure(
    options: argparse.Namespace, points: list[Point], peers: list[str], begin: float, work: Path
) -> int:
    wheels = add_to_path(options.wheels, work / "site") if options.wheels else []
    results = output.open_results(options.out)
    chosen, absent = candidates(options, peers, work)
    for name, reason in absent.items():
        print(f"bench: without {name}: {reason}", file=sys.stderr)
    method = Method(rounds=options.rounds)
    names = [c.name for c in chosen]
    if not options.again:
        points = [p for p in points if not results.done(p, names)]
    about = {**machine(), "peers": names, "method": vars(method)}
    about["versions"] = {c.name: c.version for c in chosen if c.version}
    if absent or wheels:
        about |= {"without": absent, "wheels": wheels}
    results.begin_call(about)
    print(f"candidates: {', '.join(names)}")
    left_s = options.seconds - (time.monotonic() - begin)
    print(plan.make(points, len(names), method).text(left_s), flush=True)

    rows_of = _prototype_rows(options, work)
    session = Session(chosen, method, results, begin + options.seconds, rows_of, _log)
    status = 0
    try:
        left = session.run(points)
        if left:
            print(f"bench: no time for {len(left)} points, from {left[0].key} on")
    except DeviceLost as error:
        print(f"bench: error: the device was lost by {error}", file=sys.stderr)
        status = 1
    if options.out is not None:
        print(output.write(results, options.out, options.marlin))
    print(f"{time.monotonic() - begin:.0f} s", flush=True)
    wrong = [
        f"{m.point.key}: {r.reason}"
        for m in results.points
        for r in m.rows
        if r.name.startswith(report.OURS) and r.reason.startswith("wrong")
    ]
    for text in wrong:
        print(f"bench: error: {text}", file=sys.stderr)
    return 1 if wrong else status


def _log(text: str) -> None:
    print(text, flush=True)
