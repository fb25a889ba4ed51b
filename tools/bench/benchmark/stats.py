"""Medians, spreads and geometric means of plain lists of numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass


def quantile(values: Sequence[float], q: float) -> float:
    """The q-quantile (0..1) with linear interpolation between neighbours."""
    if not values:
        raise ValueError("no values")
    ordered = sorted(values)
    place = q * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def geomean(values: Iterable[float]) -> float | None:
    """Geometric mean; None of nothing."""
    logs = [math.log(v) for v in values]
    return math.exp(sum(logs) / len(logs)) if logs else None


@dataclass(frozen=True)
class Summary:
    """Of the samples of one candidate, over all rounds; microseconds per launch."""

    us: float
    p10: float
    p90: float
    samples: int
    #: Largest over smallest median of a round: what order and power state did.
    drift: float

    def as_dict(self) -> dict[str, float | int]:
        return {k: round(v, 4) for k, v in asdict(self).items()}


def summarize(rounds: Sequence[Sequence[float]]) -> Summary:
    """Summary of the samples of several rounds."""
    pooled = [v for samples in rounds for v in samples]
    medians = [quantile(samples, 0.5) for samples in rounds if samples]
    return Summary(
        us=quantile(pooled, 0.5),
        p10=quantile(pooled, 0.1),
        p90=quantile(pooled, 0.9),
        samples=len(pooled),
        drift=max(medians) / min(medians),
    )
