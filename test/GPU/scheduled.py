"""Kernels with a schedule that the compiler would not choose by itself.

Small ones: what matters is how they are launched and what they copy with. A bundle
takes them along, so this file is imported without PyTorch too.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import wna16
from wna16 import emit, toolchain
from wna16.artifact import Artifact, read_record

N, K, MAX_M = 384, 512, 16
_COMMON = "tile = [64, 16, 64], warps = [2, 1], stages = 4"
_REST = "math = mma, scales = accumulator, split = none, roles = producer_consumer"
#: Has more than 2^31 results, if M is as large as it can be.
LARGE = wna16.Problem(n=2112, k=128, max_m=wna16.problem.MAX_M)
#: By name. Both pass tensor maps by value: two of them, or one.
SCHEDULES = {copy: f"{_COMMON}, copy = {copy}, {_REST}" for copy in ("tensor", "bulk")}
#: Four blocks for six tiles.
SCHEDULES["persistent"] = f"{SCHEDULES['tensor']}, persistent = 4"

_RING = "math = mma, scales = accumulator, split = ticket, roles = producer_consumer"
#: By name. Blocks that share K take tickets; most with several tiles along M.
TICKETS = {
    "ticket_2": "tile = [64, 8, 64], warps = [1, 4], stages = 3, copy = cp_async, math = mma, "
    "scales = accumulator, split = ticket, roles = uniform, blocks = 2",
    "ticket_4": "tile = [128, 8, 64], warps = [2, 2], stages = 2, copy = cp_async, math = mma, "
    "scales = weights, split = ticket, roles = uniform, blocks = 4, dependent",
    "ticket_8": f"tile = [64, 8, 64], warps = [2, 1], stages = 4, copy = bulk, {_RING}, blocks = 8",
    "ticket_ring": f"tile = [128, 8, 64], warps = [2, 2], stages = 4, copy = bulk, {_RING}, "
    "blocks = 2, dependent",
    "ticket_tensor": f"tile = [64, 16, 64], warps = [2, 1], stages = 4, copy = tensor, {_RING}, "
    "blocks = 4",
    "ticket_wgmma": "tile = [128, 16, 128], warps = [8, 1], stages = 2, copy = tensor, "
    "math = wgmma, scales = weights, split = ticket, roles = producer_consumer, blocks = 2",
}


def build(name: str, target: str, folder: Path) -> None:
    """Compiles one of SCHEDULES, TICKETS, or "large", into a new folder for wna16.load()."""
    if name == "large":
        return build_one(LARGE, target, folder)
    problem = wna16.Problem(n=N, k=K, max_m=MAX_M)
    schedule = {**SCHEDULES, **TICKETS}[name]
    build_one(problem, target, folder, f"#wna16.schedule<{schedule}>")


def build_one(
    problem: wna16.Problem, target: str, folder: Path, schedule: str | None = None
) -> None:
    """Compiles one kernel for all M up to max_m; without a schedule one is chosen."""
    max_m = problem.max_m
    text = emit.module_text(problem, max_m, schedule)
    with tempfile.TemporaryDirectory() as scratch:
        toolchain.compile_module(text, target, Path(scratch))
        (path,) = Path(scratch).glob("*.json")
        artifact = Artifact(problem, target, ((max_m, read_record(path)),))
        wna16.Kernel(artifact).save(folder)
