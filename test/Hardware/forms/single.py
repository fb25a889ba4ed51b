"""Arithmetic of f32 and f64 in every rounding, with .ftz and .sat."""

from cases import Case, elementwise, symbol
from values import Numbers, bits_float, corner_floats, float_bits, operands

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


def tiny() -> list[Case]:
    """Results next to the smallest normal number: does .ftz look before or after rounding?"""
    made = []
    for ftz in ("", "ftz"):
        for rounding in ROUNDINGS:
            for op in ("mul", "fma", "div"):
                opcode = dotted(op, rounding, ftz, "f32")
                name = symbol(opcode) + "_tiny"
                numbers = Numbers(name)
                rows = []
                for lane in range(128):
                    x = bits_float(0x3F800000 | numbers.below(1 << 23)) * 2.0 ** -numbers.below(40)
                    y = bits_float(float_bits(2.0**-126 / x if op != "div" else x * 2.0**126))
                    y = bits_float(float_bits(y) + numbers.below(3) - 1)
                    x = -x if numbers.chance(1, 2) else x
                    z = numbers.pick([0.0, -0.0, 2.0**-149, -(2.0**-149), 2.0**-125, -(2.0**-125)])
                    rows.append((float_bits(x), float_bits(y), float_bits(z)))
                    if lane % 4 == 0:  # exactly half a unit below
                        power = numbers.below(60)
                        scale = 2.0 ** (power if op == "div" else -power)
                        other = 2.0 ** (126 - power if op == "div" else power - 126)
                        rows[-1] = (float_bits((1 - 2.0**-24) * (1 if op == "div" else scale)),
                                    float_bits(2.0**126 if op == "div" else other), 0)  # fmt: skip
                count = 3 if op == "fma" else 2
                sources = [("f32", list(column)) for column in list(zip(*rows))[:count]]
                letters = ", ".join(f"%{c}" for c in "abc"[:count])
                made.append(elementwise(FAMILY, name, sources, ["f32"], f"{opcode} %d, {letters};"))
    return made


def nans() -> list[Case]:
    """Which NaN of several does f64 hand on?"""
    made = []
    pool = [c for c in corner_floats("f64") if c << 1 & (1 << 64) - 1 > 0x7FE << 53]
    pool += [0x3FF0000000000000, 0xC008000000000000, 0, 0x7FF0000000000000]
    for op, count in (("add", 2), ("sub", 2), ("mul", 2), ("div", 2), ("fma", 3)):
        name = f"{op}_rn_f64_nan"
        numbers = Numbers(name)
        sources = [("f64", [numbers.pick(pool) for _ in range(192)]) for _ in range(count)]
        letters = ", ".join(f"%{c}" for c in "abc"[:count])
        made.append(elementwise(FAMILY, name, sources, ["f64"], f"{op}.rn.f64 %d, {letters};"))
    return made


def cases() -> list[Case]:
    made = tiny() + nans()
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
