"""Operand values: corner cases, random bits, values near ties and near each other."""

from __future__ import annotations

import math
import struct
from fractions import Fraction

from cases import LANES, WIDTH, Numbers

#: (exponent bits, mantissa bits) of the formats of the instruction set.
FORMATS = {
    "f64": (11, 52), "f32": (8, 23), "tf32": (8, 10), "f16": (5, 10), "bf16": (8, 7),
    "e4m3": (4, 3), "e5m2": (5, 2),
}  # fmt: skip


def float_bits(value: float) -> int:
    return struct.unpack("<I", struct.pack("<f", value))[0]


def bits_float(bits: int) -> float:
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def double_bits(value: float) -> int:
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def bits_double(bits: int) -> float:
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def decode(bits: int, kind: str) -> float:
    """The value of a float of any format; exact."""
    exponent_bits, mantissa_bits = FORMATS[kind]
    if kind == "tf32":  # the low 13 bits of a 32-bit register are ignored
        bits >>= 13
    sign = -1.0 if bits >> (exponent_bits + mantissa_bits) & 1 else 1.0
    exponent = bits >> mantissa_bits & ((1 << exponent_bits) - 1)
    fraction = bits & ((1 << mantissa_bits) - 1)
    bias = (1 << (exponent_bits - 1)) - 1
    if kind == "e4m3":
        if exponent == 15 and fraction == 7:
            return math.nan
    elif exponent == (1 << exponent_bits) - 1:
        return math.nan if fraction else sign * math.inf
    if exponent == 0:
        return sign * math.ldexp(fraction, 1 - bias - mantissa_bits)
    return sign * math.ldexp(fraction | 1 << mantissa_bits, exponent - bias - mantissa_bits)


def encode(value: float, kind: str) -> int:
    """Towards zero into a format (used to make inputs, not to check results)."""
    exponent_bits, mantissa_bits = FORMATS[kind]
    bias = (1 << (exponent_bits - 1)) - 1
    sign = 1 << (exponent_bits + mantissa_bits) if math.copysign(1, value) < 0 else 0
    magnitude = abs(value)
    top = ((1 << exponent_bits) - 1) << mantissa_bits
    if math.isnan(value):
        return top | 1 << (mantissa_bits - 1)
    if math.isinf(value):
        return sign | top
    if magnitude == 0:
        return sign
    _, e = math.frexp(magnitude)
    e = max(e - 1, 1 - bias)
    fraction = int(math.ldexp(magnitude, mantissa_bits - e))
    field = e + bias if fraction >> mantissa_bits else 0
    bits = (field << mantissa_bits) + (fraction & ((1 << mantissa_bits) - 1))
    bits = sign | min(bits, 0x7E if kind == "e4m3" else top - 1)
    return bits << 13 if kind == "tf32" else bits


def integers(numbers: Numbers, bits: int) -> int:
    mask = (1 << bits) - 1
    choice = numbers.below(8)
    if choice < 2:
        half = 1 << (bits - 1)
        corner = [0, 1, 2, 3, 7, 8, half - 1, half - 2, half, half + 1, mask, mask - 1]
        corner += [0x5555555555555555 & mask, 0xAAAAAAAAAAAAAAAA & mask, half >> 1, bits]
        return numbers.pick(corner)
    if choice < 4:
        return numbers.word() & mask
    if choice < 6:  # any length, either sign
        value = numbers.word() >> (64 - 1 - numbers.below(bits))
        return (-value if numbers.chance(1, 2) else value) & mask
    power = 1 << numbers.below(bits)
    return (numbers.pick([1, -1]) * power + numbers.pick([-1, 0, 1])) & mask


def ties(numbers: Numbers, bits: int) -> int:
    """Integers near the middle between two floats."""
    precision = numbers.pick([8, 11, 24, 53])
    length = numbers.below(bits) + 1
    value = numbers.word() >> (64 - length) | 1 << (length - 1)
    if length > precision:
        rest = length - precision
        value = value >> rest << rest
        value += (1 << (rest - 1)) + numbers.pick([-1, 0, 0, 1])
    return (-value if numbers.chance(1, 4) else value) & ((1 << bits) - 1)


def corner_floats(kind: str) -> list[int]:
    exponent_bits, m = FORMATS[kind]
    bias = (1 << (exponent_bits - 1)) - 1
    one = bias << m
    infinity = ((1 << exponent_bits) - 1) << m
    sign = 1 << (exponent_bits + m)
    corner = [0, 1, 2, (1 << m) - 1, 1 << m, (1 << m) + 1, 2 << m, one, one + 1, one - 1]
    corner += [one + (1 << m), one + (1 << (m - 1)), one - (1 << m), one - (1 << m) + 1]
    corner += [one + (1 << m) + (1 << (m - 2)), infinity - 1, infinity - 2, infinity - (1 << m)]
    corner += [infinity, infinity, infinity + (1 << (m - 1)), infinity + 1]
    corner += [infinity + (1 << (m - 1)) + 5, infinity + (1 << m) - 1]
    return [c & (sign - 1) for c in corner] + [(c & (sign - 1)) | sign for c in corner]


def floats(numbers: Numbers, kind: str) -> int:
    exponent_bits, m = FORMATS[kind]
    total = 1 + exponent_bits + m
    mask = (1 << total) - 1
    choice = numbers.below(8)
    if choice < 2:
        return numbers.pick(corner_floats(kind))
    if choice < 4:
        return numbers.word() & mask
    bias = (1 << (exponent_bits - 1)) - 1
    sign = numbers.below(2) << (total - 1)
    if choice < 6:  # near one, few bits of mantissa
        exponent = bias + numbers.below(7) - 3
        fraction = numbers.word() & ((1 << m) - 1)
        keep = numbers.below(m + 1)
        return sign | exponent << m | (fraction >> keep << keep)
    exponent = min(max(bias + numbers.below(2 * m + 8) - m - 4, 0), 2 * bias)
    return sign | exponent << m | (numbers.word() & ((1 << m) - 1))


def near(numbers: Numbers, kind: str, other: int) -> int:
    """A value related to another one: equal, negated, a few units apart, close exponent."""
    exponent_bits, m = FORMATS[kind]
    total = 1 + exponent_bits + m
    mask = (1 << total) - 1
    choice = numbers.below(4)
    if choice == 0:
        return other ^ (numbers.below(2) << (total - 1))
    if choice == 1:
        return (other + numbers.below(7) - 3 ^ (numbers.below(2) << (total - 1))) & mask
    exponent = (other >> m & ((1 << exponent_bits) - 1)) + numbers.below(2 * m + 6) - m - 3
    exponent = min(max(exponent, 0), (1 << exponent_bits) - 2)
    return numbers.below(2) << (total - 1) | exponent << m | (numbers.word() & ((1 << m) - 1))


def to_integer(numbers: Numbers, kind: str) -> int:
    """Floats near integers, halves of integers and the limits of integer types."""
    if numbers.chance(1, 4):
        return floats(numbers, kind)
    choice = numbers.below(3)
    if choice == 0:
        value = numbers.below(1 << numbers.pick([3, 7, 9, 12])) + numbers.pick([0, 0.25, 0.5, 0.75])
    elif choice == 1:
        value = math.ldexp(1, numbers.pick([7, 8, 15, 16, 31, 32, 63, 64]))
        value += numbers.pick([0, -1, 1, -0.5, 0.5, -1.5, -2, -256])
    else:
        value = math.ldexp(numbers.word() / 2**64, numbers.below(68))
    bits = encode(-value if numbers.chance(1, 2) else value, kind)
    return bits if numbers.chance(2, 3) else max(bits - 1, 0)


def to_narrow(numbers: Numbers, kind: str) -> int:
    """Floats near the middle between two values of a narrower format."""
    if numbers.chance(1, 4):
        return floats(numbers, kind)
    narrow = numbers.pick(["f16", "bf16", "e4m3", "e5m2", "f32" if kind == "f64" else "f16"])
    if kind == "f16":
        narrow = numbers.pick(["e4m3", "e5m2"])
    exponent_bits, m = FORMATS[narrow]
    bits = numbers.word() & ((1 << (exponent_bits + m)) - 1)
    low, high = decode(bits, narrow), decode(bits + 1, narrow)
    if not (math.isfinite(low) and math.isfinite(high)):
        bits = encode(448.0, "e4m3") if narrow == "e4m3" else (((1 << exponent_bits) - 1) << m) - 1
        low = decode(bits, narrow)
        high = low + (low - decode(bits - 1, narrow))
    middle = numbers.pick([low, (low + high) / 2, (low + high) / 2, low + (high - low) / 4])
    result = encode(middle, kind) + numbers.pick([0, 0, 1, -1])
    sign = numbers.below(2) << (sum(FORMATS[kind]))
    return (max(result, 0) | sign) & ((1 << WIDTH[kind]) - 1)


def moderate(numbers: Numbers, kind: str, low: int = -8, high: int = 8) -> int:
    """Any mantissa, exponents from low to high; now and then a corner."""
    if numbers.chance(1, 8):
        return numbers.pick(corner_floats(kind))
    exponent_bits, m = FORMATS[kind]
    bias = (1 << (exponent_bits - 1)) - 1
    exponent = min(max(bias + low + numbers.below(high - low + 1), 0), 2 * bias)
    sign = numbers.below(2) << (exponent_bits + m)
    return sign | exponent << m | (numbers.word() & ((1 << m) - 1))


def angle(numbers: Numbers) -> int:
    """Floats for sin and cos: most in [-pi, pi], some larger, some corners."""
    choice = numbers.below(8)
    if choice == 0:
        return numbers.pick(corner_floats("f32"))
    scale = math.pi if choice < 6 else 100.0
    value = (numbers.word() / 2**63 - 1) * scale
    if choice == 5:
        value = numbers.pick([-2, -1.5, -1, -0.5, 0.5, 1, 1.5, 2]) * math.pi
    return float_bits(value)


def amounts(numbers: Numbers) -> int:
    """Shift distances, also beyond the width."""
    choice = numbers.below(8)
    if choice < 5:
        return numbers.below(70)
    if choice == 5:
        return numbers.pick([15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256, 0])
    if choice == 6:
        return numbers.word() & 0xFFFFFFFF
    return numbers.pick([1 << 31, 0xFFFFFFFF, 1 << 16, 1 << 8, 0x10001, 0x100])


def one(numbers: Numbers, kind: str) -> int:
    """One value of a kind."""
    if kind in ("f16x2", "bf16x2", "e4m3x2", "e5m2x2"):
        half = kind[:-2]
        return one(numbers, half) | one(numbers, half) << WIDTH[half]
    if kind in ("u16x2", "s16x2"):
        return integers(numbers, 16) | integers(numbers, 16) << 16
    if kind in ("moderate16x2", "moderateb16x2"):
        return one(numbers, kind[:-2]) | one(numbers, kind[:-2]) << 16
    if kind in ("e4m3", "e5m2"):
        return numbers.below(256)
    if kind == "tf32":
        return floats(numbers, "f32")
    if kind in FORMATS:
        return floats(numbers, kind)
    if kind == "amount":
        return amounts(numbers)
    if kind == "bitpos":
        return numbers.below(40) if numbers.chance(3, 4) else amounts(numbers)
    if kind == "selector":
        return numbers.word() & (0x7777 if numbers.chance(1, 2) else 0xFFFFFFFF)
    if kind == "bool":
        return numbers.below(2)
    if kind == "tonarrow32":
        return to_narrow(numbers, "f32")
    if kind in ("toint16", "tointb16", "toint32", "toint64"):
        return to_integer(
            numbers, {"toint16": "f16", "tointb16": "bf16", "toint32": "f32", "toint64": "f64"}[kind]
        )
    if kind == "angle":
        return angle(numbers)
    if kind == "moderate":
        return moderate(numbers, "f32", -24, 7)
    if kind == "moderate16":
        return moderate(numbers, "f16", -14, 5)
    if kind == "moderateb16":
        return moderate(numbers, "bf16", -14, 7)
    if kind == "positive":
        return floats(numbers, "f32") & (0x7FFFFFFF if numbers.chance(7, 8) else 0xFFFFFFFF)
    if kind == "unit32":
        return numbers.below(0x3F800001)
    if kind in ("tie32", "tie64"):
        return ties(numbers, WIDTH[kind]) if numbers.chance(3, 4) else integers(numbers, WIDTH[kind])
    return integers(numbers, WIDTH[kind])


def values(name: str, kind: str, lanes: int = LANES) -> list[int]:
    numbers = Numbers(f"{name} {kind}")
    return [one(numbers, kind) for _ in range(lanes)]


def operands(name: str, kinds: list[str], lanes: int = LANES) -> list[tuple[str, list[int]]]:
    """Values of several operands; a third of the lanes relate them to each other."""
    numbers = Numbers(f"{name} {' '.join(kinds)}")
    columns = [[] for _ in kinds]
    for _ in range(lanes):
        row = []
        for kind in kinds:
            value = one(numbers, kind)
            if row and kind == kinds[0] and numbers.chance(1, 3):
                value = related(numbers, kind, row[0])
            row.append(value)
        if len(kinds) == 3 and len(set(kinds)) == 1 and numbers.chance(1, 3):
            row[2] = cancelling(numbers, kinds[0], row[0], row[1], row[2])
        for column, value in zip(columns, row):
            column.append(value)
    return list(zip(kinds, columns))


def related(numbers: Numbers, kind: str, other: int) -> int:
    if kind in ("f16x2", "bf16x2"):
        return near(numbers, kind[:-2], other & 0xFFFF) | near(numbers, kind[:-2], other >> 16) << 16
    if kind in ("f16", "bf16", "f32", "f64"):
        return near(numbers, kind, other)
    if kind in FORMATS or WIDTH[kind] == 8 or not kind[0] in "bus":
        return other
    mask = (1 << WIDTH[kind]) - 1
    return (numbers.pick([1, -1]) * other + numbers.below(3) - 1) & mask


def cancelling(numbers: Numbers, kind: str, a: int, b: int, c: int) -> int:
    """-(a * b) rounded, or near it: what is left shows a fused multiply-add."""
    if kind in ("f16x2", "bf16x2"):
        low = cancelling(numbers, kind[:-2], a & 0xFFFF, b & 0xFFFF, c & 0xFFFF)
        return low | cancelling(numbers, kind[:-2], a >> 16, b >> 16, c >> 16) << 16
    if kind not in ("f16", "bf16", "f32", "f64"):
        return c
    x, y = decode(a, kind), decode(b, kind)
    if not (math.isfinite(x) and math.isfinite(y)):
        return c
    try:
        product = float(-Fraction(x) * Fraction(y))
    except OverflowError:
        return c
    if math.isinf(product):
        return c
    return (encode(product, kind) + numbers.pick([0, 0, 1, -1])) & ((1 << WIDTH[kind]) - 1)
