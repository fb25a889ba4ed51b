"""Random layers on the GPU and their exact results, in plain PyTorch.

Nothing here uses the packer or the compiler. Weights are drawn as Marlin words
(every word is valid) and unpacked by the format's definition.
"""

from __future__ import annotations

from collections.abc import Callable

import torch

GROUP = 128
DTYPES = {"f16": torch.float16, "bf16": torch.bfloat16}
#: Columns that are unpacked at once; bounds the memory of the index arithmetic.
_CHUNK = 4096


class Layer:
    """A layer with random codes and a different scale for every (group, column)."""

    def __init__(
        self, n: int, k: int, seed: int = 0, device: str = "cuda", dtype: str = "f16"
    ):
        generator = torch.Generator(device).manual_seed(seed)
        self.n, self.k = n, k
        self.w = torch.randint(
            -(2**31), 2**31, (k // 16, n * 2), generator=generator, device=device
        ).to(torch.int32)
        self.s = (
            torch.rand((k // GROUP, n), generator=generator, device=device) * 0.02 + 0.005
        ).to(DTYPES[dtype])

    def scales(self) -> torch.Tensor:
        """[K / 128, N]: the 8 x 8 transposes along N undone."""
        column = torch.arange(self.n, device=self.s.device)
        return self.s[:, 64 * (column // 64) + 8 * (column % 8) + (column % 64) // 8]

    def codes(self, first: int, count: int) -> torch.Tensor:
        """[K, count] int64: the codes of `count` columns from `first` on."""
        device = self.w.device
        row = torch.arange(self.k, device=device)[:, None]
        column = torch.arange(first, first + count, device=device)[None, :]
        tile = (row // 16) * (self.n // 64) + column // 64
        lane = 4 * (column % 8) + (row % 8) // 2
        word = tile * 128 + 4 * lane + (column % 64) // 16
        nibble = 4 * (row % 2) + 2 * ((column // 8) % 2) + (row // 8) % 2
        return (self.w.reshape(-1)[word].to(torch.int64) >> (4 * nibble)) & 15

    def weight(self, first: int, count: int) -> torch.Tensor:
        """[K, count] float64: dequantized, exact."""
        scales = self.scales()[:, first : first + count].to(torch.float64)
        return (self.codes(first, count) - 8).to(torch.float64) * scales.repeat_interleave(
            GROUP, dim=0
        )

    def exact(self, x: torch.Tensor) -> torch.Tensor:
        """x @ weight in float64, [M, N]."""
        parts = []
        for first in range(0, self.n, _CHUNK):
            count = min(_CHUNK, self.n - first)
            parts.append(x.to(torch.float64) @ self.weight(first, count))
        return torch.cat(parts, dim=1)


def activations(m: int, k: int, seed: int = 1, dtype: str = "f16") -> torch.Tensor:
    generator = torch.Generator("cuda").manual_seed(seed)
    return torch.randn((m, k), generator=generator, device="cuda").to(DTYPES[dtype])


def poisoned(m: int, n: int, dtype: str = "f16") -> torch.Tensor:
    """An output full of NaN: a number that is not written shows."""
    return torch.full((m, n), float("nan"), dtype=DTYPES[dtype], device="cuda")


def relative_error(y: torch.Tensor, exact: torch.Tensor) -> float:
    """mean |y - exact| / mean |exact|; infinite if y has a NaN or infinity."""
    if not torch.isfinite(y).all():
        return float("inf")
    return float((y.to(torch.float64) - exact).abs().mean() / exact.abs().mean())


def graph_microseconds(launch: Callable[[], object], repeats: int = 50) -> float:
    """Of one launch in a graph of many: the host has no part in it."""
    launch()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(repeats):
            launch()
    graph.replay()
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    graph.replay()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) * 1e3 / repeats
