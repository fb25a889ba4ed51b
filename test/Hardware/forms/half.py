"""Arithmetic of f16, bf16 and their packed forms."""

from cases import Case, elementwise, symbol
from values import operands

FAMILY = "half"


def dotted(*parts: str) -> str:
    return ".".join(p for p in parts if p)


def form(opcode: str, kind: str, count: int) -> Case:
    name = symbol(opcode)
    letters = ", ".join(f"%{c}" for c in "abcefg"[:count])
    return elementwise(
        FAMILY, name, operands(name, [kind] * count), [kind], f"{opcode} %d, {letters};",
        element=kind.removesuffix("x2"),
    )  # fmt: skip


def cases() -> list[Case]:
    made = []
    for kind in ("f16", "f16x2", "bf16", "bf16x2"):
        brain = kind.startswith("b")
        for ftz in ("",) if brain else ("", "ftz"):
            for op in ("add", "sub", "mul"):
                for rn in ("", "rn"):
                    made.append(form(dotted(op, rn, ftz, kind), kind, 2))
                    if not brain:
                        made.append(form(dotted(op, rn, ftz, "sat", kind), kind, 2))
            for tail in ("", "relu") if brain else ("", "sat", "relu"):
                made.append(form(dotted("fma.rn", ftz, tail, kind), kind, 3))
            for op in ("min", "max"):
                for nan in ("", "NaN"):
                    for sign in ("", "xorsign.abs"):
                        made.append(form(dotted(op, ftz, nan, sign, kind), kind, 2))
            for op in ("abs", "neg"):
                made.append(form(dotted(op, ftz, kind), kind, 1))
        made.append(form(f"fma.rn.oob.{kind}", kind, 3))
        made.append(form(f"fma.rn.oob.relu.{kind}", kind, 3))
    return made
