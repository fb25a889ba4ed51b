"""What the numbers must be: slow, plain NumPy, in double precision.

Written from the formats' definitions alone. It shares no code with lib/Layout or
the compiler, so that it can catch them being wrong.
"""

from __future__ import annotations

import numpy as np


def unpack_stream(words: np.ndarray, count: int, bits: int) -> np.ndarray:
    """int32 [words, streams] -> uint8 [count, streams]: each column is a row of bits,
    the lowest of the first word first; code i is bits i * b and up."""
    unsigned = words.astype(np.int64) & 0xFFFFFFFF
    codes = np.zeros((count, words.shape[1]), np.uint8)
    for i in range(count):
        first, last = i * bits, i * bits + bits - 1
        code = unsigned[first // 32, :] >> (first % 32)
        if last // 32 != first // 32:
            code |= unsigned[last // 32, :] << (32 - first % 32)
        codes[i, :] = code & (2**bits - 1)
    return codes


def unpack_compressed_tensors(words: np.ndarray, k: int, bits: int = 4) -> np.ndarray:
    """int32 [N, ceil(K * bits / 32)] -> codes, uint8 [K, N]; along K."""
    return unpack_stream(words.T, k, bits)


def unpack_gptq(words: np.ndarray, n: int, bits: int = 4) -> np.ndarray:
    """int32 [K * bits / 32, N] -> codes, uint8 [K, N]; along K."""
    return unpack_stream(words.reshape(-1, n), words.size // n * 32 // bits, bits)


def unpack_awq(words: np.ndarray, n: int) -> np.ndarray:
    """int32 [rows, N / 8] -> 4-bit codes, uint8 [rows, N]: weights or zero points.

    Nibble i of word w is column 8 * w + (0, 2, 4, 6, 1, 3, 5, 7)[i].
    """
    unsigned = words.astype(np.int64) & 0xFFFFFFFF
    codes = np.zeros((words.shape[0], n), np.uint8)
    for nibble, column in enumerate((0, 2, 4, 6, 1, 3, 5, 7)):
        codes[:, column::8] = (unsigned >> (4 * nibble)) & 15
    return codes


def unpack_gptq_zeros(words: np.ndarray, n: int, bits: int = 4) -> np.ndarray:
    """int32 [G, N * bits / 32] -> as stored, uint8 [G, N]; along N."""
    return unpack_stream(words.T, n, bits).T


def unpack_compressed_tensors_zeros(words: np.ndarray, n: int, bits: int = 4) -> np.ndarray:
    """int32 [ceil(N * bits / 32), G] -> uint8 [G, N]; along N."""
    return unpack_stream(words, n, bits).T


def unpack_marlin(words: np.ndarray, k: int, n: int, bits: int = 4) -> np.ndarray:
    """Marlin words, int32 [K * N * bits / 32] -> codes, uint8 [K, N].

    Tiles of 16 (k) x 64 (n), row-major over (k / 16, n / 64). A lane has `bits` words
    of a tile, one after the other; its rows and columns are those of its mma.m16n8k16
    operand. Other widths than 1, 2, 4, 8: as many matrices, one after the other, as
    the width has ones in binary; the widest one has the lowest bits.
    """
    codes = np.zeros((k, n), np.uint8)
    words, shift = words.reshape(-1), 0
    for width in (8, 4, 2, 1):
        if bits & width:
            size = k * n * width // 32
            plane, words = words[:size], words[size:]
            codes |= _unpack_marlin_plane(plane, k, n, width) << shift
            shift += width
    return codes


def _unpack_marlin_plane(words: np.ndarray, k: int, n: int, bits: int) -> np.ndarray:
    row, column = np.meshgrid(np.arange(k), np.arange(n), indexing="ij")
    per_word = 32 // bits
    base = ((row // 16) * (n // 64) + column // 64) * (32 * bits)
    lane = 4 * (column % 8) + (row % 8) // 2
    # Blocks of eight columns: some side by side in a word, the rest in the next ones.
    block, in_word = (column % 64) // 8, per_word // 4
    word = base + bits * lane + block // in_word
    place = (per_word // 2) * (row % 2) + 2 * (block % in_word) + (row // 8) % 2
    unsigned = words.astype(np.int64) & 0xFFFFFFFF
    return ((unsigned[word] >> (bits * place)) & (2**bits - 1)).astype(np.uint8)


def unpack_marlin_zeros(words: np.ndarray, groups: int, n: int, bits: int = 4) -> np.ndarray:
    """Marlin's zero points, int32 [G * N * bits / 32], of 4 or 8 bits -> uint8 [G, N]."""
    column = np.arange(n)
    block = (column % 64) // 8
    if bits == 4:
        word = 8 * (column // 64) + column % 8
        place = block // 2 + 4 * (block % 2)
    else:
        word = 16 * (column // 64) + 2 * (column % 8) + block // 4
        place = np.array([0, 2, 1, 3])[block % 4]
    unsigned = words.reshape(groups, -1).astype(np.int64) & 0xFFFFFFFF
    return ((unsigned[:, word] >> (bits * place)) & (2**bits - 1)).astype(np.uint8)


def unpack_marlin_scales(scales: np.ndarray, groups: int, n: int) -> np.ndarray:
    """Marlin's grouped scales [G * N] -> [G, N]; 8 x 8 transposes along N."""
    column = np.arange(n)
    place = 64 * (column // 64) + 8 * (column % 8) + (column % 64) // 8
    return scales.reshape(groups, n)[:, place]


def unpack_marlin_channel_scales(scales: np.ndarray, groups: int, n: int) -> np.ndarray:
    """Marlin's order of channelwise scales and of a bias [G * N] -> [G, N]."""
    column = np.arange(n)
    rest = column % 32
    place = 32 * (column // 32) + 8 * ((rest % 8) // 2) + rest % 2 + 2 * (rest // 8)
    return scales.reshape(groups, n)[:, place]


def dequantize(
    codes: np.ndarray, scales: np.ndarray, group: int, zeros: int | np.ndarray = 8
) -> np.ndarray:
    """codes [K, N], scales [K / group, N] -> float64 [K, N], exact.

    `group` is -1 for one scale per column; `zeros` is one number or of the scales' shape.
    """
    k = codes.shape[0]
    row = np.arange(k) // (k if group == -1 else group)
    scale_of_row = scales.astype(np.float64)[row, :]
    zero_of_row = np.broadcast_to(np.asarray(zeros, np.float64), scales.shape)[row, :]
    return (codes.astype(np.float64) - zero_of_row) * scale_of_row


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
