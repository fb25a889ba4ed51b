"""The launch record and the set of kernels of one problem.

A launch record is the JSON file that the compiler writes beside the PTX. Whoever
launches a kernel learns everything from it, and nothing from the PTX text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import LaunchError, ShapeError
from .problem import Problem

FORMAT = "wna16-launch"
VERSION = 1

#: Bytes of an element.
ITEM_BYTES = {
    "f16": 2,
    "bf16": 2,
    "f32": 4,
    "f64": 8,
    "i8": 1,
    "i16": 2,
    "i32": 4,
    "i64": 8,
}

#: A number, or the name of a symbol that is known at launch.
Extent = int | str


@dataclass(frozen=True)
class Argument:
    """One kernel parameter: a buffer (a pointer) or a scalar.

    Shapes and strides are in elements; `alignment` is in bytes.
    """

    name: str
    kind: str
    dtype: str
    access: str = "read"
    shape: tuple[Extent, ...] = ()
    strides: tuple[Extent, ...] | None = None
    alignment: int = 1
    layout: str = "row_major"
    logical_shape: tuple[int, ...] = ()
    value: Extent | None = None

    @property
    def is_buffer(self) -> bool:
        return self.kind == "buffer"


@dataclass(frozen=True)
class Symbol:
    """What the value of a symbol has to satisfy."""

    min: int = 0
    max: int | None = None
    multiple_of: int = 1


@dataclass(frozen=True)
class Resources:
    """What the assembler reported; per thread and per block."""

    registers: int
    spill_bytes: int
    static_shared_bytes: int


@dataclass(frozen=True)
class LaunchRecord:
    """A parsed launch record; see the module's text."""

    path: Path
    kernel: str
    target: str
    ptx: Path
    cubin: Path | None
    arguments: tuple[Argument, ...]
    symbols: Mapping[str, Symbol]
    grid: tuple[tuple[Extent, int], ...]
    block: tuple[int, int, int]
    cluster: tuple[int, int, int]
    shared_bytes: int
    workspace_bytes: int
    schedule: str
    resources: Resources | None

    def argument(self, name: str) -> Argument:
        return next(a for a in self.arguments if a.name == name)

    def blocks(self, symbols: Mapping[str, int]) -> tuple[int, ...]:
        """Number of blocks per dimension; a 0 means that there is nothing to do."""
        return tuple(
            -(-evaluate(size, symbols) // tile) for size, tile in self.grid
        )

    def check_symbols(self, symbols: Mapping[str, int]) -> None:
        """Raises ShapeError if a value is outside its symbol's range."""
        for name, rule in self.symbols.items():
            value = symbols[name]
            if value < rule.min or (rule.max is not None and value > rule.max):
                top = "" if rule.max is None else f" and at most {rule.max}"
                raise ShapeError(
                    f"expected {name} to be at least {rule.min}{top}, found {value} [ARG2]"
                )
            if value % rule.multiple_of:
                raise ShapeError(
                    f"expected {name} to be a multiple of {rule.multiple_of}, "
                    f"found {value} [ARG3]"
                )


def evaluate(extent: Extent, symbols: Mapping[str, int]) -> int:
    """The number that an extent stands for at one launch."""
    return symbols[extent] if isinstance(extent, str) else extent


def read_record(path: Path) -> LaunchRecord:
    """Reads a launch record; raises LaunchError if it is not one."""
    try:
        data = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise LaunchError(f"cannot read launch record {path}: {error}") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise LaunchError(f"{path} is not a launch record of format {FORMAT}")
    if data.get("version") != VERSION:
        raise LaunchError(
            f"{path} has launch record version {data.get('version')}, expected "
            f"{VERSION}; the compiler and this package are of different versions"
        )
    try:
        return _parse(path, data)
    except (KeyError, TypeError, ValueError) as error:
        raise LaunchError(f"launch record {path} is incomplete: {error!r}") from None


def _parse(path: Path, data: dict[str, Any]) -> LaunchRecord:
    def file(name: str | None) -> Path | None:
        return path.parent / name if name else None

    ptx = file(data["ptx"])
    if ptx is None:
        raise ValueError("ptx")
    resources = data.get("resources")
    return LaunchRecord(
        path=path,
        kernel=data["kernel"],
        target=data["target"],
        ptx=ptx,
        cubin=file(data.get("cubin")),
        arguments=tuple(_parse_argument(a) for a in data["arguments"]),
        symbols={
            name: Symbol(s.get("min", 0), s.get("max"), s.get("multiple_of", 1))
            for name, s in data["symbols"].items()
        },
        grid=tuple((d["size"], d["tile"]) for d in data["grid"]),
        block=_triple(data["block"]),
        cluster=_triple(data["cluster"]),
        shared_bytes=int(data["shared_bytes"]),
        workspace_bytes=int(data["workspace_bytes"]),
        schedule=data.get("schedule") or "",
        resources=Resources(
            resources["registers"],
            resources["spill_bytes"],
            resources["static_shared_bytes"],
        )
        if resources
        else None,
    )


def _parse_argument(data: dict[str, Any]) -> Argument:
    strides = data.get("strides")
    return Argument(
        name=data["name"],
        kind=data["kind"],
        dtype=data["dtype"],
        access=data.get("access", "read"),
        shape=tuple(data.get("shape", ())),
        strides=tuple(strides) if strides else None,
        alignment=data.get("alignment", 1),
        layout=data.get("layout", "row_major"),
        logical_shape=tuple(data.get("logical_shape", ())),
        value=data.get("value"),
    )


def _triple(values: list[int]) -> tuple[int, int, int]:
    x, y, z = values
    return int(x), int(y), int(z)


@dataclass(frozen=True)
class Artifact:
    """The compiled kernels of a problem: a table from M to kernel."""

    problem: Problem
    target: str
    #: (largest M, record), rising.
    kernels: tuple[tuple[int, LaunchRecord], ...]

    def select(self, m: int) -> LaunchRecord:
        """The kernel for `m` rows; raises ShapeError if there is none."""
        for max_m, record in self.kernels:
            if m <= max_m:
                return record
        raise ShapeError(
            f"expected at most {self.problem.max_m} rows of x (M), found {m}; "
            "split x, or compile a problem with a larger max_m [ARG2]"
        )
