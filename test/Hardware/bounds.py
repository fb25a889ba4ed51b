"""What the PTX document promises of an approximate function: (exact, least, most) per element.

Results that are no numbers have three NaNs. Where the document promises nothing - f64, angles
beyond 100 pi - the bound is what the hardware keeps, rounded up.
"""

from __future__ import annotations

import math

from cases import WIDTH, Case
from values import FORMATS, decode

NAN = (math.nan, math.nan, math.nan)


def ulp(value: float, kind: str) -> float:
    exponent_bits, mantissa_bits = FORMATS[kind]
    least = 2 - (1 << (exponent_bits - 1))
    _, exponent = math.frexp(value)
    return math.ldexp(1, max(exponent - 1, least) - mantissa_bits)


def smallest_normal(kind: str) -> float:
    exponent_bits, _ = FORMATS[kind]
    return math.ldexp(1, 2 - (1 << (exponent_bits - 1)))


def largest(kind: str) -> float:
    exponent_bits, mantissa_bits = FORMATS[kind]
    return math.ldexp(2 - math.ldexp(1, -mantissa_bits), (1 << (exponent_bits - 1)) - 1)


def power_of_two(x: float) -> float:
    try:
        return 2.0**x
    except OverflowError:
        return math.inf


def logarithm(x: float) -> float:
    return math.nan if x < 0 else -math.inf if x == 0 else math.log2(x)


def reciprocal(x: float) -> float:
    if x == 0:
        return math.copysign(math.inf, x)
    try:
        return 1 / x
    except OverflowError:
        return math.copysign(math.inf, x)


def square_root(x: float) -> float:
    return math.nan if x < 0 else math.sqrt(x)


def exact(function: str, x: float, y: float) -> float:
    if math.isnan(x) or math.isnan(y):
        return math.nan
    if function in ("sin", "cos"):
        return math.nan if math.isinf(x) else getattr(math, function)(x)
    if function == "div":
        if y == 0 or math.isinf(y):
            if x == 0 and y == 0 or math.isinf(x) and math.isinf(y):
                return math.nan
            return math.copysign(math.inf if y == 0 else 0.0, math.copysign(1, x) * math.copysign(1, y))
        return x / y  # f32 in f64: no overflow
    if function == "rsqrt":
        return math.nan if x < 0 else reciprocal(square_root(x))
    return {"ex2": power_of_two, "lg2": logarithm, "rcp": reciprocal, "sqrt": square_root,
            "tanh": math.tanh}[function](x)  # fmt: skip


def error(function: str, x: float, value: float, kind: str) -> float:
    """The promised absolute error of a finite value."""
    size = abs(value)
    if function in ("sin", "cos"):
        if abs(x) <= 2 * math.pi:
            return 2**-20.5
        return 2**-14.7 if abs(x) <= 100 * math.pi else 2.0
    if kind == "f64":  # nothing is promised
        return size * 2**-20
    if function == "ex2":  # f32: of the correctly rounded result
        return {"f32": 2.5 * ulp(value, kind), "f16": size * 2**-9.9, "bf16": size * 2**-7}[kind]
    if function == "lg2":
        return 2**-22 if 0.5 < x < 2 else size * 2**-22
    if function == "tanh":
        return {"f32": size * 2**-11, "f16": 2**-10.987, "bf16": 2**-8}[kind]
    if function == "sqrt":
        return size * 2**-23
    if function == "rsqrt":
        return size * 2**-22.9
    return (1 if function == "rcp" else 2) * ulp(value, kind)


def limits(opcode: str, kind: str, operands: list[float]) -> tuple[float, float, float]:
    function, *modifiers = opcode.split(".")
    flush = "ftz" in modifiers
    tiny = smallest_normal(kind)
    x, y = (math.copysign(0.0, v) if flush and abs(v) < tiny else v for v in (*operands, 1.0)[:2])
    if function == "div" and "approx" in modifiers:
        if 2**126 < abs(y) < math.inf:  # its reciprocal is flushed
            y = math.copysign(math.inf, y)
        elif abs(y) < tiny:  # and here it may be infinite
            if x == 0 or math.isnan(x):
                return NAN if y == 0 or math.isnan(x) else (0.0, -math.inf, math.inf)
            return (math.inf, -math.inf, math.inf)
    value = exact(function, x, y)
    if math.isnan(value):
        return NAN
    if math.isinf(value):
        return (value, value, value)
    reach = error(function, x, value, kind)
    # A result below the smallest number has half a unit of it at least.
    reach = max(reach, ulp(0.0, kind) / 2)
    low, high = value - reach, value + reach
    if high > largest(kind):
        high = math.inf
    if low < -largest(kind):
        low = -math.inf
    if flush and min(abs(low), abs(high)) < tiny:
        low, high = min(low, 0.0), max(high, 0.0)
    return (value, low, high)


def bounds(case: Case) -> list[tuple[float, float, float]]:
    """One triple per element of the answer, in the order of its bytes."""
    columns = []
    # The .ftz functions of f64 look at the upper word only.
    mask = -1 << 32 if case.form.endswith("ftz.f64") else -1
    for kind, values in case.operands:
        parts = WIDTH[kind] // WIDTH[case.element] or 1
        bits = WIDTH[kind] // parts
        columns.append([decode((value & mask) >> (bits * i) & ((1 << bits) - 1), case.element)
                        for value in values for i in range(parts)])  # fmt: skip
    return [limits(case.form, case.element, list(row)) for row in zip(*columns)]
