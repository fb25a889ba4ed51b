"""A random quantized layer on a device, in every storage that a candidate wants.

Codes are rounded normal numbers, as in real checkpoints, and not uniform ones: the
power that a product takes, and with it the clock, depends on the data. Nothing here
uses the project's packer; tests compare the two.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch

from .method import copies_of
from .points import Point

GROUP = 128
#: Rows of the weight that are expanded at once; bounds memory.
_CHUNK = 4096
#: Every M is compared at these columns, and the first rows at all columns.
SAMPLED_COLUMNS = 192
FULL_ROWS = 16

TORCH_DTYPE = {"f16": torch.float16, "bf16": torch.bfloat16}

#: Tensors that are streamed from memory at each launch, by name.
Weights = dict[str, torch.Tensor]


def marlin_words(codes: torch.Tensor) -> torch.Tensor:
    """[N, K] codes as Marlin stores them: int32 [K / 16, 2 N].

    Rows of K are (tile, h, p, e) of sizes (K/16, 2, 4, 2), columns (tile, j, b, g) of
    (N/64, 4, 2, 8); words run over (tile, tile, g, p, j), their nibbles over (e, b, h).
    """
    n, k = codes.shape
    parts = codes.reshape(n // 64, 4, 2, 8, k // 16, 2, 4, 2)
    words = torch.zeros((k // 16, n // 64, 8, 4, 4), dtype=torch.int32, device=codes.device)
    for e in (0, 1):
        for b in (0, 1):
            for h in (0, 1):
                nibble = parts[:, :, b, :, :, h, :, e].permute(3, 0, 2, 4, 1).to(torch.int32)
                words |= nibble << (4 * (4 * e + 2 * b + h))
    return words.reshape(k // 16, 2 * n)


def marlin_scales(scales: torch.Tensor) -> torch.Tensor:
    """[N, K / 128] scales as [K / 128, N] with 8 x 8 transposes along N."""
    n, groups = scales.shape
    return scales.t().reshape(groups, n // 64, 8, 8).transpose(2, 3).reshape(groups, n).contiguous()


class Layer:
    """Codes [N, K] (uint8, 0..15), scales [N, K / 128] and activations of one layer."""

    def __init__(self, n: int, k: int, dtype: str, max_m: int, device: str = "cuda"):
        self.n, self.k, self.dtype, self.device = n, k, dtype, device
        self.element = TORCH_DTYPE[dtype]
        self._generator = torch.Generator(device).manual_seed(7 * n + 13 * k)
        self.codes = torch.empty((n, k), dtype=torch.uint8, device=device)
        for first in range(0, n, _CHUNK):
            normal = self._normal((min(_CHUNK, n - first), k))
            self.codes[first : first + _CHUNK] = (normal * 2.6 + 8).round_().clamp_(0, 15)
        uniform = torch.rand((n, k // GROUP), generator=self._generator, device=device)
        self.scales = ((uniform + 0.5) / (2.6 * math.sqrt(k))).to(self.element)
        self.x = self._normal((max_m, k)).to(self.element)
        self._copies: dict[str, list[Weights]] = {}
        self._exact()

    def _normal(self, shape: tuple[int, int]) -> torch.Tensor:
        return torch.randn(shape, generator=self._generator, device=self.device)

    def weight(self, first: int, count: int, dtype: torch.dtype) -> torch.Tensor:
        """[count, K]: dequantized rows of the weight (columns of the result)."""
        codes = self.codes[first : first + count].to(torch.float32).view(-1, self.k // GROUP, GROUP)
        exact = torch.float64 if dtype == torch.float64 else torch.float32
        scale = self.scales[first : first + count].to(exact)[:, :, None]
        return ((codes.to(exact) - 8) * scale).reshape(-1, self.k).to(dtype)

    def dense(self) -> torch.Tensor:
        """[N, K]: the weight in 16 bits, each element rounded once."""
        out = torch.empty((self.n, self.k), dtype=self.element, device=self.device)
        for first in range(0, self.n, _CHUNK):
            out[first : first + _CHUNK] = self.weight(first, _CHUNK, self.element)
        return out

    def _exact(self) -> None:
        """fp64: a few rows at all columns, all rows at a few columns."""
        count = min(SAMPLED_COLUMNS, self.n)
        place = torch.linspace(0, self.n - 1, count, device=self.device)
        self._columns = place.round().long().unique()
        weights = [self.weight(int(c), 1, torch.float64) for c in self._columns]
        wide = torch.cat(weights).t()
        parts = [x.to(torch.float64) @ wide for x in self.x.split(1024)]
        self._exact_columns = torch.cat(parts)
        rows = self.x[:FULL_ROWS].to(torch.float64)
        chunks = range(0, self.n, _CHUNK)
        self._exact_rows = torch.cat(
            [rows @ self.weight(c, _CHUNK, torch.float64).t() for c in chunks], dim=1
        )

    def error(self, y: torch.Tensor) -> float:
        """mean |y - exact| / mean |exact|, the worse of the two samples.

        Infinite if any element is not a number: outputs are poisoned with NaN.
        """
        m = y.shape[0]
        if y.shape[1] != self.n or not bool(torch.isfinite(y).all()):
            return math.inf
        pairs = [
            (y[:, self._columns], self._exact_columns[:m]),
            (y[:FULL_ROWS], self._exact_rows[: min(m, FULL_ROWS)]),
        ]
        return max(
            float((a.to(torch.float64) - b).abs().mean() / b.abs().mean()) for a, b in pairs
        )

    def copies(self, storage: str, make: Callable[[], Weights]) -> list[Weights]:
        """Equal copies, enough of them that each is cold when its turn comes."""
        if storage not in self._copies:
            first = make()
            size = sum(t.numel() * t.element_size() for t in first.values())
            more = range(copies_of(size) - 1)
            clone = [{name: t.clone() for name, t in first.items()} for _ in more]
            self._copies[storage] = [first, *clone]
        return self._copies[storage]

    def marlin(self) -> list[Weights]:
        """Copies in Marlin's storage, which our kernels read."""
        return self.copies(
            "marlin", lambda: {"w": marlin_words(self.codes), "s": marlin_scales(self.scales)}
        )

    def poisoned(self, m: int) -> torch.Tensor:
        """An output full of NaN: an element that is not written shows."""
        return torch.full((m, self.n), math.nan, dtype=self.element, device=self.device)


def make_layer(points: list[Point]) -> Layer:
    """The layer of points that differ in M only."""
    first = points[0]
    return Layer(first.n, first.k, first.dtype, max(p.m for p in points))
