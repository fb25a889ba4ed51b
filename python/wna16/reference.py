"""What the numbers must be: slow, plain NumPy, in double precision.

Written from the formats' definitions alone. It shares no code with lib/Layout or
the compiler, so that it can catch them being wrong.
"""

from __future__ import annotations

import numpy as np


def unpack_compressed_tensors(words: np.ndarray, k: int, bits: int = 4) -> np.ndarray:
    """int32 [N, K * bits / 32] -> codes, uint8 [K, N]; codes along K, low bits first."""
    n = words.shape[0]
    codes = np.zeros((k, n), np.uint8)
    per_word = 32 // bits
    unsigned = words.astype(np.int64) & 0xFFFFFFFF
    for i in range(k):
        word = unsigned[:, i // per_word]
        codes[i, :] = (word >> (bits * (i % per_word))) & (2**bits - 1)
    return codes


def unpack_gptq(words: np.ndarray, n: int, bits: int = 4) -> np.ndarray:
    """int32 [K * bits / 32, N] -> codes, uint8 [K, N]; codes along K, low bits first."""
    per_word = 32 // bits
    k = words.shape[0] * per_word
    codes = np.zeros((k, n), np.uint8)
    unsigned = words.astype(np.int64) & 0xFFFFFFFF
    for i in range(k):
        word = unsigned[i // per_word, :]
        codes[i, :] = (word >> (bits * (i % per_word))) & (2**bits - 1)
    return codes


def unpack_marlin(words: np.ndarray, k: int, n: int) -> np.ndarray:
    """Marlin words of 4-bit codes, int32 [K * N / 8] -> codes, uint8 [K, N].

    Tiles of 16 (k) x 64 (n), 128 words each, row-major over (k / 16, n / 64). In a
    tile, word 4 * lane + s is lane's share of the columns 16 * s ... 16 * s + 15;
    a lane's rows and columns are those of its mma.m16n8k16 operand.
    """
    row, column = np.meshgrid(np.arange(k), np.arange(n), indexing="ij")
    base = ((row // 16) * (n // 64) + column // 64) * 128
    lane = 4 * (column % 8) + (row % 8) // 2
    word = base + 4 * lane + (column % 64) // 16
    nibble = 4 * (row % 2) + 2 * ((column // 8) % 2) + (row // 8) % 2
    unsigned = words.reshape(-1).astype(np.int64) & 0xFFFFFFFF
    return ((unsigned[word] >> (4 * nibble)) & 15).astype(np.uint8)


def unpack_marlin_scales(scales: np.ndarray, groups: int, n: int) -> np.ndarray:
    """Marlin's grouped scales [G * N] -> [G, N]; 8 x 8 transposes along N."""
    column = np.arange(n)
    place = 64 * (column // 64) + 8 * (column % 8) + (column % 64) // 8
    return scales.reshape(groups, n)[:, place]


def dequantize(
    codes: np.ndarray, scales: np.ndarray, group: int, offset: int = 8
) -> np.ndarray:
    """codes [K, N], scales [K / group, N] -> float64 [K, N], exact."""
    k = codes.shape[0]
    scale_of_row = scales.astype(np.float64)[np.arange(k) // group, :]
    return (codes.astype(np.float64) - offset) * scale_of_row


def gemm(x: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """x [M, K] times weight [K, N] -> float64 [M, N]."""
    return x.astype(np.float64) @ weight.astype(np.float64)


def relative_error(y: np.ndarray, expected: np.ndarray) -> float:
    """mean |y - expected| / mean |expected|; infinite if y has a NaN or infinity."""
    if y.size == 0:
        return 0.0
    if not np.isfinite(y).all():
        return float("inf")
    scale = np.abs(expected).mean()
    error = np.abs(y.astype(np.float64) - expected).mean()
    return float(error / scale) if scale else float(error)
