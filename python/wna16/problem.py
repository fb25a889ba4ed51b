"""The description of one weight-only-quantized matrix product.

    y[M, N] = x[M, K] @ dequantize(w)[K, N] + bias[N]
    dequantize: (code - zero) * scale, where zero is data or one number for all

A Problem is immutable and hashable: it is what the cache of kernels is keyed by.
M is known at launch only.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass, fields

from .dtypes import FLOAT16, FLOATS
from .errors import DTypeError, ShapeError, Wna16Error

#: The largest M that kernels are compiled for.
MAX_M = 1 << 20
#: The largest N and K.
MAX_EXTENT = 65535 * 64

#: What stored weights are padded to, along N and, in whole groups, along K.
N_MULTIPLE = 64
K_MULTIPLE = 128
#: Groups are made of the rows of one matrix instruction.
GROUP_MULTIPLE = 16

#: The offset of symmetric codes: half of their range.
SYMMETRIC = -1


@dataclass(frozen=True)
class Verdict:
    """Whether a problem can be compiled; `reason` says why not (None if it can)."""

    ok: bool
    reason: str | None = None

    def __bool__(self) -> bool:
        return self.ok


@dataclass(frozen=True)
class Problem:
    """One layer's matrix product; sizes are in elements.

    Attributes:
        n: columns of the weight (output features).
        k: rows of the weight (input features).
        max_m: number of rows of x (tokens) that compile() makes kernels for; a
            kernel for more rows is compiled by prepare(), or at its first launch.
        bits: width of a weight code, 1 to 8.
        offset: number subtracted from every code; SYMMETRIC means 2^(bits - 1), None
            means zero points, one per group and column.
        group: rows of K that share a scale; -1 means all of them.
        dtype: element type of x, "f16" or "bf16".
        layout: storage of the weight codes.
        scale_layout: storage of the scales.
        zero_layout: storage of the zero points.
        scale_dtype: element type of the scales, "f16" or "bf16"; None: that of x.
        out_dtype: element type of y, "f16", "bf16" or "f32"; None: that of x.
        bias_dtype: element type of the bias, like out_dtype; None: there is none.
    """

    n: int
    k: int
    max_m: int = 16
    bits: int = 4
    offset: int | None = SYMMETRIC
    group: int = 128
    dtype: str = "f16"
    layout: str = "marlin"
    scale_layout: str = "marlin_scales"
    zero_layout: str = "marlin_zeros"
    scale_dtype: str | None = None
    out_dtype: str | None = None
    bias_dtype: str | None = None

    def __post_init__(self) -> None:
        _check_types(self)
        # Equal problems are written alike.
        if self.offset == SYMMETRIC and 1 <= self.bits <= 8:
            object.__setattr__(self, "offset", 1 << (self.bits - 1))
        for name in ("scale_dtype", "out_dtype"):
            if getattr(self, name) is None:
                object.__setattr__(self, name, self.dtype)

    @property
    def has_zeros(self) -> bool:
        return self.offset is None

    @property
    def zero_bits(self) -> int:
        """Width of a stored zero point."""
        return zero_bits(self.bits)

    @property
    def stored_n(self) -> int:
        """Columns of the stored weights, scales, zero points and bias."""
        return _round_up(self.n, N_MULTIPLE)

    @property
    def stored_k(self) -> int:
        """Rows of the stored weights."""
        group = K_MULTIPLE if self.group == -1 else self.group
        whole = group % K_MULTIPLE == 0 or K_MULTIPLE % group == 0
        return _round_up(self.k, math.lcm(group, K_MULTIPLE) if whole else group)

    @property
    def groups(self) -> int:
        """Rows of the stored scales."""
        return 1 if self.group == -1 else self.stored_k // self.group

    def check(self) -> None:
        """Raises ShapeError or DTypeError if this problem cannot be compiled."""
        error = self._first_violation()
        if error is not None:
            raise error

    def _first_violation(self) -> Wna16Error | None:
        return _first_violation(self)


def zero_bits(bits: int) -> int:
    """Width of the zero points that kernels read beside weights of `bits` bits."""
    return 4 if bits <= 4 else 8


def _round_up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple


def supports(problem: Problem) -> Verdict:
    """Whether `problem` can be compiled, and if not, why. Never raises."""
    error = problem._first_violation()
    return Verdict(True) if error is None else Verdict(False, str(error))


def _check_types(problem: Problem) -> None:
    for field in fields(problem):
        value = getattr(problem, field.name)
        kind, _, optional = str(field.type).partition(" | ")
        if optional and value is None:
            continue
        if kind == "str":
            fits, wanted = isinstance(value, str), "a string"
        else:
            number = as_int(value)
            fits = number is not None
            wanted = "an integer or None" if field.name == "offset" else "an integer"
            # The plain number, so that equal problems are written alike.
            object.__setattr__(problem, field.name, number if fits else value)
        if not fits:
            raise DTypeError(
                f"expected {field.name} to be {wanted}, found {value!r} "
                f"of type {type(value).__name__}"
            )


def as_int(value: object) -> int | None:
    """An integer of any library (NumPy's too) as a plain one; None for all else."""
    if isinstance(value, bool):
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


def _other_groups(p: Problem) -> str:
    """What to do about groups that do not divide K."""
    smaller = math.gcd(p.k, p.group) if p.group > 0 else 1
    size = "-1" if smaller % GROUP_MULTIPLE else f"{smaller} or -1"
    text = f"quantize the layer with a group_size such as {size}"
    if p.group > 0 and p.k > p.group:
        text += ", or, if it is a part of one, cut that between groups"
    return text


def _first_violation(p: Problem) -> Wna16Error | None:
    for what, dtype, allowed in (
        ("activations", p.dtype, FLOAT16),
        ("scales", p.scale_dtype, FLOAT16),
        ("outputs", p.out_dtype, FLOATS),
        ("a bias", p.bias_dtype or p.dtype, FLOATS),
    ):
        if dtype not in allowed:
            return DTypeError(
                f"expected {what} of dtype {' or '.join(allowed)}, found {dtype} [PROB1]"
            )
    if not 1 <= p.bits <= 8:
        return DTypeError(f"expected codes of 1 to 8 bits, found {p.bits} [PROB2]")
    if p.offset is not None and not 0 <= p.offset < 1 << p.bits:
        return DTypeError(
            f"expected an offset from 0 to {(1 << p.bits) - 1} for codes of {p.bits} bits, "
            f"or None for zero points, found {p.offset} [PROB2]"
        )
    layouts = (p.layout, p.scale_layout, p.zero_layout)
    if layouts != ("marlin", "marlin_scales", "marlin_zeros"):
        return ShapeError(
            "expected weights in layout marlin, scales in marlin_scales and zero points "
            f"in marlin_zeros, found {', '.join(layouts)}; repack them with wna16.pack "
            "[PROB4]"
        )
    for what, extent, rule in (("N", p.n, "PROB5"), ("K", p.k, "PROB6")):
        if not 1 <= extent <= MAX_EXTENT:
            return ShapeError(
                f"expected {what} between 1 and {MAX_EXTENT}, found {extent} [{rule}]"
            )
    if p.group != -1 and (p.group < 1 or p.group % GROUP_MULTIPLE or p.k % p.group):
        return ShapeError(
            f"expected groups of a multiple of {GROUP_MULTIPLE} rows that divides K "
            f"({p.k}), or -1 for one scale per column, found {p.group}; "
            f"{_other_groups(p)} [PROB3]"
        )
    if not 1 <= p.max_m <= MAX_M:
        return ShapeError(
            f"expected max_m between 1 and {MAX_M}, found {p.max_m} [PROB7]"
        )
    return None
