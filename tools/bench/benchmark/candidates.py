"""What is timed: a name, what it can do, and how it is launched.

A candidate makes its launch for one layer and M; the session checks and times it.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

import wna16
from wna16.artifact import LaunchRecord, read_record
from wna16.buffers import describe
from wna16.launch import LoadedKernel

from . import build
from .layer import Layer, Weights
from .points import Point
from .variants import Variant

#: Rounded once from fp32 sums, as our kernels do.
OWN_TOLERANCE = {"f16": 5e-4, "bf16": 4e-3}
#: What other libraries round on the way is their choice; a wrong call is far above.
PEER_TOLERANCE = {"f16": 1e-2, "bf16": 2e-2}


class Refused(Exception):
    """This candidate does not do this point; the text is the reason."""


@dataclass
class Launch:
    """One candidate at one point. `run(weights, x, out)` returns the result: `out`, or
    a tensor of its own."""

    name: str
    copies: list[Weights]
    run: Callable[[Weights, torch.Tensor, torch.Tensor], torch.Tensor]
    tolerance: float
    dependent: bool = False
    #: False: there is no result to look at.
    checked: bool = True
    about: dict[str, Any] = field(default_factory=dict)


class Candidate:
    """Base: `launches` makes all launches of a point, or raises Refused."""

    name = ""
    version = ""

    def begin_layer(self, layer: Layer, points: list[Point]) -> None:
        """Called before the first of a layer's points."""

    def launches(self, layer: Layer, point: Point) -> list[Launch]:
        raise NotImplementedError

    def forget_layer(self) -> None:
        """Drops what was kept for the last layer."""


@functools.cache
def _loaded(path: Path, dependent: bool) -> LoadedKernel:
    """A kernel on the GPU, kept for good: graphs may still hold it."""
    record = dataclasses.replace(read_record(path), dependent_launch=dependent)
    return LoadedKernel(record, torch.cuda.current_device())


def record_launches(
    name: str, record: LaunchRecord, layer: Layer, point: Point
) -> list[Launch]:
    """Launches of a compiled kernel; a second one if it can start before the kernel
    ahead of it has ended (programmatic dependent launch)."""
    about = {
        "kernel": record.kernel,
        "schedule": record.schedule,
        "registers": record.resources.registers if record.resources else None,
        "spill_bytes": record.resources.spill_bytes if record.resources else None,
        "blocks": list(record.blocks({"M": point.m, "ldx": point.k})),
    }
    result = []
    for dependent in (False, True) if record.dependent_launch else (False,):
        loaded = _loaded(record.path, dependent)

        def run(weights: Weights, x: torch.Tensor, out: torch.Tensor, loaded=loaded):
            arrays = {"x": x, "w": weights["w"], "s": weights["s"], "y": out}
            buffers = {key: describe(a, key) for key, a in arrays.items()}
            # Weights were written long ago, so kernels made for it may overlap.
            loaded.launch(buffers, torch.cuda.current_stream().cuda_stream, overlap=True)
            return out

        title = f"{name} +pdl" if dependent else name
        tolerance = OWN_TOLERANCE[point.dtype]
        result.append(Launch(title, layer.marlin(), run, tolerance, dependent, about))
    return result


class Ours(Candidate):
    """The kernels that wna16.compile() chooses, from a folder or compiled here."""

    name = "wna16"

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._built: dict[tuple[int, int, str], build.Built] = {}

    def launches(self, layer: Layer, point: Point) -> list[Launch]:
        key = (point.n, point.k, point.dtype)
        if key not in self._built:
            self._built[key] = (
                build.compile_widest(*key)
                if self._folder is None
                else build.load(self._folder, *key)
            )
        built = self._built[key]
        if built.kernel is None:
            raise Refused(built.refusal)
        try:
            record = built.kernel.artifact.select(point.m)
        except wna16.ShapeError as error:
            raise Refused(built.refusal or str(error)) from None
        return record_launches(self.name, record, layer, point)


class Variants(Candidate):
    """Kernels of a schedules file."""

    name = "variants"

    def __init__(self, variants: list[Variant]) -> None:
        self._variants = variants

    def launches(self, layer: Layer, point: Point) -> list[Launch]:
        found: list[Launch] = []
        errors = []
        for v in self._variants:
            if not v.fits(point.n, point.k, point.m, point.dtype):
                continue
            if v.error:
                errors.append(f"{v.name}: {v.error}")
                continue
            try:
                found += record_launches(v.name, read_record(Path(v.record)), layer, point)
            except (wna16.Wna16Error, LookupError, ValueError) as error:
                errors.append(f"{v.name}: {error}")
        if errors:
            print("\n".join(f"    refused: {e}" for e in errors), flush=True)
        if not found:
            raise Refused("; ".join(errors) or "the schedules file has nothing here")
        return found
