"""The launch record and the set of kernels of one problem.

A launch record is the JSON file that the compiler writes beside the PTX. Whoever
launches a kernel learns everything from it, and nothing from the PTX text.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .arguments import Argument, Extent, as_extent, as_flag, as_integer, as_positive
from .arguments import as_text, check_targets, evaluate, parse_argument
from .errors import LaunchError, ShapeError
from .plan import Range
from .problem import Problem

FORMAT = "wna16-launch"
VERSION = 2

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
    #: None on a CPU, which has a library instead.
    ptx: Path | None
    cubin: Path | None
    library: Path | None
    arguments: tuple[Argument, ...]
    symbols: Mapping[str, Symbol]
    grid: tuple[tuple[Extent, int], ...]
    #: Most blocks of a launch, each of which computes one tile after another; 0: a
    #: block for each tile.
    persistent_blocks: int
    block: tuple[int, int, int]
    cluster: tuple[int, int, int]
    shared_bytes: int
    workspace_bytes: int
    cooperative: bool
    dependent_launch: bool
    schedule: str
    resources: Resources | None

    def argument(self, name: str) -> Argument:
        return next(a for a in self.arguments if a.name == name)

    def blocks(self, symbols: Mapping[str, int]) -> tuple[int, ...]:
        """Number of blocks per dimension; a 0 means that there is nothing to do."""
        blocks = tuple(-(-evaluate(size, symbols) // tile) for size, tile in self.grid)
        if any(count % together for count, together in zip(blocks, self.cluster)):
            raise LaunchError(
                f"kernel {self.kernel}: its grid of {blocks} blocks does not consist "
                f"of clusters of {self.cluster}"
            )
        if self.persistent_blocks:
            return min(math.prod(blocks), self.persistent_blocks), 1, 1
        return blocks

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

    ptx, library = file(data["ptx"]), file(data.get("library"))
    if (ptx is None) == (library is None):
        raise ValueError("expected either ptx or library")
    resources = data.get("resources")
    symbols = {name: _parse_symbol(s) for name, s in data["symbols"].items()}
    arguments = tuple(parse_argument(a, symbols) for a in data["arguments"])
    check_targets(arguments)
    return LaunchRecord(
        path=path,
        kernel=as_text(data["kernel"]),
        target=as_text(data["target"]),
        ptx=ptx,
        cubin=file(data.get("cubin")),
        library=library,
        arguments=arguments,
        symbols=symbols,
        grid=tuple(
            (as_extent(d["size"], symbols), as_positive(d["tile"])) for d in data["grid"]
        ),
        persistent_blocks=as_integer(data.get("persistent_blocks", 0)),
        block=_triple(data["block"]),
        cluster=_triple(data["cluster"]),
        shared_bytes=as_integer(data["shared_bytes"]),
        workspace_bytes=as_integer(data["workspace_bytes"]),
        cooperative=as_flag(data.get("cooperative", False)),
        dependent_launch=as_flag(data.get("dependent_launch", False)),
        schedule=as_text(data.get("schedule") or ""),
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
        as_positive(data.get("multiple_of", 1)),
    )


def _triple(values: list[int]) -> tuple[int, int, int]:
    x, y, z = values
    return as_positive(x), as_positive(y), as_positive(z)


@dataclass(frozen=True)
class Artifact:
    """The compiled kernels of a problem: a table from M to kernel."""

    problem: Problem
    target: str
    #: (largest M, record), rising.
    kernels: tuple[tuple[int, LaunchRecord], ...]
    #: All ranges, also those without a kernel so far; none if there is no compiler to
    #: ask, as for kernels from a folder.
    ranges: tuple[Range, ...] = ()
    batch_invariant: bool = False

    def range_of(self, m: int) -> Range | None:
        """The range that `m` lies in, if it is one that can be compiled."""
        return next((r for r in self.ranges if m <= r.max_m), None)

    def select(self, m: int) -> LaunchRecord | None:
        """The kernel for `m` rows, or None if it has to be compiled first.

        Raises ShapeError if there cannot be one.
        """
        found = self.range_of(m)
        for max_m, record in self.kernels:
            if m <= max_m and (found is None or found.max_m == max_m):
                return record
        if found is not None:
            return None
        top = max((max_m for max_m, _ in self.kernels), default=0)
        if self.ranges:
            top = self.ranges[-1].max_m
        raise ShapeError(
            f"expected at most {top} rows of x (M), found {m}; "
            "split x, or compile a problem with a larger max_m [ARG2]"
        )

    def with_kernels(self, more: Mapping[int, LaunchRecord]) -> Artifact:
        """The same with kernels by the largest M of their range."""
        table = {**dict(self.kernels), **more}
        return replace(self, kernels=tuple(sorted(table.items(), key=lambda i: i[0])))
