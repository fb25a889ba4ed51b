"""The description of one weight-only-quantized matrix product.

    y[M, N] = x[M, K] @ dequantize(w)[K, N],   dequantize: (code - offset) * scale

A Problem is immutable and hashable: it is what the cache of kernels is keyed by.
M is known at launch only.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, fields

from .dtypes import FLOAT16
from .errors import DTypeError, ShapeError, Wna16Error

#: The largest M that kernels are compiled for.
MAX_M = 1 << 20

N_MULTIPLE = 64
K_MULTIPLE = 128


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
        bits: width of a weight code.
        offset: number subtracted from a code; None means explicit zero points.
        group: rows of K that share a scale.
        dtype: element type of x, scales and y, "f16" or "bf16".
        layout: storage of the weight codes.
        scale_layout: storage of the scales.
    """

    n: int
    k: int
    max_m: int = 16
    bits: int = 4
    offset: int | None = 8
    group: int = 128
    dtype: str = "f16"
    layout: str = "marlin"
    scale_layout: str = "marlin_scales"

    def __post_init__(self) -> None:
        _check_types(self)

    @property
    def groups(self) -> int:
        """Number of scale rows, K / group."""
        return self.k // self.group

    def check(self) -> None:
        """Raises ShapeError or DTypeError if this problem cannot be compiled."""
        error = _first_violation(self)
        if error is not None:
            raise error


def supports(problem: Problem) -> Verdict:
    """Whether `problem` can be compiled, and if not, why. Never raises."""
    error = _first_violation(problem)
    return Verdict(True) if error is None else Verdict(False, str(error))


def _check_types(problem: Problem) -> None:
    for field in fields(problem):
        value = getattr(problem, field.name)
        if field.name in ("dtype", "layout", "scale_layout"):
            fits, wanted = isinstance(value, str), "a string"
        elif field.name == "offset" and value is None:
            continue
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


def _first_violation(p: Problem) -> Wna16Error | None:
    if p.dtype not in FLOAT16:
        return DTypeError(
            f"expected activations of dtype {' or '.join(FLOAT16)}, found {p.dtype} [PROB1]"
        )
    if p.bits != 4 or p.offset != 8:
        return DTypeError(
            "expected 4-bit symmetric codes (bits = 4, offset = 8), found "
            f"bits = {p.bits}, offset = {p.offset} [PROB2]"
        )
    if p.group != 128:
        return ShapeError(
            f"expected groups of 128 rows of K, found {p.group}; "
            "quantize the layer with group_size 128 [PROB3]"
        )
    if p.layout != "marlin" or p.scale_layout != "marlin_scales":
        return ShapeError(
            "expected weights in layout marlin and scales in marlin_scales, found "
            f"{p.layout} and {p.scale_layout}; repack them with wna16.pack [PROB4]"
        )
    if p.n <= 0 or p.n % N_MULTIPLE:
        return ShapeError(
            f"expected N to be a positive multiple of {N_MULTIPLE}, found {p.n} [PROB5]"
        )
    if p.k <= 0 or p.k % K_MULTIPLE:
        return ShapeError(
            f"expected K to be a positive multiple of {K_MULTIPLE}, found {p.k} [PROB6]"
        )
    if not 1 <= p.max_m <= MAX_M:
        return ShapeError(
            f"expected max_m between 1 and {MAX_M}, found {p.max_m} [PROB7]"
        )
    return None
