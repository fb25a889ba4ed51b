"""Runs the kernels of Inputs/Kernels, which are right: exact results, no report.

    kernels.py [KERNEL ...]

Every case runs with copies that land late, early and at random times, in random
interleavings, and with one resident cluster, the last one first.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))

import kernel_cases
from run_case import run_all, run_case

WAYS = [
    ["--completion", "late"],
    ["--completion", "early"],
    ["--completion", "random", "--seed", "7"],
    ["--completion", "random", "--schedules", "5", "--seed", "3"],
    ["--resident", "1", "--block-order", "reverse"],
]


def failure(case: kernel_cases.Case, way: list[str]) -> str:
    outcome = run_case(case, way)
    if outcome.status == 0 and not outcome.reports and outcome.right:
        return ""
    what = "status 0" if outcome.status == 0 else f"status {outcome.status}"
    result = "the result is right" if outcome.right else "the result is wrong"
    return f"{case} {' '.join(way)}: {what}, {result}\n{outcome.log}"


def main(kernels: list[str]) -> int:
    cases = [case for case in kernel_cases.CASES if not kernels or case.kernel in kernels]
    return run_all(failure, [(case, way) for case in cases for way in WAYS])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
