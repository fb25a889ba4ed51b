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
#: By name. Both pass tensor maps by value: two of them, or one.
SCHEDULES = {copy: f"{_COMMON}, copy = {copy}, {_REST}" for copy in ("tensor", "bulk")}
#: Four blocks for six tiles.
SCHEDULES["persistent"] = f"{SCHEDULES['tensor']}, persistent = 4"


def build(name: str, target: str, folder: Path) -> None:
    """Compiles one of SCHEDULES into a new folder for wna16.load()."""
    problem = wna16.Problem(n=N, k=K, max_m=MAX_M)
    bound = f"max_m = {MAX_M} : i64"
    text = emit.module_text(problem, MAX_M)
    assert text.count(bound) == 1
    text = text.replace(bound, f"{bound}, schedule = #wna16.schedule<{SCHEDULES[name]}>")
    with tempfile.TemporaryDirectory() as scratch:
        toolchain.compile_module(text, target, Path(scratch))
        (path,) = Path(scratch).glob("*.json")
        artifact = Artifact(problem, target, ((MAX_M, read_record(path)),))
        wna16.Kernel(artifact).save(folder)
