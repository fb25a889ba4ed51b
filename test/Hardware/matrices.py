"""Matrices of test data and how their elements lie in the registers of a warp."""

from __future__ import annotations

import math

from cases import Numbers
from values import FORMATS, corner_floats, decode, encode

#: What a warp's matrices look like; each case cycles through these.
SCENARIOS = [
    "uniform", "wide", "powers", "cancel", "sticky", "large_c", "small_c", "integers",
    "powers", "denormal", "huge", "special", "sticky", "wide", "same_sign", "zeros",
]  # fmt: skip
#: Of the cases called "any": any bits at all, in half of them few NaN.
ANY_SCENARIOS = ["any", "numbers", "numbers", "numbers"]

ELEMENT_BITS = {"f16": 16, "bf16": 16, "tf32": 32, "e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8,
                "s4": 4, "u4": 4, "b1": 1, "f64": 64}  # fmt: skip


def quantised(value: float, kind: str) -> int:
    limit = {"f16": 65504.0, "e4m3": 448.0, "e5m2": 57344.0}.get(kind)
    if limit:
        value = max(-limit, min(limit, value))
    return encode(value, kind)


def span(kind: str) -> int:
    """Exponents from -span to span are normal in the format."""
    return {"f16": 13, "e4m3": 5, "e5m2": 13, "bf16": 40, "tf32": 40, "f64": 60}[kind]


def element(numbers: Numbers, kind: str, scenario: str) -> int:
    """One element of A or B."""
    if scenario in ("any", "numbers"):
        return any_number(numbers, kind, scenario)
    sign = -1 if numbers.chance(1, 2) else 1
    fraction = 1 + numbers.word() / 2**64
    reach = span(kind)
    if scenario == "wide":
        return quantised(sign * math.ldexp(fraction, numbers.below(min(2 * reach, 24)) - min(reach, 12)), kind)
    if scenario in ("powers", "sticky"):
        spread = min(reach, 16 if scenario == "powers" else 4)
        return quantised(sign * math.ldexp(1, -numbers.below(spread)), kind)
    if scenario == "integers":
        return quantised(numbers.below(17) - 8, kind)
    if scenario == "denormal":
        exponent_bits, m = FORMATS[kind]
        tiny = numbers.word() & ((1 << m) - 1) | numbers.below(2) << (exponent_bits + m)
        if kind == "tf32":
            tiny <<= 13
        return tiny if numbers.chance(2, 3) else quantised(sign * fraction, kind)
    if scenario == "huge":
        top = {"f16": 15, "e4m3": 8, "e5m2": 15, "bf16": 66, "tf32": 66, "f64": 520}[kind]
        return quantised(sign * math.ldexp(fraction, top - numbers.below(4)), kind)
    if scenario == "special" and numbers.chance(1, 24):
        if kind == "tf32":
            return numbers.pick(corner_floats("f32"))
        return numbers.pick(corner_floats(kind))
    if scenario == "same_sign":
        return quantised(fraction, kind)
    if scenario == "zeros":
        return quantised(numbers.pick([0.0, -0.0, 0.0, -0.0, sign * fraction]), kind)
    return quantised(sign * fraction, kind)


def any_number(numbers: Numbers, kind: str, scenario: str) -> int:
    """Any bits; only numbers, unless the scenario is "any"."""
    while True:
        bits = numbers.word() & ((1 << ELEMENT_BITS.get(kind, 32)) - 1)
        if scenario == "any" or math.isfinite(decode(bits, kind)):
            return bits


def accumulator(numbers: Numbers, kind: str, scenario: str) -> int:
    """One element of C, of format f32 or f16."""
    if scenario in ("any", "numbers"):
        return any_number(numbers, kind, scenario)
    sign = -1 if numbers.chance(1, 2) else 1
    value = sign * (1 + numbers.word() / 2**64)
    spread = 24 if kind == "f32" else 10
    if scenario in ("powers", "wide"):
        value = math.ldexp(value if scenario == "wide" else sign, numbers.below(2 * spread) - spread)
    elif scenario == "sticky":
        value = math.ldexp(sign, numbers.below(10) + (16 if kind == "f32" else 4))
    elif scenario == "large_c":
        value = math.ldexp(value, numbers.below(spread))
    elif scenario == "small_c":
        value = math.ldexp(value, -numbers.below(spread))
    elif scenario == "integers":
        value = numbers.below(401) - 200
    elif scenario == "zeros":
        value = numbers.pick([0.0, -0.0])
    elif scenario == "denormal":
        value = math.ldexp(value, -numbers.below(14) - (126 if kind == "f32" else 14))
    elif scenario == "huge":
        value = math.ldexp(value, 127 if kind == "f32" else 15) if numbers.chance(1, 3) else value
    elif scenario == "special" and numbers.chance(1, 16):
        return numbers.pick(corner_floats(kind))
    elif scenario == "same_sign":
        value = abs(value)
    return quantised(value, kind)


def floating(numbers: Numbers, kind: str, result: str, scenario: str, m: int, n: int, k: int):
    """(A rows x k, B k x columns, C rows x columns) as bits."""
    a = [[element(numbers, kind, scenario) for _ in range(k)] for _ in range(m)]
    b = [[element(numbers, kind, scenario) for _ in range(n)] for _ in range(k)]
    c = [[accumulator(numbers, result, scenario) for _ in range(n)] for _ in range(m)]
    if scenario == "cancel":  # neighbouring products are nearly opposite, and C undoes the first
        top = 1 << (ELEMENT_BITS[kind] - 1)
        for row in a:
            for i in range(1, k, 2):
                row[i] = row[i - 1] ^ top ^ (numbers.below(2) << (13 if kind == "tf32" else 0))
        for i in range(1, k, 2):
            b[i] = list(b[i - 1])
        for row in range(m):
            for column in range(n):
                value = -decode(a[row][0], kind) * decode(b[0][column], kind)
                c[row][column] = quantised(value, result)
    return a, b, c


def fragment_a(matrix, k: int, bits: int, registers: int):
    """Register r of lane l of A (16 or 8 rows), row-major fragments of mma."""
    rows = len(matrix)
    per = max(32 // bits, 1)
    out = [[0] * 32 for _ in range(registers)]
    for lane in range(32):
        for r in range(registers):
            row = lane // 4 + (8 * (r & 1) if rows == 16 else 0)
            group = r >> 1 if rows == 16 else r
            for i in range(per):
                column = lane % 4 * per + i + group * 4 * per
                out[r][lane] |= matrix[row][column] << (bits * i)
    return out


def fragment_b(matrix, k: int, bits: int, registers: int):
    """Register r of lane l of B (8 columns)."""
    per = max(32 // bits, 1)
    out = [[0] * 32 for _ in range(registers)]
    for lane in range(32):
        for r in range(registers):
            for i in range(per):
                row = lane % 4 * per + i + r * 4 * per
                out[r][lane] |= matrix[row][lane // 4] << (bits * i)
    return out


def fragment_c(matrix, bits: int):
    """Registers of C and D: two neighbours of a row, 8 rows apart."""
    rows = len(matrix)
    out = []
    for half in range(rows // 8):
        pairs = [[0] * 32 for _ in range(2 if bits >= 32 else 1)]
        for lane in range(32):
            for i in range(2):
                value = matrix[lane // 4 + 8 * half][lane % 4 * 2 + i]
                if bits >= 32:
                    pairs[i][lane] = value
                else:
                    pairs[0][lane] |= value << (bits * i)
        out += pairs
    return out


def matrix_of_c(registers, bits: int, rows: int = 16):
    """The inverse of fragment_c: registers[r][lane] to rows x 8."""
    matrix = [[0] * 8 for _ in range(rows)]
    for half in range(rows // 8):
        for lane in range(32):
            for i in range(2):
                if bits >= 32:
                    value = registers[2 * half + i][lane]
                else:
                    value = registers[half][lane] >> (bits * i) & ((1 << bits) - 1)
                matrix[lane // 4 + 8 * half][lane % 4 * 2 + i] = value
    return matrix
