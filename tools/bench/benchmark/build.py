"""Compiles what the benchmark needs; no PyTorch, no GPU."""

from __future__ import annotations

from pathlib import Path

import wna16
from shapes import BENCHMARK_M

def folder_name(n: int, k: int, dtype: str) -> str:
    return f"n{n}_k{k}_{dtype}"


def widest_problem(n: int, k: int, dtype: str) -> wna16.Problem:
    """The problem with the largest M of the benchmark that is supported.

    Raises what wna16 says of the smallest M if none is.
    """
    for m in sorted(BENCHMARK_M, reverse=True):
        problem = wna16.Problem(n=n, k=k, max_m=m, dtype=dtype)
        if wna16.supports(problem):
            return problem
    problem.check()
    return problem


def compile_widest(n: int, k: int, dtype: str, target: str | None = None) -> wna16.Kernel:
    """The kernels of a shape for as many rows as the compiler supports."""
    return wna16.compile(widest_problem(n, k, dtype), target)


def save_refusal(folder: Path, key: tuple[int, int, str], reason: str) -> None:
    """In place of kernels: why there are none, for the table."""
    place = folder / folder_name(*key)
    place.mkdir(parents=True)
    (place / "refused.txt").write_text(reason + "\n")


def load_saved(folder: Path, key: tuple[int, int, str]) -> wna16.Kernel:
    """Kernels of a folder; raises ShapeError with the reason of a refusal."""
    place = folder / folder_name(*key)
    if (place / "refused.txt").exists():
        raise wna16.ShapeError((place / "refused.txt").read_text().strip())
    return wna16.load(place)
