"""The cells of docs/support.md: one small layer of every kind.

tools/dev/support_table.py tries them on this machine, test_support.py on a GPU.
"""

from __future__ import annotations

import datetime
import itertools
import json
import subprocess
from collections.abc import Iterable
from pathlib import Path

import scheduled
from wna16.problem import SYMMETRIC, Problem
from wna16.runtime import runtime
from wna16.targets import TARGETS

GROUPS = (16, 32, 48, 64, 128, 256, -1)
ZEROS = ("symmetric", "zeros")
DTYPES = ("f16", "bf16")
#: (bits, zeros, group, dtype)
Cell = tuple[int, str, int, str]
CELLS: list[Cell] = list(itertools.product(range(1, 9), ZEROS, GROUPS, DTYPES))

FORMAT = "wna16-verified"


def problem(cell: Cell) -> Problem:
    bits, zeros, group, dtype = cell
    offset = None if zeros == "zeros" else SYMMETRIC
    k = 192 if group == 48 else 256
    return Problem(n=64, k=k, bits=bits, offset=offset, group=group, dtype=dtype)


def name_of(cell: Cell) -> str:
    """Of the test, of the folder in a bundle, and in a file of verified cells."""
    bits, zeros, group, dtype = cell
    return f"{bits}-{zeros}-{'column' if group == -1 else group}-{dtype}"


def build(cell: Cell, target: str, folder: Path) -> None:
    """Compiles the kernel of a cell into a new folder for wna16.load()."""
    scheduled.build_one(problem(cell), target, folder)


def write_verified(path: Path, target: str, cells: Iterable[Cell]) -> None:
    """A file that says which cells were right on this machine's GPU, and today."""
    content = {
        "format": FORMAT,
        "target": target,
        "gpu": runtime().device(0).name,
        "driver": _driver(),
        "date": datetime.date.today().isoformat(),
        "cells": [name_of(cell) for cell in sorted(cells, key=CELLS.index)],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1) + "\n")


def _driver() -> str:
    """The driver's version, if its tool says it, and that of CUDA which it supports."""
    cuda = "CUDA %d.%d" % runtime().driver_version()
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return cuda
    return f"{done.stdout.split()[0]} ({cuda})"


def read_verified(path: Path) -> tuple[dict[str, str], set[Cell]]:
    """What a file says about the run, and its cells; ValueError if it is not one."""
    content = json.loads(path.read_text())
    names = {name_of(cell): cell for cell in CELLS}
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ValueError(f"{path}: not of the format {FORMAT}")
    unknown = [name for name in content["cells"] if name not in names]
    if unknown or content["target"] not in TARGETS:
        raise ValueError(f"{path}: unknown: {content['target']}, {', '.join(unknown)}")
    run = {key: str(content[key]) for key in ("target", "gpu", "driver", "date")}
    return run, {names[name] for name in content["cells"]}
