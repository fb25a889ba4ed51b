"""Layers of every integer format: random codes and what they stand for, in NumPy.

The packer is used, the compiler is not.
"""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
from wna16 import Problem, emit, pack
from wna16.dtypes import numpy_dtype

_MAX_M = 1100


def _problem(n: int, k: int, **fields: object) -> Problem:
    return Problem(n=n, k=k, max_m=_MAX_M, **fields)


#: Every width with and without zero points, every kind of group, types that differ, and
#: rows and columns that end anywhere.
PROBLEMS = [
    *(_problem(384, 1024, bits=bits, dtype="bf16" if bits % 2 else "f16") for bits in range(1, 9)),
    *(_problem(256, 512, bits=bits, offset=None, group=64) for bits in range(1, 9)),
    *(_problem(256, 768, group=group) for group in (16, 32, 48, 64, 256, -1)),
    _problem(256, 512, bits=8, offset=None, group=32, dtype="bf16"),
    _problem(512, 1024, dtype="bf16", scale_dtype="f16", bias_dtype="f32"),
    _problem(512, 1024, scale_dtype="bf16", out_dtype="f32", bias_dtype="bf16"),
    _problem(200, 1000, group=-1, offset=None, bias_dtype="f16"),
    _problem(65, 576, group=64, out_dtype="f32"),
    _problem(1, 72, group=-1, bits=5),
]  # fmt: skip


def name_of(problem: Problem) -> str:
    """Of the test and of the folder in a bundle."""
    return emit.kernel_name(problem, problem.max_m)


class FormatLayer:
    """Codes, zero points, scales and bias of a problem, and what to multiply them with.

    Data are "random", or "adversarial": extreme codes, scales over many binades, and x
    over more of them with alternating signs.

    Attributes:
        arrays: w, s, z and bias as a kernel takes them, NumPy; None for absent ones.
        weight, bias: float64, [K, N] and [N], exact.
    """

    def __init__(self, problem: Problem, seed: int = 0, data: str = "random") -> None:
        p, rng = problem, np.random.default_rng(seed)
        group = p.k if p.group == -1 else p.group
        groups, top = -(-p.k // group), 1 << p.bits
        codes = rng.integers(0, top, (p.k, p.n), dtype=np.uint8)
        scales = rng.uniform(0.005, 0.025, (groups, p.n))
        if data == "adversarial":
            codes = np.where(codes < top // 2, 0, top - 1).astype(np.uint8)
            scales *= np.exp2(rng.integers(-6, 3, scales.shape))
        scales = scales.astype(numpy_dtype(p.scale_dtype))
        zeros = rng.integers(0, top, (groups, p.n), dtype=np.uint8)
        bias = rng.standard_normal((1, p.n)).astype(numpy_dtype(p.bias_dtype or "f32"))
        self._data, self._rng = data, rng
        self._set(p, codes, scales, zeros, bias)

    def _set(self, p: Problem, codes, scales, zeros, bias) -> None:
        self.problem, self._parts = p, (codes, scales, zeros, bias)
        groups, rows = len(scales), (p.groups, p.stored_n)
        w = pack.repack_weights(
            codes, p.k, p.n, source="row_major", bits=p.bits,
            target_shape=(p.stored_k, p.stored_n),
        )  # fmt: skip
        s = pack.repack_scales(scales, groups, p.n, source="row_major", target_shape=rows)
        z = None
        if p.has_zeros:
            z = pack.repack_zeros(
                zeros, groups, p.n, source="row_major", bits=p.bits, target_shape=rows
            )
        b = np.pad(bias[0], (0, p.stored_n - p.n)) if p.bias_dtype else None
        self.arrays = (w, s, z, b)

        of_row = np.arange(p.k) // (p.k if p.group == -1 else p.group)
        zero = zeros[of_row].astype(np.float64) if p.has_zeros else float(p.offset)
        self.weight = (codes - zero) * scales[of_row].astype(np.float64)
        self.bias = bias[0].astype(np.float64) if p.bias_dtype else np.zeros(p.n)

    def shard(self, rows: slice, columns: slice) -> FormatLayer:
        """Whole groups of rows, and columns, as a layer of their own."""
        p = replace(
            self.problem, k=rows.stop - rows.start, n=columns.stop - columns.start
        )
        # One group over all of K goes to every shard.
        of = slice(0, 1) if p.group == -1 else slice(rows.start // p.group, rows.stop // p.group)
        codes, scales, zeros, bias = self._parts
        part = copy.copy(self)
        part._set(
            p, codes[rows, columns], scales[of, columns], zeros[of, columns], bias[:, columns]
        )
        return part

    def rows(self, m: int) -> np.ndarray:
        """x with `m` rows; other ones each time."""
        x = self._rng.standard_normal((m, self.problem.k))
        if self._data == "adversarial":
            x = np.sign(x) * np.exp2(self._rng.integers(-10, 6, x.shape))
        return x.astype(numpy_dtype(self.problem.dtype))

    def bound(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The exact result for float64 x, and how far roundings may move it.

        Weights are rounded to x's type, sums to y's; fp32 sums of K products add little.
        """
        half = {"f16": 2.0**-11, "bf16": 2.0**-8, "f32": 2.0**-24}
        exact = x @ self.weight + self.bias
        size = np.abs(x) @ np.abs(self.weight)
        moved = (half[self.problem.dtype] + 4e-6) * size
        return exact, moved + half[self.problem.out_dtype] * (np.abs(exact) + moved) + 1e-6
