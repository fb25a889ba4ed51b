"""cvt between every pair of types, in every rounding, with .sat, .ftz, .relu and packing."""

from cases import Case, elementwise, symbol
from values import corner_floats, operands

FAMILY = "convert"
INTEGERS = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"]
FLOATS = ["f16", "bf16", "f32", "f64"]
BITS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
#: Inputs around integers and their limits.
TO_INTEGER = {"f16": "toint16", "bf16": "tointb16", "f32": "toint32", "f64": "toint64"}
LANES = 128


def dotted(*parts: str) -> str:
    return ".".join(p for p in parts if p)


def form(opcode: str, source: str, result: str, count: int = 1) -> Case:
    name = symbol(opcode)
    letters = ", ".join(f"%{c}" for c in "ab"[:count])
    sources = operands(name, [source] * count, LANES)
    return elementwise(FAMILY, name, sources, [result], f"{opcode} %d, {letters};")


def extended(opcode: str, source: str, bits: int, target: str) -> Case:
    """A result of 8 bits: its register has more, which are compared, too."""
    name = symbol(opcode) + f"_r{bits}"
    sources = operands(name, [source], LANES)
    return elementwise(FAMILY, name, sources, [f"b{bits}"], f"{opcode} %d, %a;")


def limits(kind: str) -> tuple[int, int]:
    bits = int(kind[1:])
    return (0, (1 << bits) - 1) if kind[0] == "u" else (-(1 << bits - 1), (1 << bits - 1) - 1)


def fits(source: str, target: str) -> bool:
    (low, high), (least, most) = limits(source), limits(target)
    return least <= low and high <= most


def integer_to_integer() -> list[Case]:
    """.sat is refused where every value fits."""
    made = []
    for target in INTEGERS:
        for source in INTEGERS:
            for sat in ("",) if fits(source, target) else ("", "sat"):
                opcode = dotted("cvt", sat, target, source)
                if target[1:] == "8":
                    made.append(extended(opcode, source, 32, target))
                else:
                    made.append(form(opcode, source, target))
    return made


def integer_to_float() -> list[Case]:
    made = []
    for target in FLOATS:
        for source in INTEGERS[2:] if target == "bf16" else INTEGERS:
            kind = {"32": "tie32", "64": "tie64"}.get(source[1:], source)
            for rounding in ("rn", "rz", "rm", "rp"):
                made.append(form(f"cvt.{rounding}.{target}.{source}", kind, target))
            if target != "bf16":
                made.append(form(f"cvt.rn.sat.{target}.{source}", kind, target))
    return made


def float_to_integer() -> list[Case]:
    made = []
    for source in FLOATS:
        for target in INTEGERS[2:] if source == "bf16" else INTEGERS:
            for rounding in ("rni", "rzi", "rmi", "rpi"):
                for ftz in ("", "ftz") if source == "f32" else ("",):
                    opcode = dotted("cvt", rounding, ftz, target, source)
                    if ftz and rounding in ("rmi", "rzi"):
                        continue
                    if target[1:] == "8":
                        made.append(extended(opcode, TO_INTEGER[source], 32, target))
                    else:
                        made.append(form(opcode, TO_INTEGER[source], target))
            if source == "bf16":
                continue
            opcode = f"cvt.rzi.sat.{target}.{source}"
            if target[1:] == "8":
                made.append(extended(opcode, TO_INTEGER[source], 32, target))
            else:
                made.append(form(opcode, TO_INTEGER[source], target))
    return made


def tails(target: str, source: str) -> list[str]:
    """.sat is not for bf16, .ftz for f32 on either side only."""
    sat = [] if "bf16" in (target, source) else ["sat"]
    ftz = ["ftz"] if "f32" in (target, source) else []
    return ["", *sat, *ftz, *(["ftz.sat"] if sat and ftz else [])]


def float_to_float() -> list[Case]:
    made = []
    widening = [("f32", "f16"), ("f64", "f16"), ("f64", "f32"), ("f32", "bf16"), ("f64", "bf16")]
    for target, source in widening:
        for tail in tails(target, source):
            made.append(form(dotted("cvt", tail, target, source), source, target))
    narrowing = [("f16", "f32"), ("f16", "f64"), ("f32", "f64"), ("bf16", "f32"), ("bf16", "f64"),
                 ("bf16", "f16"), ("f16", "bf16")]  # fmt: skip
    for target, source in narrowing:
        kind = "tonarrow32" if source == "f32" else source
        for rounding in ("rn", "rz", "rm", "rp"):
            for tail in tails(target, source):
                made.append(form(dotted("cvt", rounding, tail, target, source), kind, target))
    for kind in FLOATS:  # rounding to an integer in the same format
        for rounding in ("rni", "rzi", "rmi", "rpi"):
            for tail in tails(kind, kind):
                opcode = dotted("cvt", rounding, tail, kind, kind)
                made.append(form(opcode, TO_INTEGER[kind], kind))
        for tail in tails(kind, kind):
            made.append(form(dotted("cvt", tail, kind, kind), kind, kind))
    for target in ("f16", "bf16"):
        for rounding in ("rn", "rz"):
            for tail in ("", "relu", "satfinite", "relu.satfinite"):
                if tail:
                    made.append(form(dotted("cvt", rounding, tail, target, "f32"), "tonarrow32", target))
                opcode = dotted("cvt", rounding, tail, target + "x2", "f32")
                made.append(form(opcode, "tonarrow32", target + "x2", 2))
    for rounding in ("rna", "rn", "rz"):
        for tail in ("", "satfinite") if rounding == "rna" else ("", "relu"):
            made.append(form(dotted("cvt", rounding, tail, "tf32.f32"), "tonarrow32", "b32"))
    for narrow in ("e4m3x2", "e5m2x2"):
        for relu in ("", "relu"):
            made.append(form(dotted("cvt.rn.satfinite", relu, narrow, "f32"), "tonarrow32", narrow, 2))
            made.append(form(dotted("cvt.rn.satfinite", relu, narrow, "f16x2"), "f16x2", narrow))
            made.append(form(dotted("cvt.rn", relu, "f16x2", narrow), narrow, "f16x2"))
    return made


def packs() -> list[Case]:
    made = []
    for target in ("u16", "s16"):
        name = f"cvt_pack_sat_{target}_s32_b32"
        made.append(
            elementwise(FAMILY, name, operands(name, ["s32", "s32"], LANES), ["b32"],
                        f"cvt.pack.sat.{target}.s32 %d, %a, %b;")
        )  # fmt: skip
    for target in ("u8", "s8", "u4", "s4", "u2", "s2"):
        name = f"cvt_pack_sat_{target}_s32_b32"
        made.append(
            elementwise(FAMILY, name, operands(name, ["s32", "s32", "b32"], LANES), ["b32"],
                        f"cvt.pack.sat.{target}.s32.b32 %d, %a, %b, %c;")
        )  # fmt: skip
    return made


def corners() -> list[Case]:
    """Conversions of NaN, infinities, limits and subnormals."""
    made = []
    opcodes = ["cvt.rn.tf32.f32", "cvt.rz.tf32.f32", "cvt.rna.tf32.f32", "cvt.rna.satfinite.tf32.f32",
               "cvt.rn.relu.tf32.f32", "cvt.rz.relu.tf32.f32", "cvt.rn.f16.f32", "cvt.rn.bf16.f32",
               "cvt.rn.relu.f16.f32", "cvt.rn.satfinite.bf16.f32", "cvt.rni.f32.f32",
               "cvt.rzi.ftz.f32.f32", "cvt.f64.f32", "cvt.ftz.f64.f32", "cvt.rni.s64.f32",
               "cvt.rzi.u32.f32", "cvt.rm.ftz.f16.f32", "cvt.rp.ftz.bf16.f32"]  # fmt: skip
    for opcode in opcodes:
        target = opcode.split(".")[-2]
        result = "b32" if target == "tf32" else target
        name = symbol(opcode) + "_corners"
        column = corner_floats("f32") + [c ^ 0x2000 for c in corner_floats("f32")]
        column += [0] * (-len(column) % 32)
        made.append(elementwise(FAMILY, name, [("f32", column)], [result], f"{opcode} %d, %a;"))
    for opcode in ("cvt.rn.f32.f64", "cvt.rn.ftz.f32.f64", "cvt.rp.f16.f64", "cvt.rn.bf16.f64",
                   "cvt.rni.f64.f64", "cvt.rni.s32.f64"):  # fmt: skip
        name = symbol(opcode) + "_corners"
        column = corner_floats("f64")
        column += [0] * (-len(column) % 32)
        made.append(elementwise(FAMILY, name, [("f64", column)], [opcode.split(".")[-2]],
                                f"{opcode} %d, %a;"))  # fmt: skip
    return made


def cases() -> list[Case]:
    made = corners() + integer_to_integer() + integer_to_float() + float_to_integer()
    return made + float_to_float() + packs()
