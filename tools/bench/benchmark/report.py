"""bench.md: the table per regime, geometric means, goals, points that are behind."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from shapes import BENCHMARK

from .elsewhere import Elsewhere
from .points import REGIMES, Regime, regime_of
from .results import Measured, Results, Row
from .stats import geomean

OURS = "wna16"
#: Rows that are no peers: ours, and what only limits or explains.
_NOT_PEERS = (OURS, "read limit", "variants")


@dataclass(frozen=True)
class Compared:
    """One point: our row and those of the peers that have a time."""

    measured: Measured
    ours: Row
    peers: dict[str, Row]
    prototypes: dict[str, Row]
    dependent: Row | None

    @property
    def m(self) -> int:
        return self.measured.point.m

    def ratio(self, peer: str) -> float | None:
        """How many times faster ours is."""
        row = self.peers.get(peer)
        return row.us / self.ours.us if row else None

    @property
    def fastest(self) -> tuple[str, Row] | None:
        return min(self.peers.items(), key=lambda p: p[1].us) if self.peers else None

    @property
    def to_fastest(self) -> float | None:
        return self.fastest[1].us / self.ours.us if self.fastest else None

    @property
    def to_prototype(self) -> float | None:
        """Against the best prototype without dependent launch.

        Where both have a cuBLAS time, each is taken in units of that: the prototype
        ran in another state of power and temperature.
        """
        plain = [r for r in self.prototypes.values() if not r.dependent]
        if not plain:
            return None
        return min(self._prototype_us(r) for r in plain) / self.ours.us

    def _prototype_us(self, row: Row) -> float:
        theirs, ours = row.about.get("cublas_us"), self.peers.get("cublas")
        return row.us * ours.us / theirs if self.m > 16 and theirs and ours else row.us


def compare(results: Results, elsewhere: Elsewhere | None) -> list[Compared]:
    """Points that have a time of ours, in order."""
    compared = []
    for measured in sorted(results.points, key=lambda m: _order(m)):
        rows = {r.name: r for r in measured.rows if r.us is not None}
        if elsewhere is not None and (extra := elsewhere.row(measured)):
            rows[extra.name] = extra
        if OURS not in rows:
            continue
        variants = _variant_names(measured)
        peers, prototypes = {}, {}
        for name, row in rows.items():
            if row.about.get("prototype"):
                prototypes[name] = row
            elif not row.dependent and name not in _NOT_PEERS and name not in variants:
                peers[name] = row
        compared.append(
            Compared(measured, rows[OURS], peers, prototypes, rows.get(f"{OURS} +pdl"))
        )
    return compared


def _variant_names(measured: Measured) -> set[str]:
    """Whoever was compiled from a schedule and is not ours."""
    ours = (OURS, f"{OURS} +pdl")
    return {r.name for r in measured.rows if "schedule" in r.about and r.name not in ours}


def _order(measured: Measured) -> tuple:
    p = measured.point
    names = [s[0] for s in BENCHMARK]
    place = names.index(p.shape) if p.shape in names else len(names)
    return (p.dtype != "f16", regime_of(p.m).low, place, p.shape, p.m)


# --- goals ---------------------------------------------------------------------


@dataclass(frozen=True)
class Goal:
    """A number that is wanted, and how to get it from the points."""

    text: str
    least: float
    value: Callable[[list[Compared]], float | None]

    def line(self, points: list[Compared]) -> str:
        value = self.value(points)
        if value is None:
            return f"| {self.text} | {self.least:.2f} | not measured | |"
        verdict = "yes" if value >= self.least else "no"
        return f"| {self.text} | {self.least:.2f} | {value:.3f} | {verdict} |"


def _inside(points: list[Compared], low: int, high: int) -> list[Compared]:
    return [p for p in points if low <= p.m <= high]


def _mean_to_fastest(low: int, high: int) -> Callable[[list[Compared]], float | None]:
    return lambda points: geomean(_known(p.to_fastest for p in _inside(points, low, high)))


def _mean_to(peer: str, low: int = 0, high: int = 1 << 30):
    return lambda points: geomean(_known(p.ratio(peer) for p in _inside(points, low, high)))


def _least(of: Callable[[Compared], float | None], low: int = 0, high: int = 1 << 30):
    return lambda points: min(_known(of(p) for p in _inside(points, low, high)), default=None)


def _known(values: Iterable[float | None]) -> list[float]:
    return [v for v in values if v is not None]


def _part_of_read_limit(point: Compared) -> float | None:
    limit = point.measured.row("read limit")
    big = point.measured.point.weight_bytes >= 30e6 and point.m <= 8
    return limit.us / point.ours.us if big and limit and limit.us else None


def _error_to_cublas(point: Compared) -> float | None:
    """Marlin's order of rounding is that of the 16-bit product on rounded weights."""
    other = point.peers.get("cublas")
    return other.error / point.ours.error if other and other.error and point.ours.error else None


GOALS = (
    Goal("every point, to the fastest peer", 0.95, _least(lambda p: p.to_fastest)),
    Goal("geomean to Marlin", 1.25, _mean_to("marlin*")),
    Goal("geomean to Humming", 1.25, _mean_to("humming")),
    Goal("geomean to gemlite", 1.25, _mean_to("gemlite")),
    Goal("geomean to tinygemm", 1.25, _mean_to("tinygemm")),
    Goal("M <= 16: geomean to the fastest peer", 1.3, _mean_to_fastest(0, 16)),
    Goal("M <= 8, 30 MB and more: part of the read limit", 0.85, _least(_part_of_read_limit)),
    Goal("16 < M <= 128: geomean to the fastest peer", 1.2, _mean_to_fastest(17, 128)),
    Goal("M >= 256: geomean to cuBLAS", 1.0, _mean_to("cublas", 256)),
    Goal("M >= 256: every point, to cuBLAS", 0.97, _least(lambda p: p.ratio("cublas"), 256)),
    Goal("M >= 256: geomean to Marlin", 2.0, _mean_to("marlin*", 256)),
    Goal("every point, to the prototypes", 0.97, _least(lambda p: p.to_prototype)),
    Goal("error of 16-bit weights over ours", 0.98, _least(_error_to_cublas)),
)


# --- tables --------------------------------------------------------------------


def markdown(results: Results, elsewhere: Elsewhere | None) -> str:
    """The whole of bench.md."""
    points = compare(results, elsewhere)
    parts = [_calls(results, elsewhere)]
    for dtype in sorted({p.measured.point.dtype for p in points}, reverse=True):
        of_type = [p for p in points if p.measured.point.dtype == dtype]
        parts.append(_goals(dtype, of_type))
        parts.append(_means(dtype, of_type))
        parts.append(_behind(dtype, of_type))
        for regime in REGIMES:
            parts.append(_table(dtype, regime, [p for p in of_type if p.m in regime]))
    parts.append(_variants(results))
    parts.append(_without(results))
    return "\n".join(p for p in parts if p)


def _calls(results: Results, elsewhere: Elsewhere | None) -> str:
    lines = [
        f"Call {i}: {c['device']}, driver {c['driver']}, torch {c['torch']}"
        + "".join(f", {name} {v}" for name, v in c.get("versions", {}).items())
        for i, c in enumerate(results.calls)
    ]
    lines.append(
        "Microseconds per launch, medians; cold weights. Ratios above 1: ours is faster. "
        "They are made inside one point of one call."
    )
    if elsewhere is not None:
        lines.append(f"`{elsewhere.name}` is scaled, not measured here. {elsewhere.provenance}")
    return "\n\n".join(lines) + "\n"


def _goals(dtype: str, points: list[Compared]) -> str:
    lines = [f"## Goals, {dtype}", "", "| what | at least | measured | reached |"]
    lines.append("|---|---|---|---|")
    return "\n".join([*lines, *(goal.line(points) for goal in GOALS)]) + "\n"


def _means(dtype: str, points: list[Compared]) -> str:
    """Geometric means per regime and peer, with the range and the number of points."""
    peers = _peer_names(points)
    lines = [f"## Ratios to each peer, {dtype}: geometric mean (least to most; points)", ""]
    lines.append("| M | " + " | ".join([*peers, "fastest peer", "prototypes"]) + " |")
    lines.append("|---" * (len(peers) + 3) + "|")
    for regime in REGIMES:
        inside = [p for p in points if p.m in regime]
        if not inside:
            continue
        cells = [_spread(p.ratio(peer) for p in inside) for peer in peers]
        cells.append(_spread(p.to_fastest for p in inside))
        cells.append(_spread(p.to_prototype for p in inside))
        lines.append(f"| {regime.name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _spread(values: Iterable[float | None]) -> str:
    known = _known(values)
    if not known:
        return "-"
    return f"{geomean(known):.2f} ({min(known):.2f}-{max(known):.2f}; {len(known)})"


def _behind(dtype: str, points: list[Compared]) -> str:
    behind = [p for p in points if (p.to_fastest or 1.0) < 1.0]
    if not behind:
        return f"No point of {dtype} is slower than the fastest peer.\n"
    lines = [f"## Points below 1.0, {dtype}", "", "| shape | M | ours | fastest peer | ratio |"]
    lines.append("|---|---|---|---|---|")
    for p in sorted(behind, key=lambda p: p.to_fastest or 0.0):
        name, row = p.fastest or ("", p.ours)
        lines.append(
            f"| {p.measured.point.shape} | {p.m} | {p.ours.us:.2f} | {name} {row.us:.2f} "
            f"| {p.to_fastest:.2f} |"
        )
    return "\n".join(lines) + "\n"


def _peer_names(points: list[Compared]) -> list[str]:
    names = {name for p in points for name in p.peers}
    return sorted(names, key=lambda n: (n != "cublas", n))


def _table(dtype: str, regime: Regime, points: list[Compared]) -> str:
    if not points:
        return ""
    peers = _peer_names(points)
    limited = any(p.measured.row("read limit") for p in points)
    head = ["shape", "N x K", "M", "ours", "p10-p90", "dependent", *peers]
    head += ["ratio", "prototype", "ratio", "GB/s", "TFLOP/s", "error"]
    head += ["read limit"] if limited else []
    lines = [f"## {regime.name}, {dtype}", "", "| " + " | ".join(head) + " |"]
    lines.append("|---" * len(head) + "|")
    for p in points:
        lines.append("| " + " | ".join(_cells(p, peers, limited)) + " |")
    return "\n".join(lines) + "\n"


def _cells(p: Compared, peers: list[str], limited: bool) -> list[str]:
    point, ours = p.measured.point, p.ours
    plain = [r for r in p.prototypes.values() if not r.dependent]
    best = min(plain, key=lambda r: r.us, default=None)
    limit = p.measured.row("read limit")
    cells = [
        point.shape,
        f"{point.n} x {point.k}",
        str(point.m),
        f"**{ours.us:.2f}**",
        f"{ours.p10:.2f}-{ours.p90:.2f}" if ours.p10 and ours.p90 else "-",
        f"{p.dependent.us:.2f}" if p.dependent else "-",
        *(f"{p.peers[n].us:.2f}" if n in p.peers else "-" for n in peers),
        f"{p.to_fastest:.2f}" if p.to_fastest else "-",
        f"{best.us:.2f} ({best.about['config']})" if best else "-",
        f"{p.to_prototype:.2f}" if p.to_prototype else "-",
        f"{point.weight_bytes / ours.us / 1e3:.0f}",
        f"{point.flops / ours.us / 1e6:.0f}",
        f"{ours.error:.1e}" if ours.error else "-",
    ]
    if limited:
        cells.append(f"{limit.us:.2f}" if limit and limit.us else "-")
    return cells


def _variants(results: Results) -> str:
    """Variants beside ours, the fastest of a point first."""
    lines = []
    for measured in sorted(results.points, key=_order):
        names = _variant_names(measured)
        rows = [r for r in measured.rows if r.us is not None and (r.name in names)]
        ours = measured.row(OURS)
        for row in sorted(rows, key=lambda r: r.us or 0.0):
            ratio = f"{ours.us / row.us:.2f}" if ours and ours.us and row.us else "-"
            p = measured.point
            registers = row.about.get("registers") or "-"
            cells = [p.shape, str(p.m), p.dtype, row.name, f"{row.us:.2f}", ratio, str(registers)]
            lines.append("| " + " | ".join(cells) + " |")
    if not lines:
        return ""
    head = ["## Variants", "", "| shape | M | type | variant | us | ours / us | registers |"]
    return "\n".join([*head, "|---|---|---|---|---|---|---|", *lines]) + "\n"


def _without(results: Results) -> str:
    """Who has no time where, and why; the same reason once."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for measured in results.points:
        for row in measured.rows:
            if row.us is None and row.reason:
                reasons.setdefault((row.name, row.reason), []).append(measured.point.key)
    if not reasons:
        return ""
    lines = ["## Without a time", "", "| who | why | points |", "|---|---|---|"]
    for (name, reason), keys in sorted(reasons.items()):
        where = keys[0] if len(keys) == 1 else f"{len(keys)}, such as {keys[0]}"
        lines.append(f"| {name} | {reason.replace('|', '/')} | {where} |")
    return "\n".join(lines) + "\n"
