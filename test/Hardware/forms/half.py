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


def nans(kind: str) -> list[Case]:
    """fma.oob with every NaN in every place: which of them does it take for out of bounds?"""
    infinity = 0x7F80 if kind == "bf16" else 0x7C00
    column = [bits | sign for sign in (0, 0x8000) for bits in range(infinity + 1, 0x8000)]
    column += [infinity] * (-len(column) % 64)
    packed = [low | high << 16 for low, high in zip(column[::2], column[1::2])]
    number = 0x4040 if kind == "bf16" else 0x4200
    made = []
    for place, letter in enumerate("abc"):
        name = f"fma_rn_oob_{kind}x2_nan_{letter}"
        sources = [("b32", [number * 0x10001] * len(packed)) for _ in range(3)]
        sources[place] = ("b32", packed)
        made.append(elementwise(FAMILY, name, sources, ["b32"],
                                f"fma.rn.oob.{kind}x2 %d, %a, %b, %c;"))  # fmt: skip
    return made


def cases() -> list[Case]:
    made = nans("f16") + nans("bf16")
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
