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
from .problem import Problem, as_int

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
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
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
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise LaunchError(f"launch record {path} is incomplete: {error!r}") from None


def _parse(path: Path, data: dict[str, Any]) -> LaunchRecord:
    def file(name: str | None) -> Path | None:
        return path.parent / name if name else None

    ptx = file(data["ptx"])
    if ptx is None:
        raise ValueError("ptx")
    resources = data.get("resources")
    symbols = {name: _parse_symbol(s) for name, s in data["symbols"].items()}
    return LaunchRecord(
        path=path,
        kernel=_text(data["kernel"]),
        target=_text(data["target"]),
        ptx=ptx,
        cubin=file(data.get("cubin")),
        arguments=tuple(_parse_argument(a, symbols) for a in data["arguments"]),
        symbols=symbols,
        grid=tuple(
            (_extent(d["size"], symbols), _positive(d["tile"])) for d in data["grid"]
        ),
        block=_triple(data["block"]),
        cluster=_triple(data["cluster"]),
        shared_bytes=as_integer(data["shared_bytes"]),
        workspace_bytes=as_integer(data["workspace_bytes"]),
        schedule=_text(data.get("schedule") or ""),
        resources=Resources(
            as_integer(resources["registers"]),
            as_integer(resources["spill_bytes"]),
            as_integer(resources["static_shared_bytes"]),
        )
        if resources
        else None,
    )


def _parse_symbol(data: dict[str, Any]) -> Symbol:
    top = data.get("max")
    return Symbol(
        as_integer(data.get("min", 0)),
        None if top is None else as_integer(top),
        _positive(data.get("multiple_of", 1)),
    )


def _parse_argument(data: dict[str, Any], symbols: Mapping[str, Symbol]) -> Argument:
    strides, value = data.get("strides"), data.get("value")
    layout = _text(data.get("layout", "row_major"))
    shape = tuple(_extent(e, symbols) for e in data.get("shape", ()))
    if layout != "row_major" and any(isinstance(e, str) for e in shape):
        raise ValueError(f"layout {layout} with a shape that is not known")
    if data["kind"] not in ("buffer", "scalar"):
        raise ValueError(f"kind {data['kind']!r} of an argument")
    if data["dtype"] not in ITEM_BYTES:
        raise ValueError(f"dtype {data['dtype']!r} of an argument")
    return Argument(
        name=_text(data["name"]),
        kind=data["kind"],
        dtype=data["dtype"],
        access=_text(data.get("access", "read")),
        shape=shape,
        strides=tuple(_extent(e, symbols) for e in strides) if strides else None,
        alignment=_positive(data.get("alignment", 1)),
        layout=layout,
        logical_shape=tuple(as_integer(e) for e in data.get("logical_shape", ())),
        value=None if value is None else _extent(value, symbols),
    )


def as_integer(value: object) -> int:
    """A number of a JSON file that must be an integer; raises TypeError if not."""
    number = as_int(value)
    if number is None:
        raise TypeError(f"expected an integer, found {value!r}")
    return number


def _positive(value: object) -> int:
    number = as_integer(value)
    if number <= 0:
        raise ValueError(f"expected a positive integer, found {number}")
    return number


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected a string, found {value!r}")
    return value


def _extent(value: object, symbols: Mapping[str, Symbol]) -> Extent:
    if not isinstance(value, str):
        return as_integer(value)
    if value not in symbols:
        raise ValueError(f"{value!r} is not a symbol of this record")
    return value


def _triple(values: list[int]) -> tuple[int, int, int]:
    x, y, z = values
    return _positive(x), _positive(y), _positive(z)


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
