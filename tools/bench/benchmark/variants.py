"""Kernels that the user wants timed beside ours, out of a "schedules file".

A schedules file is a JSON list. Every entry says for what it is

    "shape":  a benchmark shape ("8b.o"), "NxK", or a list of these
    "m":      [low, high]: the kernel is compiled for M <= high, and timed at the
              benchmark's M (or those of --m) from low on; or one number
    "dtype":  "f16" (default) or "bf16"

and how it is made, by one of

    "schedule":  the text of a #wna16.schedule (with or without that prefix), or a
                 list of them; compiled for every shape
    "module":    a .mlir file of any phase, with one kernel; its path may hold {n}, {k}
    "record":    a launch record (NAME.json) with PTX or cubin beside it

"name" is optional. Entries are expanded, compiled (two at a time) into a folder with
an index, and read from there, on this machine or another one.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from wna16 import emit, toolchain
from wna16.errors import Wna16Error
from wna16.problem import Problem

from .points import DTYPES, shape_named

INDEX = "index.json"
#: What most schedules say; left out of the names that are made of them.
_USUAL = {
    "copy": "cp_async",
    "math": "mma",
    "scales": "accumulator",
    "split": "none",
    "roles": "uniform",
}


@dataclass(frozen=True)
class Variant:
    """One kernel for one shape. `record` and `error` are set once it is compiled."""

    name: str
    shape: str
    n: int
    k: int
    low: int
    high: int
    dtype: str
    schedule: str = ""
    module: str = ""
    given_record: str = ""
    record: str = ""
    error: str = ""
    source: str = field(default="", compare=False)

    def fits(self, n: int, k: int, m: int, dtype: str) -> bool:
        return (n, k, dtype) == (self.n, self.k, self.dtype) and self.low <= m <= self.high


def _several(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def schedule_body(text: str) -> str:
    """The text between the angle brackets, on one line."""
    body = re.sub(r"\s+", " ", text).strip()
    match = re.fullmatch(r"#wna16\.schedule<(.*)>", body)
    return (match[1] if match else body).strip().rstrip(",")


def short_name(schedule: str) -> str:
    """A name out of a schedule: tile, warps, stages and what is not usual."""
    words = []
    keys = r"(\w+)(?: = (?:\[([^\]]*)\]|(\w+)))?"
    for key, list_, word in re.findall(keys, schedule_body(schedule)):
        if list_:
            word = "x".join(p.strip() for p in list_.split(","))
        if _USUAL.get(key) == word:
            continue
        short = {"tile": "t", "warps": "w", "stages": "s", "blocks": "b", "warps_m": "wm"}.get(key)
        words.append(f"{short}{word}" if short else f"{key}={word}" if word else key)
    return " ".join(words)


def expand(entries: Any, base: Path = Path(".")) -> list[Variant]:
    """The variants of a schedules file; raises ValueError at the first bad entry."""
    if not isinstance(entries, list):
        raise ValueError("expected a list of entries")
    result = []
    for index, entry in enumerate(entries):
        try:
            result += _expand_entry(entry, base)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"entry {index} ({json.dumps(entry)[:80]}): {error}") from None
    names: dict[tuple, int] = {}
    for i, variant in enumerate(result):
        key = (variant.name, variant.n, variant.k, variant.low, variant.high, variant.dtype)
        names[key] = names.get(key, 0) + 1
        if names[key] > 1:
            result[i] = replace(variant, name=f"{variant.name} #{names[key]}")
    return result


def _expand_entry(entry: dict[str, Any], base: Path) -> list[Variant]:
    unknown = set(entry) - {"name", "shape", "m", "dtype", "schedule", "module", "record"}
    if unknown:
        raise ValueError(f"unknown keys {sorted(unknown)}")
    ways = [k for k in ("schedule", "module", "record") if k in entry]
    if len(ways) != 1:
        raise ValueError("expected one of schedule, module, record")
    m = entry["m"]
    low, high = (m, m) if isinstance(m, int) else (int(m[0]), int(m[1]))
    if not 0 <= low <= high:
        raise ValueError(f"expected m as [low, high], found {m}")
    result = []
    for dtype in _several(entry.get("dtype", "f16")):
        if dtype not in DTYPES:
            raise ValueError(f"expected dtype f16 or bf16, found {dtype!r}")
        for shape in _several(entry["shape"]):
            name, n, k = shape_named(shape)
            for way in _several(entry[ways[0]]):
                common = {"shape": name, "n": n, "k": k, "low": low, "high": high, "dtype": dtype}
                if ways[0] == "schedule":
                    body = schedule_body(way)
                    title = entry.get("name") or short_name(body)
                    result.append(Variant(title, **common, schedule=body))
                    continue
                path = base / way.format(n=n, k=k)
                title = entry.get("name") or path.stem
                key = "module" if ways[0] == "module" else "given_record"
                result.append(Variant(title, **common, **{key: str(path)}))
    return result


def module_text(variant: Variant) -> str:
    """What the compiler gets for a variant."""
    if variant.module:
        return Path(variant.module).read_text()
    problem = Problem(n=variant.n, k=variant.k, max_m=variant.high, dtype=variant.dtype)
    text = emit.module_text(problem, variant.high)
    bound = f"max_m = {variant.high} : i64"
    if text.count(bound) != 1:
        raise ValueError(f"expected one `{bound}` in the module text")
    return text.replace(bound, f"{bound}, schedule = #wna16.schedule<{variant.schedule}>")


def compile_all(
    variants: Iterable[Variant], folder: Path, target: str, jobs: int = 2
) -> list[Variant]:
    """Compiles into `folder`, one folder each, and writes the index.

    A variant that the compiler refuses stays, with its error, and is a row of the
    table without a time.
    """
    variants = list(variants)
    folder.mkdir(parents=True, exist_ok=True)

    def one(item: tuple[int, Variant]) -> Variant:
        index, variant = item
        place = folder / f"{index:03d}"
        place.mkdir()
        try:
            return replace(variant, record=_build(variant, place, target))
        except (Wna16Error, OSError, ValueError) as error:
            return replace(variant, error=str(error).split("\nto reproduce")[0][:600])

    with ThreadPoolExecutor(jobs) as pool:
        done = list(pool.map(one, enumerate(variants)))
    (folder / INDEX).write_text(json.dumps([asdict(v) for v in done], indent=1) + "\n")
    return done


def _build(variant: Variant, place: Path, target: str) -> str:
    """The record's path, relative to the folder of all variants."""
    if variant.given_record:
        given = Path(variant.given_record)
        data = json.loads(given.read_text())
        for name in (given.name, data["ptx"], data.get("cubin")):
            if name and (given.parent / name).exists():
                shutil.copy(given.parent / name, place)
        return f"{place.name}/{given.name}"
    toolchain.compile_module(module_text(variant), target, place)
    records = list(place.glob("*.json"))
    if len(records) != 1:
        raise ValueError(f"expected one kernel, found {len(records)}")
    return f"{place.name}/{records[0].name}"


def read_file(path: Path) -> list[Variant]:
    """The variants of a schedules file, not compiled yet."""
    try:
        return expand(json.loads(path.read_text()), path.parent)
    except (OSError, ValueError) as error:
        raise SystemExit(f"bench: error: {path}: {error}") from None


def read_index(folder: Path) -> list[Variant]:
    """Compiled variants; paths of records are made absolute."""
    variants = [Variant(**v) for v in json.loads((folder / INDEX).read_text())]
    return [replace(v, record=str(folder / v.record)) if v.record else v for v in variants]
