"""Which kernel each M gets: asked of the compiler, remembered on disk.

M is divided into ranges, each with one schedule. The compiler chooses them by an
analytic model and by measurements; `wna16-compile --plan` says what it chose.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from . import cache, emit, settings, toolchain
from .errors import CompileError
from .problem import MAX_M, Problem

_FORMAT, _VERSION = "wna16-plan", 1
_FILE = "plan.json"


@dataclass(frozen=True)
class Range:
    """The M from the next smaller range's bound up to `max_m`."""

    max_m: int
    #: The schedule attribute, as text of the IR.
    schedule: str
    #: What the compiler expects of a launch with `at_m` rows, and what limits it.
    predicted_us: float
    at_m: int
    limit: str
    #: Predicted time over that without batch invariance; 1 without it.
    invariant_cost: float


def one_range() -> tuple[Range, ...]:
    """On a CPU: one function computes every M."""
    return (Range(MAX_M, "", 0.0, 0, "", 1.0),)


def plan(problem: Problem, target: str, batch_invariant: bool = False) -> tuple[Range, ...]:
    """The ranges of all M up to MAX_M, rising; the same for every problem.max_m.

    Raises CompileError if the compiler is missing or refuses the problem.
    """
    text = emit.module_text(problem, MAX_M)
    key = cache.entry_key(
        plan=text,
        target=target,
        batch_invariant=str(batch_invariant),
        compiler=toolchain.compiler_identity(),
    )

    def build(folder: Path) -> None:
        answer = toolchain.plan_module(text, target, batch_invariant)
        _parse(answer)  # what cannot be read must not get into the cache
        (folder / _FILE).write_text(answer)

    folder = cache.get_or_build(settings.current().cache_dir, key, build)
    return _parse((folder / _FILE).read_text())


def _parse(text: str) -> tuple[Range, ...]:
    try:
        data = json.loads(text)
        if (data["format"], data["version"]) != (_FORMAT, _VERSION):
            raise ValueError(f"format {data['format']} version {data['version']}")
        (gemm,) = data["gemms"]
        ranges = tuple(
            Range(
                max_m=int(r["max_m"]),
                schedule=str(r["schedule"]),
                predicted_us=float(r["predicted_us"]),
                at_m=int(r["at_m"]),
                limit=str(r["limit"]),
                invariant_cost=float(r["invariant_cost"]),
            )
            for r in gemm["ranges"]
        )
        if not ranges or ranges[-1].max_m < MAX_M:
            raise ValueError("its ranges end too early")
    except (LookupError, TypeError, ValueError) as error:
        raise CompileError(
            f"wna16-compile --plan wrote something else than {_FORMAT} version {_VERSION} "
            f"({error!r}); build it and this package from the same sources"
        ) from None
    return ranges
