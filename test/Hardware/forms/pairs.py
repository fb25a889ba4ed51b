"""Every pair of corner values: zeros of both signs, subnormals, limits, infinities, NaN."""

from cases import Case, elementwise, symbol
from values import FORMATS

FAMILY = "pairs"
COMPARISONS = ["eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"]


def pool(kind: str) -> list[int]:
    exponent_bits, m = FORMATS[kind]
    one = ((1 << (exponent_bits - 1)) - 1) << m
    infinity = ((1 << exponent_bits) - 1) << m
    sign = 1 << (exponent_bits + m)
    quiet = infinity | 1 << (m - 1)
    return [0, sign, 1, sign | 1, (1 << m) - 1, sign | 1 << m, one, sign | one, infinity - 1,
            sign | infinity - 1, infinity, sign | infinity, infinity + 1, quiet, sign | quiet | 3,
            sign - 1]  # fmt: skip


def operands(kind: str, count: int) -> list[tuple[str, list[int]]]:
    """256 lanes: all pairs; a third operand runs along with both."""
    half = kind.removesuffix("x2")
    values = pool(half)
    columns = [[values[i % 16] for i in range(256)], [values[i // 16] for i in range(256)],
               [values[(i % 16 * 5 + i // 16 * 3) % 16] for i in range(256)]]  # fmt: skip
    if kind != half:
        bits = 16
        columns = [[low | high << bits for low, high in zip(c, c[17:] + c[:17])] for c in columns]
    return [(kind, column) for column in columns[:count]]


def arithmetic(opcode: str, kind: str, count: int) -> Case:
    name = symbol(opcode) + "_pairs"
    letters = ", ".join(f"%{c}" for c in "abc"[:count])
    return elementwise(FAMILY, name, operands(kind, count), [kind], f"{opcode} %d, {letters};",
                       element=kind.removesuffix("x2"))  # fmt: skip


def cases() -> list[Case]:
    made = []
    for kind in ("f16", "f16x2", "bf16", "bf16x2", "f32", "f64"):
        brain, wide = kind.startswith("b"), kind in ("f32", "f64")
        for ftz in ("",) if brain or kind == "f64" else ("", ".ftz"):
            for op in ("add", "sub", "mul"):
                made.append(arithmetic(f"{op}.rn{ftz}.{kind}", kind, 2))
            if wide:
                made.append(arithmetic(f"div.rn{ftz}.{kind}", kind, 2))
                for rounding in ("rz", "rm", "rp"):
                    made.append(arithmetic(f"add.{rounding}{ftz}.{kind}", kind, 2))
                    made.append(arithmetic(f"mul.{rounding}{ftz}.{kind}", kind, 2))
                    made.append(arithmetic(f"fma.{rounding}{ftz}.{kind}", kind, 3))
            made.append(arithmetic(f"fma.rn{ftz}.{kind}", kind, 3))
            if not wide:
                made.append(arithmetic(f"fma.rn{ftz}.relu.{kind}", kind, 3))
            for op in ("min", "max"):
                for nan in ("",) if kind == "f64" else ("", ".NaN"):
                    for sign in ("",) if kind == "f64" else ("", ".xorsign.abs"):
                        made.append(arithmetic(f"{op}{ftz}{nan}{sign}.{kind}", kind, 2))
            for comparison in COMPARISONS if "x2" not in kind else ():
                opcode = f"setp.{comparison}{ftz}.{kind}"
                body = f"{opcode} %p, %a, %b;\nselp.u32 %d, 1, 0, %p;"
                made.append(elementwise(FAMILY, symbol(opcode) + "_pairs", operands(kind, 2), ["u32"], body))
    return made
