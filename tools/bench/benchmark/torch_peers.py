"""Products that PyTorch brings: cuBLAS in 16 bits, and its int4 kernel."""

from __future__ import annotations

import torch

from .candidates import PEER_TOLERANCE, Candidate, Launch, Refused
from .layer import GROUP, Layer, Weights
from .points import Point


class Cublas(Candidate):
    """torch.mm on the dequantized weight: what a layer takes that is not quantized.

    Its error is that of weights rounded to 16 bits before they are multiplied, the
    order of rounding that Marlin and most others have too.
    """

    name = "cublas"

    def launches(self, layer: Layer, point: Point) -> list[Launch]:
        def run(weights: Weights, x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
            return torch.mm(x, weights["w"].t(), out=out)

        copies = layer.copies("dense", lambda: {"w": layer.dense()})
        return [Launch(self.name, copies, run, PEER_TOLERANCE[point.dtype])]


class Tinygemm(Candidate):
    """torch's _weight_int4pack_mm. It computes (code - 8) * scale + zero.

    It is a decode kernel: its time grows with M, so it is left out where it would only
    cost time. It makes its own result; within a graph that comes from the graph's pool.
    """

    name = "tinygemm"
    max_m = 64
    #: Inner tiles of K per packed tile: 2, 4 or 8; 8 is what PyTorch's callers use.
    inner_k_tiles = 8

    def launches(self, layer: Layer, point: Point) -> list[Launch]:
        if point.dtype != "bf16":
            raise Refused("bf16 only")
        if point.m > self.max_m:
            raise Refused(f"not asked above M = {self.max_m}, where it is far behind")

        def make() -> Weights:
            # Two codes a byte; the even one of K is in the high half.
            packed = ((layer.codes[:, ::2] << 4) | layer.codes[:, 1::2]).contiguous()
            words = torch.ops.aten._convert_weight_to_int4pack(packed, self.inner_k_tiles)
            scales = layer.scales.t()
            both = torch.stack([scales, torch.zeros_like(scales)], dim=-1).contiguous()
            return {"w": words, "sz": both}

        def run(weights: Weights, x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
            del out
            return torch.ops.aten._weight_int4pack_mm(x, weights["w"], GROUP, weights["sz"])

        copies = layer.copies("tinygemm", make)
        return [Launch(self.name, copies, run, PEER_TOLERANCE[point.dtype])]
