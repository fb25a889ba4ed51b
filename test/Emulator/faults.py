"""Seeded faults: right kernels of Inputs/Kernels, each broken in one place.

    faults.py [KERNEL ...]
    faults.py --show KERNEL   # what each fault is reported as

For every fault the first report has to be the expected check at the expected
line, however copies land and warps interleave. A fault that no rule of PTX
forbids (a wrong swizzle) has to give a wrong result.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))

import kernel_cases
from fault_table import FAULTS, Fault
from run_case import Outcome, run_all, run_case

WAYS = [
    ["--completion", "late"],
    ["--completion", "early"],
    ["--completion", "random", "--seed", "5"],
    ["--completion", "random", "--schedules", "3", "--seed", "11"],
]


def case_of(fault: Fault) -> kernel_cases.Case:
    return next(case for case in kernel_cases.CASES if case.kernel == fault.kernel)


def run_fault(fault: Fault, way: list[str]) -> tuple[str, Outcome]:
    case = case_of(fault)
    ptx = fault.apply(case.ptx())
    return ptx, run_case(case, [*way, *fault.options], ptx)


def failure(fault: Fault, way: list[str]) -> str:
    ptx, outcome = run_fault(fault, way)
    first = [(report.check, report.line) for report in outcome.reports[:1]]
    if fault.expected == "result":
        good = not first and not outcome.right
    else:
        good = first and first[0] in fault.places(ptx)
    if good:
        return ""
    head = f"{fault.kernel}: {fault.name} ({' '.join(way)})"
    return f"{head}: expected {fault.expected}\n{outcome.log}"


def show(kernel: str) -> int:
    for fault in FAULTS:
        if fault.kernel == kernel:
            ptx, outcome = run_fault(fault, [])
            print(f"{fault.name}\n  expected {fault.expected}")
            for report in outcome.reports[:2]:
                print(f"  {report.line} [{report.check}] {report.text}")
                print("      " + ptx.splitlines()[max(report.line - 1, 0)])
            print(f"  {'right' if outcome.right else 'wrong'}, {len(outcome.reports)} reports")
    return 0


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--show"]:
        return show(arguments[1])
    faults = [fault for fault in FAULTS if not arguments or fault.kernel in arguments]
    return run_all(failure, [(fault, way) for fault in faults for way in WAYS])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
