"""The description of one product of a mixture of experts.

    y[Y(p), N] = x[X(p), K] @ dequantize(w[e])[K, N] + bias[e, N]

for every position p of every segment, where e is the segment's expert; docs/spec.md,
wna16.moe_gemm, has the meaning of positions, slots and segments.
"""

from __future__ import annotations

from dataclasses import dataclass

from .errors import ShapeError, Wna16Error
from .moe import MAX_EXPERTS, MAX_TOP_K
from .problem import Problem

#: The tallest segments; a segment is one tile of a kernel.
MAX_SEGMENT_ROWS = 256
X_ROWS = ("token", "slot", "position")
Y_ROWS = ("slot", "position")


@dataclass(frozen=True, kw_only=True)
class MoeProblem(Problem):
    """The product of one layer's experts. Weights, scales, zero points and bias are those
    of a Problem for each expert, stacked.

    Attributes, and those of Problem:
        experts: how many there are on this GPU.
        top_k: experts of a token.
        segment_rows: rows of a segment at most; wna16.moe.segment_rows() proposes a number.
        x_rows: a row of x is that of a "token", a "slot" or a "position".
        y_rows: a row of y is that of a "slot" or a "position".

    `max_m` counts slots: tokens * top_k.
    """

    experts: int
    top_k: int
    segment_rows: int = 8
    x_rows: str = "token"
    y_rows: str = "slot"

    def _first_violation(self) -> Wna16Error | None:
        for what, value, most, rule in (
            ("experts", self.experts, MAX_EXPERTS, "PROB8"),
            ("top_k", self.top_k, MAX_TOP_K, "PROB9"),
            ("segment_rows", self.segment_rows, MAX_SEGMENT_ROWS, "PROB10"),
        ):
            if not 1 <= value <= most:
                return ShapeError(
                    f"expected {what} between 1 and {most}, found {value} [{rule}]"
                )
        for what, value, known in (("x", self.x_rows, X_ROWS), ("y", self.y_rows, Y_ROWS)):
            if value not in known:
                return ShapeError(
                    f"expected rows of {what} by {' or '.join(known)}, found {value} [PROB11]"
                )
        return super()._first_violation()
