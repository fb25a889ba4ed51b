"""What is measured: points (shape, M, dtype), and the regimes that goals are set for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import shapes

DTYPES = ("f16", "bf16")


@dataclass(frozen=True, order=True)
class Point:
    """One product: M rows of activations, N x K weights, elements of `dtype`."""

    shape: str
    n: int
    k: int
    m: int
    dtype: str

    @property
    def key(self) -> str:
        return f"{self.shape} m{self.m} {self.dtype}"

    @property
    def weight_bytes(self) -> int:
        """Packed weights and scales: what a launch cannot avoid reading."""
        return self.n * self.k // 2 + self.n * (self.k // 128) * 2

    @property
    def flops(self) -> float:
        return 2.0 * self.m * self.n * self.k


@dataclass(frozen=True)
class Regime:
    """A range of M in which the same things limit a kernel."""

    name: str
    low: int
    high: int

    def __contains__(self, m: object) -> bool:
        return isinstance(m, int) and self.low <= m <= self.high


REGIMES = (
    Regime("M <= 16", 0, 16),
    Regime("16 < M <= 128", 17, 128),
    Regime("M > 128", 129, 1 << 30),
)


def regime_of(m: int) -> Regime:
    return next(r for r in REGIMES if m in r)


def shape_named(name: str) -> tuple[str, int, int]:
    """(name, N, K) of a benchmark shape, or of "N x K" written as 4096x8192."""
    for known in shapes.BENCHMARK:
        if known[0] == name:
            return known
    n, cross, k = name.partition("x")
    if cross and n.isdigit() and k.isdigit():
        size = int(n), int(k)
        return next((s for s in shapes.BENCHMARK if s[1:] == size), (name, *size))
    known_names = ", ".join(s[0] for s in shapes.BENCHMARK)
    raise ValueError(f"expected a shape out of {known_names}, or NxK, found {name!r}")


def parse_ms(texts: Iterable[str]) -> tuple[int, ...]:
    """The M of "1,8" and "16-128"; a range takes the benchmark's M inside it."""
    found: set[int] = set()
    for text in texts:
        for part in text.split(","):
            low, dash, high = part.strip().partition("-")
            if not low.isdigit() or (dash and not high.isdigit()):
                raise ValueError(f"expected M as 8, 1,8 or 16-128, found {text!r}")
            if dash:
                found |= {m for m in shapes.BENCHMARK_M if int(low) <= m <= int(high)}
            else:
                found.add(int(low))
    return tuple(sorted(found))


def make_points(
    shape_names: Iterable[str], ms: Iterable[int], dtypes: Iterable[str]
) -> list[Point]:
    """All points, those of one layer together, so that a layer is made once."""
    ms = tuple(ms)
    return [
        Point(name, n, k, m, dtype)
        for name, n, k in map(shape_named, shape_names)
        for dtype in dtypes
        for m in ms
    ]
