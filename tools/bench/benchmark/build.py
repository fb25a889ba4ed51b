"""Compiles what the benchmark needs; no PyTorch, no GPU."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import wna16
from shapes import BENCHMARK_M

_REFUSED = "refused.txt"


@dataclass(frozen=True)
class Built:
    """Our kernels of one shape and type; `refusal` says why there are not more."""

    kernel: wna16.Kernel | None
    refusal: str = ""


def folder_name(n: int, k: int, dtype: str) -> str:
    return f"n{n}_k{k}_{dtype}"


def compile_widest(n: int, k: int, dtype: str, target: str | None = None) -> Built:
    """The kernels for as many rows as the compiler takes, of those that are measured."""
    refusal = ""
    for m in sorted(BENCHMARK_M, reverse=True):
        try:
            kernel = wna16.compile(wna16.Problem(n=n, k=k, max_m=m, dtype=dtype), target)
            return Built(kernel, refusal)
        except wna16.Wna16Error as error:
            refusal = refusal or str(error).split("\nto reproduce")[0][:600]
    return Built(None, refusal)


def save(built: Built, folder: Path, n: int, k: int, dtype: str) -> None:
    """Into a folder per shape and type."""
    place = folder / folder_name(n, k, dtype)
    if built.kernel is not None:
        built.kernel.save(place)
    if built.refusal:
        place.mkdir(parents=True, exist_ok=True)
        (place / _REFUSED).write_text(built.refusal + "\n")


def load(folder: Path, n: int, k: int, dtype: str) -> Built:
    """What save() wrote; raises LaunchError if there is nothing."""
    place = folder / folder_name(n, k, dtype)
    refusal = (place / _REFUSED).read_text().strip() if (place / _REFUSED).exists() else ""
    if refusal and not (place / "artifact.json").exists():
        return Built(None, refusal)
    return Built(wna16.load(place), refusal)
