"""How each format stores codes, zero points and scales: one table, one unpacker.

Plain NumPy; nothing here knows what kernels read.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import CheckpointError

#: Nibble i of an AWQ word holds column 8 * word + _AWQ_COLUMNS[i].
_AWQ_COLUMNS = (0, 2, 4, 6, 1, 3, 5, 7)


@dataclass(frozen=True)
class Encoding:
    """Where the elements of one format are.

    Attributes:
        words, scales, zeros: names of the tensors.
        layout: what wna16.pack calls the storage of the words.
        transposed: matrices are [N, K] and [N, G], not [K, N] and [G, N].
        packed_k: codes are packed along K, not along N. Zero points are packed along N
            always.
        columns: order of the columns within a word, if it is not 0, 1, 2, ...
        zero_bias: what is added to a stored zero point.
        bits: widths that the format stores.
    """

    words: str
    scales: str
    zeros: str
    layout: str
    transposed: bool
    packed_k: bool
    columns: tuple[int, ...] | None
    zero_bias: int
    bits: frozenset[int]

    def words_shape(self, k: int, n: int, bits: int) -> tuple[int, int]:
        packed = (_words(k, bits), n) if self.packed_k else (k, _words(n, bits))
        return packed[::-1] if self.transposed else packed

    def scales_shape(self, groups: int, n: int) -> tuple[int, int]:
        return (n, groups) if self.transposed else (groups, n)

    def zeros_shape(self, groups: int, n: int, bits: int) -> tuple[int, int]:
        return self.scales_shape(groups, _words(n, bits))

    def unpack_words(self, words: np.ndarray, k: int, n: int, bits: int) -> np.ndarray:
        """The codes, uint8 [K, N], as they are stored."""
        matrix = words.T if self.transposed else words
        if self.packed_k:
            return unpack(matrix.T, k, bits).T
        return self._columns_in_order(unpack(matrix, n, bits))

    def unpack_zeros(self, words: np.ndarray, n: int, bits: int, where: str) -> np.ndarray:
        """The zero points, uint8 [G, N]; `where` names the tensor in an error."""
        stored = unpack(words.T if self.transposed else words, n, bits)
        stored = self._columns_in_order(stored)
        if not self.zero_bias:
            return stored
        # Readers of v1 files do not agree on this one: 0, 2^bits, or a carry.
        wrapped = np.argwhere(stored == 2**bits - 1)
        if len(wrapped):
            group, column = wrapped[0].tolist()
            raise CheckpointError(
                f"{where}: the zero point of group {group}, column {column} is stored as "
                f"{2**bits - 1}; in checkpoint_format gptq, which stores zero points less "
                f"one, that is 0 or {2**bits}. Save the checkpoint as gptq_v2 [CKPT3]"
            )
        return stored + np.uint8(self.zero_bias)

    def _columns_in_order(self, matrix: np.ndarray) -> np.ndarray:
        if self.columns is None:
            return matrix
        rows, n = matrix.shape
        width = len(self.columns)
        order = np.argsort(self.columns)
        return matrix.reshape(rows, n // width, width)[:, :, order].reshape(rows, n)


def _words(count: int, bits: int) -> int:
    return -(-count * bits // 32)


def unpack(words: np.ndarray, count: int, bits: int) -> np.ndarray:
    """int32 [R, W] -> uint8 [R, count]: one stream of bits per row, low bits first.

    A code may begin in one word and end in the next.
    """
    streams = np.ascontiguousarray(words).astype("<i4", copy=False).view(np.uint8)
    rows = streams.shape[0]
    if bits == 8:
        return streams[:, :count].copy()
    if bits in (1, 2, 4):
        shifts = np.arange(0, 8, bits, dtype=np.uint8)
        codes = (streams[:, :, None] >> shifts) & np.uint8(2**bits - 1)
        return codes.reshape(rows, -1)[:, :count]
    # A code of 3, 5, 6 or 7 bits is in at most two bytes. One byte of padding, so that
    # the last code has a second one to look at.
    padded = np.zeros((rows, streams.shape[1] + 1), np.uint16)
    padded[:, :-1] = streams
    first = np.arange(count) * bits
    pairs = padded[:, first // 8] | (padded[:, first // 8 + 1] << np.uint16(8))
    return ((pairs >> (first % 8).astype(np.uint16)) & np.uint16(2**bits - 1)).astype(np.uint8)


_GPTQ = dict(
    words="qweight",
    scales="scales",
    zeros="qzeros",
    layout="gptq",
    transposed=False,
    packed_k=True,
    columns=None,
    bits=frozenset({2, 3, 4, 8}),
)

ENCODINGS = {
    "gptq": Encoding(zero_bias=1, **_GPTQ),
    "gptq_v2": Encoding(zero_bias=0, **_GPTQ),
    "awq": Encoding(
        words="qweight",
        scales="scales",
        zeros="qzeros",
        layout="awq",
        transposed=False,
        packed_k=False,
        columns=_AWQ_COLUMNS,
        zero_bias=0,
        bits=frozenset({4}),
    ),
    "compressed-tensors": Encoding(
        words="weight_packed",
        scales="weight_scale",
        zeros="weight_zero_point",
        layout="compressed_tensors",
        transposed=True,
        packed_k=True,
        columns=None,
        zero_bias=0,
        bits=frozenset(range(1, 9)),
    ),
}
