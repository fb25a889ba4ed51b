#!/usr/bin/env python3
"""Takes over what run_hw.py wrote: import_answers.py answers.z.

Writes answers/FAMILY.z for every family. Refuses answers to other kernels or inputs than
those of this tree.
"""

from __future__ import annotations

import sys
from pathlib import Path

from answers import Answers, read, write
from families import all_cases

FOLDER = Path(__file__).resolve().parent / "answers"


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    found = read(Path(sys.argv[1]))
    families: dict[str, Answers] = {}
    stale, missing = [], []
    for case in all_cases():
        answers = families.setdefault(case.family, Answers(found.device))
        if case.name in found.cases:
            digest, data = found.cases[case.name]
            if digest != case.digest or len(data) != case.out_bytes:
                stale.append(case.name)
                continue
            answers.cases[case.name] = (digest, data)
        elif case.name in found.failed:
            answers.failed[case.name] = found.failed[case.name]
        else:
            missing.append(case.name)
    FOLDER.mkdir(exist_ok=True)
    for family, answers in families.items():
        if not answers.cases and not answers.failed:
            continue  # a run of some families leaves the others alone
        path = FOLDER / f"{family}.z"
        write(path, answers)
        print(f"{path.name}: {len(answers.cases)} answers, {len(answers.failed)} without, "
              f"{path.stat().st_size} bytes")  # fmt: skip
    for name, why in sorted(found.failed.items()):
        print(f"no answer: {name}: {why}"[:200])
    if stale:
        print(f"error: {len(stale)} answers are for other kernels or inputs: {stale[:10]}")
    if missing:
        print(f"{len(missing)} cases were not part of the run")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
