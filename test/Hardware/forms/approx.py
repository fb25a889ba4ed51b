"""Functions that the PTX document bounds but does not define to the last bit."""

from cases import Case, elementwise, symbol
from values import operands

FAMILY = "approx"

#: (function, opcode suffixes, input kind, result kind); the function names the bound.
FORMS = [
    ("ex2", ["approx.f32", "approx.ftz.f32"], "moderate", "f32"),
    ("ex2", ["approx.f16"], "moderate16", "f16"),
    ("ex2", ["approx.f16x2"], "moderate16x2", "f16x2"),
    ("ex2", ["approx.ftz.bf16"], "moderateb16", "bf16"),
    ("ex2", ["approx.ftz.bf16x2"], "moderateb16x2", "bf16x2"),
    ("lg2", ["approx.f32", "approx.ftz.f32"], "positive", "f32"),
    ("rcp", ["approx.f32", "approx.ftz.f32"], "f32", "f32"),
    ("rcp", ["approx.ftz.f64"], "f64", "f64"),
    ("rsqrt", ["approx.f32", "approx.ftz.f32"], "positive", "f32"),
    ("rsqrt", ["approx.f64", "approx.ftz.f64"], "f64", "f64"),
    ("sqrt", ["approx.f32", "approx.ftz.f32"], "positive", "f32"),
    ("sin", ["approx.f32", "approx.ftz.f32"], "angle", "f32"),
    ("cos", ["approx.f32", "approx.ftz.f32"], "angle", "f32"),
    ("tanh", ["approx.f32"], "moderate", "f32"),
    ("tanh", ["approx.f16"], "moderate16", "f16"),
    ("tanh", ["approx.f16x2"], "moderate16x2", "f16x2"),
    ("tanh", ["approx.bf16"], "moderateb16", "bf16"),
    ("tanh", ["approx.bf16x2"], "moderateb16x2", "bf16x2"),
    ("div", ["approx.f32", "approx.ftz.f32", "full.f32", "full.ftz.f32"], "f32", "f32"),
]
LANES = 512


def cases() -> list[Case]:
    made = []
    for function, suffixes, kind, result in FORMS:
        for suffix in suffixes:
            opcode = f"{function}.{suffix}"
            name = symbol(opcode)
            count = 2 if function == "div" else 1
            body = f"{opcode} %d, %a{', %b' if count == 2 else ''};"
            made.append(
                elementwise(FAMILY, name, operands(name, [kind] * count, LANES), [result], body,
                            "bound", opcode, result.removesuffix("x2"))
            )  # fmt: skip
    return made
