"""bench.json: what was measured, one entry per point, written after each point.

    {"format": "wna16-bench", "calls": [...], "points": [...]}

A call is one run of the program on one machine; a point says which call measured it,
because times of two calls are not comparable: ratios are made inside a point only.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .points import Point

FORMAT = "wna16-bench"


@dataclass
class Row:
    """One candidate at one point; without `us` it has a reason."""

    name: str
    us: float | None = None
    p10: float | None = None
    p90: float | None = None
    drift: float | None = None
    samples: int = 0
    #: Against fp64, before the timed replays and after them.
    error: float | None = None
    error_after: float | None = None
    dependent: bool = False
    reason: str = ""
    about: dict[str, Any] = field(default_factory=dict)


@dataclass
class Measured:
    """All rows of one point."""

    point: Point
    call: int
    rows: list[Row]

    def row(self, name: str) -> Row | None:
        return next((r for r in self.rows if r.name == name), None)


class Results:
    """The content of one bench.json; `path` None: kept in memory only."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.calls: list[dict[str, Any]] = []
        self.points: list[Measured] = []

    def begin_call(self, about: dict[str, Any]) -> None:
        self.calls.append(about)
        self.save()

    def add(self, measured: Measured) -> None:
        """Adds a point; one measured earlier is replaced."""
        self.points = [m for m in self.points if m.point != measured.point] + [measured]
        self.save()

    def done(self, point: Point, names: Iterable[str]) -> bool:
        """Whether the point was measured with (at least) these candidates."""
        for measured in self.points:
            if measured.point == point:
                asked = self.calls[measured.call].get("peers", [])
                return set(names) <= set(asked)
        return False

    def save(self) -> None:
        if self.path is None:
            return
        text = json.dumps(
            {
                "format": FORMAT,
                "calls": self.calls,
                "points": [
                    {
                        **asdict(m.point),
                        "call": m.call,
                        "rows": [_compact(asdict(r)) for r in m.rows],
                    }
                    for m in self.points
                ],
            },
            indent=1,
        )
        work = self.path.with_suffix(".part")
        work.write_text(text + "\n")
        os.replace(work, self.path)


def _compact(row: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in row.items() if v not in (None, "", {}, False) or k == "us"}


def read(path: Path) -> Results:
    """A bench.json; later additions are written back to it."""
    try:
        data = json.loads(path.read_text())
        if data["format"] != FORMAT:
            raise ValueError(f"format {data['format']!r}")
        results = Results(path)
        results.calls = data["calls"]
        for entry in data["points"]:
            point = Point(*(entry[k] for k in ("shape", "n", "k", "m", "dtype")))
            rows = [Row(**row) for row in entry["rows"]]
            results.points.append(Measured(point, entry["call"], rows))
        return results
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise SystemExit(f"bench: error: {path} is not a bench.json: {error!r}") from None


def merge(parts: Iterable[Results]) -> Results:
    """All calls one after the other; of a point measured twice, the last one stays."""
    merged = Results()
    for part in parts:
        first = len(merged.calls)
        merged.calls += part.calls
        for measured in part.points:
            merged.add(Measured(measured.point, measured.call + first, measured.rows))
    return merged
