"""The kernels of a MoeProblem: what users call to multiply by a mixture of experts."""

from __future__ import annotations

from typing import Any

from .api import Kernel
from .errors import DTypeError, ShapeError
from .moe_problem import MoeProblem


class MoeKernel(Kernel):
    """A compiled MoeProblem; call it with x, stacked arrays of packed layers and the tables
    of a routing to get y. Like a Kernel in all else.
    """

    problem: MoeProblem  # type: ignore[assignment]

    def __call__(  # type: ignore[override]
        self,
        x: Any,
        w: Any,
        s: Any,
        segments: Any,
        slots: Any,
        z: Any = None,
        bias: Any = None,
        *,
        out: Any = None,
        stream: int | None = None,
        overlap: bool = False,
    ) -> Any:
        """y[P, N], a row per slot or position; P = tokens * top_k.

        Args:
            x: problem.dtype, a row per token, slot or position, as of a Kernel.
            w, s, z: those of a Kernel for every expert, stacked (numpy.stack).
            segments: int32 [S, 4], contiguous: {expert, first position, positions, 0}, as
                wna16.moe.route() makes them with problem.segment_rows. Its
                wna16.moe.segment_bound(P, experts, segment_rows) rows, or fewer, hold those
                of every routing; a row of zeros is skipped.
            slots: int32 [P], contiguous: the slot of each position.
            bias: problem.bias_dtype [experts, problem.stored_n], contiguous.
            out: problem.out_dtype [P, N], contiguous; made if None. **Rows that no segment
                covers are not written.**
            stream, overlap: as of a Kernel.

        Arrays are on one GPU, or all of NumPy, for the emulator. Raises what a Kernel does.
        """
        inputs = self._inputs(x, w, s, z, bias)
        inputs |= {"segments": segments, "slots": slots}
        for name, wanted in (("x", 2), ("segments", 2), ("slots", 1)):
            shape = getattr(inputs[name], "shape", None)
            if shape is None or len(shape) != wanted:
                found = type(inputs[name]).__name__ if shape is None else f"shape {list(shape)}"
                raise DTypeError(
                    f"expected {name} to be an array of {wanted} dimensions, found {found} "
                    "[ARG1]"
                )
        p, positions = self.problem, int(slots.shape[0])
        if p.x_rows == "token" and x.shape[0] * p.top_k != positions:
            raise ShapeError(
                f"expected {x.shape[0]} * {p.top_k} slots, top_k for each token (row of x), "
                f"found {positions} [ARG7]"
            )
        return self._run(positions, inputs, out, stream, overlap)

    def _product_text(self) -> str:
        p = self.problem
        return (
            f"y[M, {p.n}] = x @ dequantize(w[e]) with K = {p.k}, {p.top_k} of {p.experts} "
            f"experts, segments of {p.segment_rows} rows, x by {p.x_rows}, y by {p.y_rows}"
        )
