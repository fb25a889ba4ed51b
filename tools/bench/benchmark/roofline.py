"""The roofline picture: what each point reaches, under the limits of the same run."""

from __future__ import annotations

from pathlib import Path

from .points import Point
from .report import Compared
from .results import Results

_COLORS = {"wna16": "#c0392b", "cublas": "#2c6fbb", "fastest peer": "#7f8c8d"}


def intensity(point: Point) -> float:
    """Operations per byte that has to move: weights, scales, activations, result."""
    return point.flops / (point.weight_bytes + 2 * point.m * (point.k + point.n))


def limits(results: Results) -> tuple[float, float]:
    """(GB/s, TFLOP/s): the fastest plain read, the fastest product of any candidate."""
    read, product = 0.0, 0.0
    for measured in results.points:
        point = measured.point
        for row in measured.rows:
            if row.us is None:
                continue
            if row.name == "read limit":
                read = max(read, point.weight_bytes / row.us / 1e3)
            else:
                product = max(product, point.flops / row.us / 1e6)
    return read, product


def draw(results: Results, compared: list[Compared], path: Path) -> bool:
    """Writes an SVG; False without matplotlib or without anything to draw."""
    try:
        import matplotlib
    except ImportError:
        return False
    if not compared:
        return False
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "wna16"  # the same picture from the same numbers
    from matplotlib import pyplot

    read, product = limits(results)
    figure, axes = pyplot.subplots(figsize=(9, 5.5))
    series: dict[str, list[tuple[float, float]]] = {name: [] for name in _COLORS}
    for p in compared:
        x = intensity(p.measured.point)
        flops = p.measured.point.flops
        rows = {"wna16": p.ours, "cublas": p.peers.get("cublas")}
        rows["fastest peer"] = p.fastest[1] if p.fastest else None
        for name, row in rows.items():
            if row is not None and row.us:
                series[name].append((x, flops / row.us / 1e6))
    marks = {"wna16": ("o", 26), "cublas": ("^", 16), "fastest peer": ("s", 12)}
    for name in ("fastest peer", "cublas", "wna16"):
        if series[name]:
            marker, size = marks[name]
            xs, ys = zip(*series[name])
            axes.scatter(xs, ys, s=size, marker=marker, c=_COLORS[name], label=name, zorder=3)
    _draw_roof(axes, read, product, [intensity(p.measured.point) for p in compared])
    axes.set(xscale="log", yscale="log")
    axes.set_xlabel("operations per byte (weights, scales, activations, result)")
    axes.set_ylabel("TFLOP/s")
    axes.set_title(f"{results.calls[-1]['device']}: products with 4-bit weights")
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(loc="lower right")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None, "Creator": "wna16 benchmark"})
    pyplot.close(figure)
    return True


def _draw_roof(axes, read: float, product: float, xs: list[float]) -> None:
    low, high = min(xs) / 1.5, max(xs) * 1.5
    if read:
        corner = product * 1e3 / read
        axes.plot([low, corner], [low * read / 1e3, product], color="black", linewidth=1)
        axes.text(
            low * 1.1,
            low * read / 1e3 * 1.3,
            f"{read:.0f} GB/s, measured",
            rotation=45,
            rotation_mode="anchor",
            transform_rotates_text=True,
        )
        low = corner
    axes.plot([low, high], [product, product], color="black", linewidth=1)
    axes.annotate(f"{product:.0f} TFLOP/s, measured", (high, product * 1.08), ha="right")
