"""bench.json, bench.md and roofline.svg of a folder."""

from __future__ import annotations

from pathlib import Path

from . import report, roofline
from .elsewhere import Elsewhere
from .results import Results


def times_of_elsewhere(results: Results, path: Path | None) -> Elsewhere | None:
    """The data file, if it is of the GPU that was measured."""
    if path is None or not path.exists() or not results.calls:
        return None
    elsewhere = Elsewhere(path)
    same = all(call["device"] == elsewhere.device for call in results.calls)
    return elsewhere if same else None


def write(results: Results, folder: Path, marlin: Path | None) -> str:
    """Writes all three; returns the Markdown."""
    folder.mkdir(parents=True, exist_ok=True)
    elsewhere = times_of_elsewhere(results, marlin)
    text = report.markdown(results, elsewhere)
    (folder / "bench.md").write_text(text)
    if results.path != folder / "bench.json":
        results.path = folder / "bench.json"
        results.save()
    compared = report.compare(results, elsewhere)
    if not roofline.draw(results, compared, folder / "roofline.svg"):
        print("bench: no picture (matplotlib is not installed, or no time of ours)")
    return text


def open_results(folder: Path | None) -> Results:
    """What a folder has already; kept in memory only without a folder."""
    from .results import read

    if folder is None:
        return Results()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "bench.json"
    return read(path) if path.exists() else Results(path)
