"""All cases, by family."""

from __future__ import annotations

from cases import Case
from forms import (
    approx, bits, compare, convert, half, integer, matrix, memory, pairs, single, warp, wgmma,
)  # fmt: skip

MODULES = [integer, bits, single, half, compare, convert, approx, pairs, warp, memory, matrix, wgmma]
FAMILIES = {module.FAMILY: module for module in MODULES}


def all_cases(families: list[str] | None = None) -> list[Case]:
    made = []
    for name in families or FAMILIES:
        made += FAMILIES[name].cases()
    names = [case.name for case in made]
    assert len(set(names)) == len(names), "two cases have the same name"
    return made
