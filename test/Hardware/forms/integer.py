"""Integer arithmetic of 16, 32 and 64 bits, carries, packed 16-bit and dot products."""

from cases import Case, elementwise, symbol
from values import operands

FAMILY = "integer"
TYPES = ["u16", "s16", "u32", "s32", "u64", "s64"]
WIDER = {"u16": "u32", "s16": "s32", "u32": "u64", "s32": "s64"}


def plain(opcode: str, kinds: list[str], result: str) -> Case:
    name = symbol(opcode)
    letters = ", ".join(f"%{c}" for c in "abcefg"[: len(kinds)])
    return elementwise(FAMILY, name, operands(name, kinds), [result], f"{opcode} %d, {letters};")


def cases() -> list[Case]:
    made = []
    for t in TYPES:
        for op in ("add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"):
            made.append(plain(f"{op}.{t}", [t, t], t))
        made.append(plain(f"mad.lo.{t}", [t] * 3, t))
        made.append(plain(f"mad.hi.{t}", [t] * 3, t))
        made.append(plain(f"sad.{t}", [t] * 3, t))
        if t in WIDER:
            made.append(plain(f"mul.wide.{t}", [t, t], WIDER[t]))
            made.append(plain(f"mad.wide.{t}", [t, t, WIDER[t]], WIDER[t]))
        if t[0] == "s":
            made.append(plain(f"neg.{t}", [t], t))
            made.append(plain(f"abs.{t}", [t], t))
    for op in ("add", "sub"):
        made.append(plain(f"{op}.sat.s32", ["s32", "s32"], "s32"))
    made.append(plain("mad.hi.sat.s32", ["s32"] * 3, "s32"))
    for t in ("u32", "s32"):
        for part in ("lo", "hi"):
            made.append(plain(f"mul24.{part}.{t}", [t, t], t))
            made.append(plain(f"mad24.{part}.{t}", [t] * 3, t))
    made.append(plain("mad24.hi.sat.s32", ["s32"] * 3, "s32"))
    for t in ("u16x2", "s16x2"):
        for op in ("add", "min", "max"):
            made.append(plain(f"{op}.{t}", [t, t], t))
    for op in ("min", "max"):
        made.append(plain(f"{op}.relu.s16x2", ["s16x2", "s16x2"], "s16x2"))
        made.append(plain(f"{op}.relu.s32", ["s32", "s32"], "s32"))
    made += carries()
    for a in ("u32", "s32"):
        for b in ("u32", "s32"):
            made.append(plain(f"dp4a.{a}.{b}", [a, b, a if a == b else "s32"], "u32"))
            for half in ("lo", "hi"):
                made.append(plain(f"dp2a.{half}.{a}.{b}", [a, b, a if a == b else "s32"], "u32"))
    return made


def carries() -> list[Case]:
    """A chain of two, so that the carry goes both in and out."""
    made = []
    for t in ("u32", "s32", "u64", "s64"):
        for op in ("add", "sub"):
            name = f"{op}_cc_chain_{t}"
            last = f"{op}c.{t} %d2, 0, 0;"
            body = f"{op}.cc.{t} %d, %a, %b;\n{op}c.cc.{t} %d1, %c, %e;\n{last}"
            made.append(
                elementwise(FAMILY, name, operands(name, [t] * 4), [t, t, t], body)
            )
        for part in ("lo", "hi"):
            name = f"mad_{part}_cc_chain_{t}"
            body = (
                f"mad.{part}.cc.{t} %d, %a, %b, %c;\n"
                f"madc.{part}.cc.{t} %d1, %a, %c, %b;\nmadc.hi.{t} %d2, 0, 0, 0;"
            )
            made.append(elementwise(FAMILY, name, operands(name, [t] * 3), [t, t, t], body))
    return made
