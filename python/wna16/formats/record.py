"""What every format's reader makes of a layer: one normalised, immutable record."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from ..problem import GROUP_MULTIPLE, Problem
from .checkpoint import TensorInfo
from .encoding import ENCODINGS, Encoding


@dataclass(frozen=True)
class Scheme:
    """What the configuration says about one layer.

    Attributes:
        format: key of ENCODINGS.
        group: rows of K that share a scale; -1 means one group per column.
        order: what was said about the order of K, and found harmless.
        source: the part of the configuration that decided.
    """

    format: str
    bits: int
    symmetric: bool
    group: int
    order: str
    source: str

    @property
    def encoding(self) -> Encoding:
        return ENCODINGS[self.format]


class Format(Protocol):
    """A parsed and judged configuration of one format."""

    def scheme(self, layer: str) -> Scheme:
        """How a layer with packed weights is stored; raises CheckpointError."""

    def exclusion(self, layer: str) -> str | None:
        """The part of the configuration that leaves a layer unquantized, if one does."""

    #: The tensor that tells a quantized layer.
    marker: str


@dataclass(frozen=True)
class LayerRecord:
    """One quantized layer, the same for every format.

    Attributes:
        name: the module's name in the checkpoint.
        format: gptq (zero points less one), gptq_v2, awq or compressed-tensors.
        k, n: logical sizes: y[M, N] = x[M, K] @ weight[K, N].
        bits: width of a code.
        symmetric: zero points are all 2^(bits - 1), and are not stored or not read.
        group: rows of K that share a scale; -1 means one group per column.
        scale_dtype: f16 or bf16.
        bias_dtype: f16, bf16, f32, or None without a bias.
        order: what the checkpoint says about the order of K; it is always static.
        source: the part of the configuration that decided all this.
        tensors: the layer's tensors.
    """

    name: str
    format: str
    k: int
    n: int
    bits: int
    symmetric: bool
    group: int
    scale_dtype: str
    bias_dtype: str | None
    order: str
    source: str
    tensors: tuple[TensorInfo, ...]

    @property
    def groups(self) -> int:
        """Number of scale rows; the last group may be a part of one."""
        return 1 if self.group == -1 else -(-self.k // self.group)

    @property
    def kernel_group(self) -> int:
        """Rows of K that share a scale in the kernels, which take whole groups only.

        Where the last group is a part of one, every group becomes several smaller ones
        with the same scales and zero points, if there is a size that divides K.
        """
        if self.group == -1 or self.k % self.group == 0:
            return self.group
        smaller = math.gcd(self.k, self.group)
        return self.group if smaller % GROUP_MULTIPLE else smaller

    @property
    def offset(self) -> int | None:
        """What is subtracted from every code; None if zero points say it."""
        return 1 << (self.bits - 1) if self.symmetric else None

    @property
    def encoding(self) -> Encoding:
        return ENCODINGS[self.format]

    @property
    def problem(self) -> Problem:
        """The layer's matrix product, with x and y of the scales' type.

        wna16.supports() says whether it compiles.
        """
        return Problem(
            n=self.n,
            k=self.k,
            bits=self.bits,
            offset=self.offset,
            group=self.kernel_group,
            dtype=self.scale_dtype,
            bias_dtype=self.bias_dtype,
        )

    def tensor(self, own_name: str) -> TensorInfo | None:
        """The tensor `name.own_name`, or None."""
        wanted = f"{self.name}.{own_name}"
        return next((t for t in self.tensors if t.name == wanted), None)

    def __str__(self) -> str:
        group = "per column" if self.group == -1 else f"groups of {self.group}"
        lines = [
            f"{self.name}: {self.format}, K = {self.k}, N = {self.n}, {self.bits} bits "
            f"{'symmetric' if self.symmetric else 'asymmetric'}, {group}, scales "
            f"{self.scale_dtype}{f', bias {self.bias_dtype}' if self.bias_dtype else ''}",
            f"  order   {self.order}",
            f"  by      {self.source}",
            *(f"  tensor  {tensor}" for tensor in self.tensors),
        ]
        return "\n".join(lines)

    def as_json(self) -> Mapping[str, Any]:
        """The record as plain values."""
        plain = {
            key: getattr(self, key)
            for key in self.__dataclass_fields__
            if key != "tensors"
        }
        plain["tensors"] = [
            {"name": t.name, "file": t.file.name, "shape": list(t.shape), "dtype": t.dtype}
            for t in self.tensors
        ]
        return plain
