"""Layers of mixtures of experts: random stacks, routings, and what a product must give.

NumPy only; the packer and wna16.moe are used, the compiler is not. A bundle takes the
kernels along, so this file is imported without PyTorch too.
"""

from __future__ import annotations

import numpy as np
from formats import FormatLayer
from wna16 import MoeProblem, emit, moe


class MoeLayer:
    """A FormatLayer for each expert.

    Attributes:
        arrays: w, s, z and bias as a kernel takes them, stacked; None for absent ones.
    """

    def __init__(self, problem: MoeProblem, seed: int = 0, data: str = "random") -> None:
        self.problem = problem
        self.experts = [
            FormatLayer(problem, seed=1000 * seed + e, data=data) for e in range(problem.experts)
        ]
        parts = zip(*(expert.arrays for expert in self.experts))
        self.arrays = tuple(None if of[0] is None else np.stack(of) for of in parts)

    def rows(self, tokens: int) -> np.ndarray:
        """x for so many tokens, a row for each of them, or for each slot or position."""
        p = self.problem
        return self.experts[0].rows(tokens if p.x_rows == "token" else tokens * p.top_k)

    def bound(
        self, x: np.ndarray, segments: np.ndarray, slots: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The exact rows of y and how far roundings may move them; NaN where no segment
        writes."""
        p = self.problem
        exact, moved = np.full((2, slots.size, p.n), np.nan)
        row_of_x = {"token": slots // p.top_k, "slot": slots, "position": np.arange(slots.size)}
        row_of_y = {"slot": slots, "position": np.arange(slots.size)}
        for expert, first, count, _ in segments.tolist():
            if count == 0:
                continue
            positions = slice(first, first + count)
            part = x[row_of_x[p.x_rows][positions]].astype(np.float64)
            to = row_of_y[p.y_rows][positions]
            exact[to], moved[to] = self.experts[expert].bound(part)
        return exact, moved


def routing(kind: str, tokens: int, problem: MoeProblem, seed: int = 0) -> np.ndarray:
    """Router ids [tokens, top_k]; those of a token differ.

    "uniform": any experts. "skewed": most tokens to a few. "last": every token's first choice
    is the last expert. "dropped": a third of the slots goes nowhere.
    """
    p, rng = problem, np.random.default_rng(seed)
    weight = np.ones(p.experts)
    if kind == "skewed":
        weight = 1 / np.arange(1, p.experts + 1) ** 1.5
    scores = np.log(weight) + rng.gumbel(size=(tokens, p.experts))
    if kind == "last":
        scores[:, -1] = np.inf
    ids = np.argsort(-scores, axis=1, kind="stable")[:, : p.top_k].astype(np.int32)
    if kind == "dropped":
        ids[rng.random(ids.shape) < 1 / 3] = -1
    return ids


def tables(ids: np.ndarray, problem: MoeProblem) -> tuple[np.ndarray, np.ndarray]:
    """Segments and slots of a routing."""
    return moe.route(ids, experts=problem.experts, segment_rows=problem.segment_rows)


def _case(experts: int, top_k: int, dtype: str, rows: int, by: tuple[str, str]) -> MoeProblem:
    return MoeProblem(
        n=192, k=512, experts=experts, top_k=top_k, dtype=dtype, segment_rows=rows,
        x_rows=by[0], y_rows=by[1], max_m=TOKENS[-1] * top_k,
    )  # fmt: skip


#: Of the tests on a GPU.
TOKENS = (1, 7, 33, 130)
#: Both products of a layer, by segments of every size that is proposed; and zero points, a
#: bias and padded columns.
PROBLEMS = [
    *(
        _case(experts, top_k, dtype, rows, by)
        for experts, top_k, rows_of in ((8, 2, (64, 16)), (60, 4, (16, 8)), (128, 8, (8, 32)))
        for dtype, rows in zip(("f16", "bf16"), rows_of)
        for by in (("token", "position"), ("position", "slot"))
    ),
    MoeProblem(
        n=200, k=512, experts=8, top_k=2, bits=8, offset=None, group=64, bias_dtype="f32",
        segment_rows=16, max_m=TOKENS[-1] * 2,
    ),
]  # fmt: skip


def name_of(problem: MoeProblem) -> str:
    """Of the test and of the folder in a bundle."""
    return emit.kernel_name(problem, problem.max_m)
