"""The products of mixtures of experts that are timed; no PyTorch here."""

from __future__ import annotations

from dataclasses import dataclass

from wna16 import MoeProblem, moe

#: Rows of segments that compilers are asked for; which is best depends on tokens.
SEGMENT_ROWS = (8, 16, 32, 64)
TOKENS = (1, 16, 64, 256)
#: What reads of memory reach on an H200, bytes per microsecond.
READ_RATE = 4.55e6


@dataclass(frozen=True)
class MoeGemm:
    """One of the two products of a layer: w13 is by token to position, w2 back to slot."""

    name: str
    n: int
    k: int
    experts: int
    top_k: int

    def problem(self, segment_rows: int, dtype: str = "bf16") -> MoeProblem:
        is_first = self.name.endswith("w13")
        return MoeProblem(
            n=self.n,
            k=self.k,
            experts=self.experts,
            top_k=self.top_k,
            segment_rows=segment_rows,
            x_rows="token" if is_first else "position",
            y_rows="position" if is_first else "slot",
            max_m=TOKENS[-1] * self.top_k,
            dtype=dtype,
        )

    def floor_us(self, tokens: int, busy: float) -> float:
        """Everything once from memory, with `busy` experts."""
        p, slots = self.problem(8), tokens * self.top_k
        weights = p.k * p.bits / 8 + p.groups * 2
        x_rows = tokens if p.x_rows == "token" else slots
        return (busy * p.n * weights + 2 * (x_rows * p.k + slots * p.n)) / READ_RATE


GEMMS = (
    MoeGemm("mixtral.w13", 28672, 4096, 8, 2),
    MoeGemm("mixtral.w2", 4096, 14336, 8, 2),
    MoeGemm("qwen3.w13", 1536, 2048, 128, 8),
    MoeGemm("qwen3.w2", 2048, 768, 128, 8),
    MoeGemm("dsv3.w13", 4096, 7168, 256, 8),
    MoeGemm("dsv3.w2", 7168, 2048, 256, 8),
)


def rows_tried(gemm: MoeGemm, tokens: int) -> list[int]:
    """The proposed rows of segments, and those beside them."""
    at = SEGMENT_ROWS.index(moe.segment_rows(tokens * gemm.top_k, gemm.experts, gemm.top_k))
    return [SEGMENT_ROWS[at], *SEGMENT_ROWS[max(0, at - 1) : at], *SEGMENT_ROWS[at + 1 : at + 2]]
