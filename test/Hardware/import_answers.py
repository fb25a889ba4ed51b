#!/usr/bin/env python3
"""Takes over what run_hw.py wrote: import_answers.py answers.z.

Writes answers/FAMILY.z for every family; what has an answer already and was not asked again
keeps it. Refuses answers to other kernels or inputs than those of this tree.
"""

from __future__ import annotations

import sys
from pathlib import Path

from answers import FOLDER, Answers, known, read, write
from families import FAMILIES


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    found = read(Path(sys.argv[1]))
    stale, missing = [], []
    FOLDER.mkdir(exist_ok=True)
    for family, module in FAMILIES.items():
        before, after = known(family), Answers(found.device)
        for case in module.cases():
            name = case.name
            if name in found.cases and found.cases[name][0] != case.digest:
                stale.append(name)
            elif name in found.cases:
                after.cases[name] = found.cases[name]
            elif name in found.failed:
                after.failed[name] = found.failed[name]
            elif name in before.cases and before.cases[name][0] == case.digest:
                after.cases[name] = before.cases[name]
            else:
                missing.append(name)
        changed = [n for n, a in after.cases.items() if n in before.cases and before.cases[n] != a]
        for name in changed:
            print(f"another answer than before: {name}")
        path = FOLDER / f"{family}.z"
        write(path, after)
        print(f"{path.name}: {len(after.cases)} answers, {len(after.failed)} without, "
              f"{path.stat().st_size} bytes")  # fmt: skip
    for name, why in sorted(found.failed.items()):
        print(f"no answer: {name}: {why}"[:200])
    if stale:
        print(f"error: {len(stale)} answers are for other kernels or inputs: {stale[:10]}")
    if missing:
        print(f"{len(missing)} cases have no answer: {missing[:10]}")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
