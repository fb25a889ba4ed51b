"""What a call will cost, before it begins: GPU time is scarce."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .method import Method, copies_of
from .points import Point

#: Rough speeds of a large GPU; a plan is off by a factor of two at worst.
_BYTES_PER_US = 3.0e6
_FLOPS_PER_US = 5.0e8
#: Set-up per candidate and point: two checks, warming up, capturing a graph.
_SETUP_S = 0.08
#: Making a layer and its fp64 results, per byte of its packed weights.
_LAYER_S_PER_BYTE = 1.5e-8
_LAYER_S = 0.7


def launch_us(point: Point) -> float:
    """About how long one launch takes."""
    return max(point.weight_bytes / _BYTES_PER_US, point.flops / _FLOPS_PER_US) + 4


def point_seconds(point: Point, candidates: int, method: Method) -> float:
    """All candidates of one point, some of them slower than the estimate."""
    block = method.for_m(point.m).block_seconds(launch_us(point), copies_of(point.weight_bytes))
    return candidates * (1.3 * method.rounds * block + _SETUP_S)


def layer_seconds(point: Point) -> float:
    return _LAYER_S + _LAYER_S_PER_BYTE * point.weight_bytes


@dataclass(frozen=True)
class Plan:
    """Points in their order with the seconds that each will take."""

    entries: tuple[tuple[Point, float], ...]

    @property
    def seconds(self) -> float:
        return sum(s for _, s in self.entries)

    def within(self, seconds: float) -> int:
        """How many points end in time."""
        total = 0.0
        for count, (_, cost) in enumerate(self.entries):
            total += cost
            if total > seconds:
                return count
        return len(self.entries)

    def text(self, seconds: float) -> str:
        fits = self.within(seconds)
        lines = [f"plan: {len(self.entries)} points, about {self.seconds:.0f} s"]
        if fits < len(self.entries):
            last = self.entries[fits][0].key
            lines.append(f"plan: {seconds:.0f} s are enough for {fits}; {last} comes too late")
        return "\n".join(lines)


def make(points: Iterable[Point], candidates: dict[str, int] | int, method: Method) -> Plan:
    """The cost of the first point of a layer includes making it."""
    entries = []
    layer = None
    for point in points:
        count = candidates if isinstance(candidates, int) else candidates[point.key]
        cost = point_seconds(point, count, method)
        if (point.n, point.k, point.dtype) != layer:
            layer = (point.n, point.k, point.dtype)
            cost += layer_seconds(point)
        entries.append((point, cost))
    return Plan(tuple(entries))
