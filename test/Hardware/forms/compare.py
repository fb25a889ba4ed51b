"""setp, set, selp, slct with every comparison and type."""

from cases import Case, elementwise
from values import operands

FAMILY = "compare"
EQUALITY = ["eq", "ne"]
SIGNED = [*EQUALITY, "lt", "le", "gt", "ge"]
UNSIGNED = [*SIGNED, "lo", "ls", "hi", "hs"]
FLOAT = [*SIGNED, "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"]
COMPARISONS = {
    "b16": EQUALITY, "b32": EQUALITY, "b64": EQUALITY,
    "u16": UNSIGNED, "u32": UNSIGNED, "u64": UNSIGNED,
    "s16": SIGNED, "s32": SIGNED, "s64": SIGNED,
    "f16": FLOAT, "bf16": FLOAT, "f32": FLOAT, "f64": FLOAT,
}  # fmt: skip
LANES = 128


def results(kind: str) -> tuple[str, str]:
    """Destinations and what makes one word of them; f16 and bf16 have one only."""
    if kind in ("f16", "bf16"):
        return "%p", "selp.u32 %d, 1, 0, %p;"
    return "%p|%q", "selp.u32 %d, 1, 0, %p;\n@%q add.u32 %d, %d, 2;"


def setp(comparison: str, kind: str, ftz: str = "") -> Case:
    name = f"setp_{comparison}_{ftz}{kind}"
    to, tail = results(kind)
    body = f"setp.{comparison}.{ftz + '.' if ftz else ''}{kind} {to}, %a, %b;\n{tail}"
    return elementwise(FAMILY, name, operands(name, [kind, kind], LANES), ["u32"], body)


def combined(comparison: str, combine: str, kind: str) -> Case:
    name = f"setp_{comparison}_{combine}_{kind}"
    to, tail = results(kind)
    body = f"setp.ne.u32 %u, %c, 0;\nsetp.{comparison}.{combine}.{kind} {to}, %a, %b, !%u;\n{tail}"
    return elementwise(FAMILY, name, operands(name, [kind, kind, "bool"], LANES), ["u32"], body)


def set_form(comparison: str, result: str, kind: str, ftz: str = "") -> Case:
    name = f"set_{comparison}_{ftz}{result}_{kind}"
    body = f"set.{comparison}.{ftz + '.' if ftz else ''}{result}.{kind} %d, %a, %b;"
    return elementwise(FAMILY, name, operands(name, [kind, kind], LANES), [result], body)


def cases() -> list[Case]:
    made = []
    for kind, comparisons in COMPARISONS.items():
        for comparison in comparisons:
            made.append(setp(comparison, kind))
            if kind in ("f16", "f32"):
                made.append(setp(comparison, kind, "ftz"))
    for combine in ("and", "or", "xor"):
        for comparison, kind in (("lt", "s32"), ("ge", "f32"), ("ne", "u64"), ("gtu", "f16")):
            made.append(combined(comparison, combine, kind))
    for comparison in FLOAT:
        made.append(setp(comparison, "f16x2", ""))
        made.append(setp(comparison, "f16x2", "ftz"))
        made.append(setp(comparison, "bf16x2", ""))
    for result in ("u32", "s32", "f32"):
        for kind, comparison in (
            ("b16", "ne"), ("u16", "hs"), ("s16", "lt"), ("b32", "eq"), ("u32", "lo"), ("s32", "ge"),
            ("b64", "ne"), ("u64", "ls"), ("s64", "gt"), ("f32", "leu"), ("f32", "num"),
            ("f64", "ltu"), ("f64", "nan"),
        ):  # fmt: skip
            made.append(set_form(comparison, result, kind))
    for result, kind in (("f16", "f16"), ("u16", "f16"), ("s16", "f16"), ("u32", "f16"),
                         ("f16", "f32"), ("f16", "s32"), ("f16x2", "f16x2"), ("u32", "f16x2"),
                         ("bf16", "bf16"), ("u16", "bf16"), ("bf16x2", "bf16x2"),
                         ("s32", "bf16x2")):  # fmt: skip
        made.append(set_form("lt", result, kind))
        made.append(set_form("neu", result, kind) if kind != "s32" else set_form("ne", result, kind))
        if kind in ("f16", "f16x2", "f32"):
            made.append(set_form("ge", result, kind, "ftz"))
    for kind in ("b16", "u16", "s16", "b32", "u32", "s32", "b64", "u64", "s64", "f32", "f64"):
        name = f"selp_{kind}"
        body = f"setp.ne.u32 %p, %c, 0;\nselp.{kind} %d, %a, %b, %p;"
        sources = operands(name, [kind, kind, "bool"], 64)
        made.append(elementwise(FAMILY, name, sources, [kind], body))
        name = f"slct_{kind}_s32"
        body = f"slct.{kind}.s32 %d, %a, %b, %c;"
        made.append(
            elementwise(FAMILY, name, operands(name, [kind, kind, "s32"], LANES), [kind], body)
        )
        for ftz in ("", "ftz."):
            name = f"slct_{ftz.replace('.', '_')}{kind}_f32"
            body = f"slct.{ftz}{kind}.f32 %d, %a, %b, %c;"
            sources = operands(name, [kind, kind, "f32"], LANES)
            made.append(elementwise(FAMILY, name, sources, [kind], body))
    return made
