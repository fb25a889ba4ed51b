"""Kernels as a folder: compiled on one machine, launched on another.

The folder holds artifact.json (the problem and the table from M to kernel) and, for
every kernel, its launch record with PTX and cubin, or with a shared library for a CPU.
It needs no compiler to be used. Loading one for a CPU runs native code from it: take
folders from people whose programs you would run.
"""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import tempfile
from pathlib import Path

from .arguments import as_flag, as_integer
from .artifact import Artifact, read_record
from .errors import CacheError, LaunchError
from .moe_problem import MoeProblem
from .problem import Problem

FORMAT = "wna16-artifact"
VERSION = 1
_FILE = "artifact.json"


def save(artifact: Artifact, folder: Path) -> None:
    """Writes the folder, whole or not at all; raises CacheError if it cannot.

    An existing folder is never touched: that is an error too.
    """
    if folder.exists():
        raise CacheError(f"{folder} exists; remove it or name another folder")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=".saving-", dir=folder.parent))
    except OSError as error:
        raise CacheError(f"cannot write {folder}: {error.strerror or error}") from None
    try:
        table = []
        for max_m, record in artifact.kernels:
            for file in (record.path, record.ptx, record.cubin, record.library):
                if file is not None:
                    shutil.copyfile(file, work / file.name)
            table.append({"max_m": max_m, "record": record.path.name})
        content = {
            "format": FORMAT,
            "version": VERSION,
            "target": artifact.target,
            "op": "moe_gemm" if isinstance(artifact.problem, MoeProblem) else "gemm",
            "problem": dataclasses.asdict(artifact.problem),
            "batch_invariant": artifact.batch_invariant,
            "kernels": table,
        }
        (work / _FILE).write_text(json.dumps(content, indent=2) + "\n")
        work.chmod(0o755)
        os.rename(work, folder)
    except OSError as error:
        raise CacheError(f"cannot write {folder}: {error.strerror or error}") from None
    finally:
        shutil.rmtree(work, ignore_errors=True)


def load(folder: Path) -> Artifact:
    """Reads a folder that save() wrote; raises LaunchError if it is not one."""
    path = folder / _FILE
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["format"] != FORMAT or data["version"] != VERSION:
            raise LaunchError(
                f"{path} has format {data['format']} version {data['version']}, "
                f"expected {FORMAT} version {VERSION}"
            )
        if not isinstance(data["target"], str) or not data["kernels"]:
            raise ValueError("target and kernels")
        kind = {"gemm": Problem, "moe_gemm": MoeProblem}[data.get("op", "gemm")]
        return Artifact(
            problem=kind(**data["problem"]),
            target=data["target"],
            kernels=tuple(
                (as_integer(entry["max_m"]), read_record(folder / entry["record"]))
                for entry in data["kernels"]
            ),
            batch_invariant=as_flag(data.get("batch_invariant", False)),
        )
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        raise LaunchError(f"cannot read kernels from {folder}: {error!r}") from None
