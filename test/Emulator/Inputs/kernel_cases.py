"""The kernels of Inputs/Kernels: data for a launch and what must come out.

All numbers are small integers, so every sum is exact in every order and results
are compared bit for bit. Plain Python: the tests that use this need no packages.
"""
import dataclasses
import json
import os
import random
import struct
from typing import Callable

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Kernels")
DTYPES = {"f16": "e", "f32": "f", "i32": "i"}
Matrix = list[list[int]]


@dataclasses.dataclass
class Data:
    inputs: dict[str, bytes]
    expected: dict[str, bytes]


@dataclasses.dataclass
class Case:
    kernel: str
    symbols: dict[str, int]
    make: Callable[[random.Random, dict[str, int]], Data]

    def data(self, seed: int = 1) -> Data:
        return self.make(random.Random(seed), self.symbols)

    def record(self) -> dict:
        with open(os.path.join(FOLDER, self.kernel + ".json"), encoding="utf-8") as file:
            return json.load(file)

    def ptx(self) -> str:
        with open(os.path.join(FOLDER, self.kernel + ".ptx"), encoding="utf-8") as file:
            return file.read()

    def __str__(self) -> str:
        return self.kernel + "".join(f" {name}={n}" for name, n in self.symbols.items())


def pack(values: list, dtype: str) -> bytes:
    return struct.pack(f"<{len(values)}{DTYPES[dtype]}", *values)


def flat(rows: Matrix) -> list[int]:
    return [value for row in rows for value in row]


def matrix(rng: random.Random, rows: int, columns: int, most: int = 3) -> Matrix:
    return [[rng.randint(-most, most) for _ in range(columns)] for _ in range(rows)]


def product(x: Matrix, w: Matrix) -> Matrix:
    """[M][N] of x [M][K] and w [N][K]."""
    return [[sum(map(int.__mul__, row, column)) for column in w] for row in x]


def fragment_order(w: Matrix) -> list[int]:
    """[N/16][K/16][lane][8]: what each lane holds as A of mma.m16n8k16."""
    out = []
    for n in range(0, len(w), 16):
        for k in range(0, len(w[0]), 16):
            for lane in range(32):
                g, t = lane // 4, lane % 4
                for dk, dn in ((0, 0), (0, 8), (8, 0), (8, 8)):
                    out += w[n + g + dn][k + 2 * t + dk : k + 2 * t + dk + 2]
    return out


def code_words(w: Matrix) -> list[int]:
    """[N/64][K/64][warp][lane][k tile] words of eight codes w + 8."""
    out = []
    for n in range(0, len(w), 64):
        for k in range(0, len(w[0]), 64):
            for warp in range(4):
                for lane in range(32):
                    row, column = n + 16 * warp + lane // 4, k + 2 * (lane % 4)
                    for tile in range(column, column + 64, 16):
                        word = 0
                        for high in (0, 1):
                            for i, (dn, dk) in enumerate(((0, 0), (0, 8), (8, 0), (8, 8))):
                                code = w[row + dn][tile + dk + high] + 8
                                word |= code << (4 * i + 16 * high)
                        out.append(word - (1 << 32) if word >> 31 else word)
    return out


def gemm(arrange: Callable[[Matrix], list[int]], dtype: str):
    def make(rng: random.Random, symbols: dict[str, int]) -> Data:
        x = matrix(rng, symbols["M"], symbols["K"])
        w = matrix(rng, symbols["N"], symbols["K"])
        y = flat(product(x, w))
        assert max(map(abs, y)) <= 2048, "not exact in fp16"
        w_type = "i32" if arrange is code_words else "f16"
        inputs = {"x": pack(flat(x), "f16"), "w": pack(arrange(w), w_type)}
        return Data(inputs, {"y": pack(y, dtype)})

    return make


def gemv(rng: random.Random, symbols: dict[str, int]) -> Data:
    x = matrix(rng, 1, symbols["K"])
    w = matrix(rng, symbols["K"], symbols["N"])
    y = product(x, [list(column) for column in zip(*w)])[0]
    return Data({"x": pack(x[0], "f32"), "w": pack(flat(w), "f32")}, {"y": pack(y, "f32")})


def scaled_gemv(rng: random.Random, symbols: dict[str, int]) -> Data:
    data = gemv(rng, symbols)
    scale = [2.0 ** rng.randint(-3, 3) for _ in range(symbols["N"])]
    y = struct.unpack(f"<{len(scale)}f", data.expected["y"])
    data.inputs["scale"] = pack(scale, "f32")
    data.expected["y"] = pack([a * b for a, b in zip(y, scale)], "f32")
    return data


def split_gemv(rng: random.Random, symbols: dict[str, int]) -> Data:
    data = gemv(rng, symbols)
    zeros = pack([0] * symbols["blocks"], "i32")
    data.inputs["partials"] = pack([float("nan")] * symbols["splits"] * symbols["N"], "f32")
    data.inputs["counters"] = data.expected["counters"] = zeros
    return data


def roles(rng: random.Random, symbols: dict[str, int]) -> Data:
    x = matrix(rng, symbols["rows"], 128)
    y = [sum(row[(j + 1) % 128] for row in x) for j in range(128)]
    return Data({"x": pack(flat(x), "f32")}, {"y": pack(y, "f32")})


def lookback(rng: random.Random, symbols: dict[str, int]) -> Data:
    x = [rng.randint(1, 100) for _ in range(symbols["blocks"])]
    y = [sum(x[: j + 1]) for j in range(len(x))]
    flags = pack([0] * len(x), "i32")
    return Data(
        {"x": pack(x, "i32"), "flags": flags, "counter": bytes(4)},
        {"y": pack(y, "i32"), "flags": flags, "counter": bytes(4)},
    )


CASES = [
    Case("bulk_ring", {"M": 5, "N": 64, "K": 640}, gemm(fragment_order, "f32")),
    Case("bulk_ring", {"M": 8, "N": 64, "K": 64}, gemm(fragment_order, "f32")),
    Case("cp_async_ring", {"M": 21, "N": 64, "K": 160}, gemm(flat, "f16")),
    Case("cp_async_ring", {"M": 1, "N": 32, "K": 32}, gemm(flat, "f16")),
    Case("cp_async_mbarrier", {"M": 7, "N": 64, "K": 448}, gemm(fragment_order, "f32")),
    Case("cp_async_wgmma", {"M": 5, "N": 128, "K": 320}, gemm(flat, "f32")),
    Case("cp_async_wgmma", {"M": 8, "N": 64, "K": 64}, gemm(flat, "f32")),
    Case("tensor_wgmma", {"M": 70, "N": 128, "K": 192}, gemm(flat, "f16")),
    Case("register_wgmma", {"M": 21, "N": 128, "K": 320, "K8": 40}, gemm(code_words, "f32")),
    Case("cluster_reduce", {"N": 128, "K": 32}, scaled_gemv),
    Case("cluster_read", {"N": 128, "K": 32}, gemv),
    Case("ticket", {"N": 128, "K": 48, "splits": 3, "blocks": 2}, split_gemv),
    Case("dependent", {"N": 128, "K": 9}, gemv),
    Case("dependent", {"N": 64, "K": 4}, gemv),
    Case("roles", {"rows": 6}, roles),
    Case("lookback", {"blocks": 5}, lookback),
]
