"""Runs a hand-written tile kernel in the emulator and compares it with NumPy.

usage: check.py KERNEL RECORD.json   KERNEL: copy, gemm-f16, dequantize

The Marlin order is written down here once more, from its definition, so that an
error in lib/Layout cannot hide.
"""
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

rng = np.random.default_rng(7)


def run(record, symbols, inputs, out_shape, out_name="y"):
    """Launches RECORD; returns its output, which was NaN before the launch."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["wna16-run", record, f"--out={out_name}={folder}/out.bin"]
        for name, value in symbols.items():
            command += ["--symbol", f"{name}={value}"]
        for name, array in inputs.items():
            path = Path(folder) / f"{name}.bin"
            array.tofile(path)
            command += ["--arg", f"{name}={path}"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return np.fromfile(f"{folder}/out.bin", np.float16).reshape(out_shape)


def strided(rows, columns, stride):
    """A matrix in rows of `stride` elements; NaN between the rows."""
    whole = np.full((rows, stride), np.nan, np.float16)
    whole[:, :columns] = rng.standard_normal((rows, columns))
    return whole, whole[:, :columns]


def expect_close(found, expected, what):
    error = np.linalg.norm(found - expected) / np.linalg.norm(expected)
    if not error < 1e-3:  # NaN fails too
        sys.exit(f"{what}: relative error {error}")


def check_copy(record):
    for m in (1, 63, 64, 100):
        whole, x = strided(m, 256, 264)
        y = run(record, {"M": m, "ldx": 264}, {"x": whole}, (m, 256))
        if not np.array_equal(y, x):
            sys.exit(f"copy of {m} rows differs")


def check_gemm(record):
    w = rng.standard_normal((512, 128)).astype(np.float16)
    for m in (1, 13, 16, 33):
        whole, x = strided(m, 512, 520)
        y = run(record, {"M": m, "ldx": 520}, {"x": whole, "w": w}, (m, 128))
        expect_close(y.astype(float), x.astype(float) @ w.astype(float), f"M = {m}")


def pack_marlin(codes):
    """int32 words of 4-bit codes [K][N] in tiles of 16 x 64, in lane order."""
    rows, columns = codes.shape
    k, n = np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij")
    tile = (k // 16) * (columns // 64) + n // 64
    lane = 4 * (n % 8) + (k % 8) // 2
    word = tile * 128 + 4 * lane + (n % 64) // 16
    nibble = 4 * (k % 2) + 2 * (n // 8 % 2) + k // 8 % 2
    words = np.zeros(rows * columns // 8, np.uint32)
    np.bitwise_or.at(words, word, codes.astype(np.uint32) << (4 * nibble).astype(np.uint32))
    return words


def pack_scales(scales):
    columns = np.arange(scales.shape[1])
    place = 64 * (columns // 64) + 8 * (columns % 8) + columns % 64 // 8
    packed = np.empty_like(scales)
    packed[:, place] = scales
    return packed


def check_dequantize(record):
    codes = rng.integers(0, 16, (256, 128))
    # Distinct per group and column, so that a wrong scale shows.
    scales = (0.01 + 1e-4 * np.arange(2 * 128).reshape(2, 128)).astype(np.float16)
    y = run(record, {}, {"w": pack_marlin(codes), "s": pack_scales(scales)}, (256, 128))
    expected = (codes - 8) * np.repeat(scales, 128, axis=0).astype(float)
    expect_close(y.astype(float), expected, "dequantize")


checks = {"copy": check_copy, "gemm-f16": check_gemm, "dequantize": check_dequantize}
checks[sys.argv[1]](sys.argv[2])
