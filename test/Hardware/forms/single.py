"""Arithmetic of f32 and f64 in every rounding, with .ftz and .sat."""

from cases import Case, elementwise, symbol
from values import operands

FAMILY = "float"
ROUNDINGS = ["rn", "rz", "rm", "rp"]


def form(opcode: str, kind: str, count: int, result: str | None = None) -> Case:
    name = symbol(opcode)
    letters = ", ".join(f"%{c}" for c in "abcefg"[:count])
    return elementwise(
        FAMILY, name, operands(name, [kind] * count), [result or kind], f"{opcode} %d, {letters};"
    )


def dotted(*parts: str) -> str:
    return ".".join(p for p in parts if p)


def cases() -> list[Case]:
    made = []
    for ftz in ("", "ftz"):
        for rounding in ROUNDINGS:
            for sat in ("", "sat"):
                for op in ("add", "sub", "mul"):
                    made.append(form(dotted(op, rounding, ftz, sat, "f32"), "f32", 2))
                made.append(form(dotted("fma", rounding, ftz, sat, "f32"), "f32", 3))
            made.append(form(dotted("div", rounding, ftz, "f32"), "f32", 2))
            made.append(form(dotted("rcp", rounding, ftz, "f32"), "f32", 1))
            made.append(form(dotted("sqrt", rounding, ftz, "f32"), "f32", 1))
        for op in ("add", "sub", "mul"):
            made.append(form(dotted(op, ftz, "f32"), "f32", 2))
        made.append(form(dotted("mad.rn", ftz, "f32"), "f32", 3))
        for op in ("abs", "neg"):
            made.append(form(dotted(op, ftz, "f32"), "f32", 1))
        for op in ("min", "max"):
            for nan in ("", "NaN"):
                for sign in ("", "xorsign.abs"):
                    made.append(form(dotted(op, ftz, nan, sign, "f32"), "f32", 2))
    for rounding in ROUNDINGS:
        for op in ("add", "sub", "mul", "div"):
            made.append(form(f"{op}.{rounding}.f64", "f64", 2))
        made.append(form(f"fma.{rounding}.f64", "f64", 3))
        made.append(form(f"rcp.{rounding}.f64", "f64", 1))
        made.append(form(f"sqrt.{rounding}.f64", "f64", 1))
    for op in ("add", "sub", "mul"):
        made.append(form(f"{op}.f64", "f64", 2))
    made.append(form("mad.rn.f64", "f64", 3))
    for op in ("abs", "neg"):
        made.append(form(f"{op}.f64", "f64", 1))
    for op in ("min", "max"):
        made.append(form(f"{op}.f64", "f64", 2))
    for kind in ("f32", "f64"):
        made.append(form(f"copysign.{kind}", kind, 2))
        for test in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
            name = f"testp_{test}_{kind}"
            body = f"testp.{test}.{kind} %p, %a;\nselp.u32 %d, 1, 0, %p;"
            made.append(elementwise(FAMILY, name, operands(name, [kind]), ["u32"], body))
    return made
