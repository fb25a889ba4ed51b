"""Data of 4-bit GEMMs in the layouts of the prototypes, with exact results.

x are small integers and scales powers of two, so every sum is exact in fp32 in
every order and only the rounding of y to 16 bits is left. Plain Python; NumPy
makes it faster.
"""

import dataclasses
import random
import struct

try:
    import numpy
except ImportError:
    numpy = None

Matrix = list[list[int]]
GROUP = 128


def bf16_bits(value: float) -> int:
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def pack16(values: list, dtype: str) -> bytes:
    if dtype == "f16":
        return struct.pack(f"<{len(values)}e", *values)
    return struct.pack(f"<{len(values)}H", *map(bf16_bits, values))


def unpack16(data: bytes, dtype: str) -> list[float]:
    if dtype == "f16":
        return list(struct.unpack(f"<{len(data) // 2}e", data))
    words = struct.unpack(f"<{len(data) // 2}H", data)
    return list(
        struct.unpack(f"<{len(words)}f", struct.pack(f"<{len(words)}I", *(w << 16 for w in words)))
    )


def flat(rows: Matrix) -> list:
    return [value for row in rows for value in row]


@dataclasses.dataclass
class Weights:
    """w[k][n] = scale * (code - zero), with one scale and zero per group of k."""

    codes: Matrix  # [n][k]
    zeros: Matrix  # [group][n]
    scales: list[list[float]]  # [group][n]

    @staticmethod
    def make(rng: random.Random, n: int, k: int, zero_points: bool) -> "Weights":
        groups = k // GROUP
        zeros = [
            [rng.randint(0, 15) if zero_points else 8 for _ in range(n)] for _ in range(groups)
        ]
        scales = [[2.0 ** rng.randint(-4, -1) for _ in range(n)] for _ in range(groups)]
        return Weights([rng.choices(range(16), k=k) for _ in range(n)], zeros, scales)

    def product(self, x: Matrix) -> list[list[float]]:
        """[m][n] of x [m][k]."""
        if numpy:
            spread = [
                numpy.repeat(numpy.array(rows, float), GROUP, 0)
                for rows in (self.zeros, self.scales)
            ]
            w = (numpy.array(self.codes, float).T - spread[0]) * spread[1]
            return (numpy.array(x, float) @ w).tolist()
        out = [[0.0] * len(self.codes) for _ in x]
        for g in range(len(self.scales)):
            part = [row[g * GROUP : (g + 1) * GROUP] for row in x]
            sums = [sum(row) for row in part]
            for n, column in enumerate(self.codes):
                codes = column[g * GROUP : (g + 1) * GROUP]
                zero, scale = self.zeros[g][n], self.scales[g][n]
                for m, row in enumerate(part):
                    out[m][n] += scale * (sum(map(int.__mul__, row, codes)) - zero * sums[m])
        return out

    def packed(self) -> bytes:
        """Tiles [k/16][n/64] of 512 bytes, [lane][j] words of 8 codes: the fragments of
        columns 16 j + g and 16 j + g + 8."""
        words = []
        n, k = len(self.codes), len(self.codes[0])
        if numpy:  # [n/64][j][high][g] [k/16][high][t][low]
            codes = numpy.array(self.codes, numpy.uint32)
            codes = codes.reshape(n // 64, 4, 2, 8, k // 16, 2, 4, 2)
            shifts = numpy.add.outer(numpy.add.outer([0, 8], [0, 4]), [0, 16]).astype(numpy.uint32)
            codes <<= shifts.reshape(1, 1, 2, 1, 1, 2, 1, 2)
            return codes.sum((2, 5, 7), dtype=numpy.uint32).transpose(3, 0, 2, 4, 1).tobytes()
        for k0 in range(0, k, 16):
            rows = [
                sum(
                    column[k0 + 2 * t + dk] << shift
                    for dk, shift in ((0, 0), (1, 16), (8, 4), (9, 20))
                )
                for column in self.codes
                for t in range(4)
            ]
            for n0 in range(0, n, 64):
                for g in range(8):
                    for t in range(4):
                        for j in range(4):
                            c = n0 + 16 * j + g
                            words.append(rows[4 * c + t] | rows[4 * (c + 8) + t] << 8)
        return struct.pack(f"<{len(words)}I", *words)

    def permuted_scales(self, width: int) -> list[float]:
        """Inside `width` columns, those that one lane group g needs come together:
        position (width / 8) g + 2 j + h is column 16 j + 8 h + g."""
        out = []
        for row in self.scales:
            for n0 in range(0, len(row), width):
                for g in range(8):
                    for j in range(width // 16):
                        out += [row[n0 + 16 * j + g], row[n0 + 16 * j + 8 + g]]
        return out

    def packed_zeros(self) -> bytes:
        """[group][n/64][g] words: nibble j column 16 j + g, nibble 4 + j that + 8."""
        words = []
        for row in self.zeros:
            for n0 in range(0, len(row), 64):
                for g in range(8):
                    words.append(
                        sum(
                            row[n0 + 16 * j + 8 * h + g] << 4 * (4 * h + j)
                            for j in range(4)
                            for h in range(2)
                        )
                    )
        return struct.pack(f"<{len(words)}I", *words)


def integers(rng: random.Random, rows: int, columns: int, most: int = 2) -> Matrix:
    values = range(-most, most + 1)
    return [rng.choices(values, k=columns) for _ in range(rows)]
