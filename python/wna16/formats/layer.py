"""One layer of a checkpoint: as logical arrays, or packed for the kernels."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..errors import CheckpointError, DTypeError, ShapeError
from ..pack import repack_scales, repack_weights, repack_zeros
from ..problem import Problem
from .checkpoint import read_tensor
from .record import LayerRecord


@dataclass(frozen=True, eq=False)
class PackedLayer:
    """A layer in the storage that kernels read: kernel(x, *layer.arrays).

    Arrays are one-dimensional and padded to problem.stored_k and stored_n with 0. They
    are the same for every max_m, dtype and out_dtype of the problem.

    Attributes:
        name: the layer's name in the checkpoint.
        problem: what wna16.compile() takes.
        w: int32 words of the codes, layout problem.layout.
        s: scales of problem.scale_dtype, layout problem.scale_layout.
        z: int32 words of the zero points, layout problem.zero_layout; None if all are
            problem.offset.
        bias: of problem.bias_dtype, in plain order; None if there is none.
    """

    name: str
    problem: Problem
    w: np.ndarray
    s: np.ndarray
    z: np.ndarray | None
    bias: np.ndarray | None

    @property
    def arrays(self) -> tuple[np.ndarray | None, ...]:
        """What a kernel takes behind x."""
        return self.w, self.s, self.z, self.bias


class Layer:
    """One quantized layer: its record, and its tensors.

    y[M, N] = x[M, K] @ ((codes - zeros) * scales) + bias, where row k of the weight has
    row k // group of scales and zeros; without zeros, record.offset stands for them.
    Every call reads from the file.
    """

    def __init__(self, record: LayerRecord) -> None:
        self.record = record

    def codes(self) -> np.ndarray:
        """uint8 [K, N]."""
        r = self.record
        return r.encoding.unpack_words(self._read(r.encoding.words), r.k, r.n, r.bits)

    def scales(self) -> np.ndarray:
        """float16 or bfloat16 [G, N]; raises CheckpointError if one is not finite."""
        encoding = self.record.encoding
        scales = self._read(encoding.scales)
        if not np.isfinite(scales).all():
            raise CheckpointError(
                f"{self.record.name}: {encoding.scales} holds values that are not finite "
                "[CKPT3]"
            )
        return scales.T if encoding.transposed else scales

    def zeros(self) -> np.ndarray | None:
        """uint8 [G, N], or None if the layer is symmetric: then they are not even read."""
        r = self.record
        if r.symmetric:
            return None
        where = f"{r.name}.{r.encoding.zeros}"
        return r.encoding.unpack_zeros(self._read(r.encoding.zeros), r.n, r.bits, where)

    def bias(self) -> np.ndarray | None:
        """[N], as it is stored, or None."""
        return None if self.record.bias_dtype is None else self._read("bias")

    def pack(self, dtype: str | None = None) -> PackedLayer:
        """Repacks the layer for the kernels; codes go straight from storage to storage.

        Args:
            dtype: element type of x and y, "f16" or "bf16"; None: that of the scales.

        Raises:
            ShapeError, DTypeError: there is no kernel for the layer, or dtype is not
                one of these.
            CheckpointError: a tensor's values are not what the format allows.
        """
        r = self.record
        problem = r.problem
        try:
            if dtype is not None:
                problem = replace(problem, dtype=dtype, out_dtype=None)
            problem.check()
        except (DTypeError, ShapeError) as error:
            raise type(error)(f"{r.name}: {error}") from None
        # Before the codes: these are small, and their values may be refused.
        scales, zeros, bias = self.scales(), self.zeros(), self.bias()
        scales, zeros = self._whole_groups(scales), self._whole_groups(zeros)
        n, groups = problem.n, problem.groups
        shape = (groups, problem.stored_n)
        # A padded K has groups of its own.
        own = dict(target_shape=shape, source="row_major")
        return PackedLayer(
            name=r.name,
            problem=problem,
            w=repack_weights(
                self._read(r.encoding.words),
                problem.k,
                n,
                source=r.encoding.layout,
                target=problem.layout,
                bits=problem.bits,
                target_shape=(problem.stored_k, problem.stored_n),
            ),
            s=repack_scales(scales, len(scales), n, target=problem.scale_layout, **own),
            z=None
            if zeros is None
            else repack_zeros(
                zeros, len(scales), n, target=problem.zero_layout, bits=problem.bits, **own
            ),
            bias=None if bias is None else np.pad(bias, (0, problem.stored_n - n)),
        )

    def _whole_groups(self, rows: np.ndarray | None) -> np.ndarray | None:
        """A row for every group of the kernels."""
        group, smaller = self.record.group, self.record.kernel_group
        if rows is None or smaller == group:
            return rows
        return np.repeat(rows, group // smaller, axis=0)[: self.record.k // smaller]

    def _read(self, own_name: str) -> np.ndarray:
        info = self.record.tensor(own_name)
        assert info is not None, own_name  # the record was not made without it
        tensor = read_tensor(info.file, info.name)
        if tensor.shape != info.shape:
            raise CheckpointError(
                f"{info.file} has changed: expected {info.name} of shape "
                f"{list(info.shape)}, found {list(tensor.shape)} [CKPT1]"
            )
        return tensor
