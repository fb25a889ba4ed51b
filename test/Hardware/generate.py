#!/usr/bin/env python3
"""Joins kernels, inputs and the hardware's answers for the program that checks the emulator.

generate.py --out DIR writes DIR/FAMILY.cases. Each case is a line of words

    case NAME RULE ELEMENT THREADS GRID UNDEFINED OPERANDS RESULTS TEXT INPUT ANSWER BOUNDS

and the bytes of its text, input, answer and bounds, whose lengths the last four words give.
UNDEFINED lists lanes, or is "-". OPERANDS and RESULTS are columns of lanes in input and answer, "bits:offset,...", or "-".
Bounds are three doubles per element: exact, least, most.
"""

from __future__ import annotations

import argparse
import struct
import sys
from pathlib import Path

from answers import known
from bounds import bounds
from cases import WIDTH, Case
from families import FAMILIES

def columns(kinds: list[str], lanes: int, aligned: bool) -> str:
    words, offset = [], 0
    for kind in kinds:
        words.append(f"{WIDTH[kind]}:{offset}")
        offset += lanes * WIDTH[kind] // 8
        if aligned:
            offset += -offset % 16
    return ",".join(words) or "-"


def record(case: Case, answer: bytes) -> bytes:
    limits = b""
    if case.rule == "bound":
        limits = b"".join(struct.pack("<3d", *limit) for limit in bounds(case))
    text = case.ptx.encode()
    operands = columns([kind for kind, _ in case.operands], case.threads, True)
    results = columns(case.results, case.threads, False)
    words = ["case", case.name, case.rule, case.element, case.threads, case.grid,
             ",".join(str(lane) for lane in case.undefined) or "-", operands, results, len(text),
             len(case.data), len(answer), len(limits)]  # fmt: skip
    return " ".join(str(word) for word in words).encode() + b"\n" + text + case.data + answer + limits


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    status = 0
    for family, module in FAMILIES.items():
        answers = known(family)
        parts = []
        for case in module.cases():
            digest, answer = answers.cases.get(case.name, (None, b""))
            if digest is None:
                print(f"error: no answer to {family} case {case.name}; ask the hardware (README.md)",
                      file=sys.stderr)  # fmt: skip
                status = 1
            elif digest != case.digest:
                print(f"error: the answer to {family} case {case.name} is that of another kernel or "
                      "input; ask the hardware again (README.md)", file=sys.stderr)  # fmt: skip
                status = 1
            else:
                parts.append(record(case, answer))
        (options.out / f"{family}.cases").write_bytes(b"".join(parts))
    return status


if __name__ == "__main__":
    sys.exit(main())
