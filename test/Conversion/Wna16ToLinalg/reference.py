"""Runs the reference lowering on a CPU and compares it with NumPy.

The unpacker below is written from the descriptions of the formats, in plain
loops, and shares nothing with the compiler: two opinions about every layout.
Weights are random words, so every code value occurs everywhere.

usage: reference.py DIRECTORY_OF_MLIR_RUNNER_LIBRARIES
"""

import os
import re
import subprocess
import sys

import numpy as np

LOWER = [
    "--convert-elementwise-to-linalg",
    "--one-shot-bufferize=bufferize-function-boundaries",
    "--convert-linalg-to-loops",
    "--convert-scf-to-cf",
    "--expand-strided-metadata",
    "--lower-affine",
    "--finalize-memref-to-llvm",
    "--convert-arith-to-llvm",
    "--convert-func-to-llvm",
    "--convert-cf-to-llvm",
    "--reconcile-unrealized-casts",
]


# ---------------------------------------------------------------------------
# Formats
# ---------------------------------------------------------------------------


def places(layout, k, n, bits):
    """Word and position in the word of every code: two arrays of shape (k, n)."""
    word = np.full((k, n), -1)
    place = np.full((k, n), -1)
    per_word = 32 // bits
    rows, columns = np.arange(k)[:, None], np.arange(n)[None, :]
    if layout == "gptq":  # [k / per_word][n], along k
        word[:] = rows // per_word * n + columns
        place[:] = rows % per_word
    elif layout == "compressed_tensors":  # [n][k / per_word], along k
        word[:] = columns * (k // per_word) + rows // per_word
        place[:] = rows % per_word
    elif layout == "marlin":
        # What each lane of an mma.m16n8k16 holds of four 16x16 blocks.
        assert bits == 4
        next_word = 0
        for k0 in range(0, k, 16):
            for n0 in range(0, n, 64):
                for lane in range(32):
                    for block in range(4):
                        column = n0 + 16 * block + lane // 4
                        first = k0 + 2 * (lane % 4)
                        values = [
                            (row, column + half)
                            for half in (0, 8)
                            for row in (first, first + 1, first + 8, first + 9)
                        ]
                        for nibble, v in enumerate((0, 2, 4, 6, 1, 3, 5, 7)):
                            word[values[v]] = next_word
                            place[values[v]] = nibble
                        next_word += 1
    else:
        raise ValueError(layout)
    return word, place


def unpack(words, layout, k, n, bits):
    word, place = places(layout, k, n, bits)
    return (words[word] >> (place * bits).astype(np.uint32)) & ((1 << bits) - 1)


def pack(codes, layout, bits):
    k, n = codes.shape
    word, place = places(layout, k, n, bits)
    words = np.zeros(k * n * bits // 32, np.uint32)
    moved = codes.astype(np.uint32) << (place * bits).astype(np.uint32)
    np.bitwise_or.at(words, word, moved)
    return words


def unpack_scales(stored, layout, groups, n):
    """(groups, n) from storage."""
    if layout is None:
        return stored.reshape(groups, n)
    if layout == "compressed_tensors_scales":
        return stored.reshape(n, groups).T
    assert layout == "marlin_scales"
    result = np.empty((groups, n), stored.dtype)
    # A lane reads eight scales in a row: its column in each of eight blocks.
    position = 0
    for g in range(groups):
        for n0 in range(0, n, 64):
            for lane_column in range(8):
                for block in range(8):
                    result[g, n0 + lane_column + 8 * block] = stored[position]
                    position += 1
    return result


# ---------------------------------------------------------------------------
# 16-bit floats: values are kept as float32, bits as uint16
# ---------------------------------------------------------------------------


def random_floats(rng, shape, dtype):
    values = rng.uniform(-2, 2, shape).astype(np.float32)
    return values_of(bits_of(values, dtype), dtype)


def bits_of(values, dtype):
    """Bits of values rounded to f16, or cut to bf16."""
    if dtype == "f16":
        return values.astype(np.float16).view(np.uint16)
    return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def values_of(bits, dtype):
    if dtype == "f16":
        return bits.view(np.float16).astype(np.float32)
    return (bits.astype(np.uint32) << 16).view(np.float32)


HALF_ULP = {"f16": 2.0**-11, "bf16": 2.0**-8}


# ---------------------------------------------------------------------------
# Running
# ---------------------------------------------------------------------------


def run_tool(command, text):
    result = subprocess.run(command, input=text, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{command[0]} failed:\n{result.stderr}")
    return result.stdout


def execute(function, main, libraries):
    """Lowers `function`, adds `main` (which prints a memref), runs both."""
    lowered = run_tool(
        ["wna16-opt", "--verify-encoded-use", "--convert-wna16-to-linalg"], function
    )
    end = lowered.rstrip().rindex("}")
    text = run_tool(["mlir-opt", *LOWER], lowered[:end] + main + "}\n")
    shared = [
        os.path.join(libraries, f"libmlir_{name}.so")
        for name in ("c_runner_utils", "runner_utils")
    ]
    printed = run_tool(
        ["mlir-runner", "-e", "main", "--entry-point-result=void",
         "--shared-libs=" + ",".join(shared)],
        text,
    )  # fmt: skip
    data = printed[printed.index("data =") + 6 :]
    return np.array([float(v) for v in re.findall(r"[-+.\w]+", data)])


def dense(array, element):
    return f'arith.constant dense<"0x{array.tobytes().hex()}"> : ' + (
        "tensor<" + "x".join(map(str, array.shape)) + f"x{element}>"
    )


def w_type(k, n, bits, layout):
    code = f"!wna16.code<{bits}, offset = {1 << (bits - 1)}>"
    return f"tensor<{k}x{n}x{code}, #wna16.layout<{layout}>>"


def s_type(groups, n, dtype, layout):
    encoding = f", #wna16.layout<{layout}>" if layout else ""
    return f"tensor<{groups}x{n}x{dtype}{encoding}>"


def stored_scales(rng, groups, n, dtype, layout):
    """Random scales: as stored, as (groups, n) values."""
    stored = np.abs(random_floats(rng, groups * n, dtype)) + np.float32(0.25)
    stored = values_of(bits_of(stored, dtype), dtype)
    shape = (groups * n,) if layout else (groups, n)
    return bits_of(stored, dtype).reshape(shape), unpack_scales(
        stored, layout, groups, n
    )


def print_floats(value, rows, columns, dtype):
    shape = f"{rows}x{columns}"
    return f"""
      %wide = arith.extf {value} : tensor<{shape}x{dtype}> to tensor<{shape}xf32>
      %buffer = bufferization.to_buffer %wide : tensor<{shape}xf32> to memref<{shape}xf32>
      %any = memref.cast %buffer : memref<{shape}xf32> to memref<*xf32>
      call @printMemrefF32(%any) : (memref<*xf32>) -> ()
      return
    }}
    func.func private @printMemrefF32(memref<*xf32>) attributes {{llvm.emit_c_interface}}
    """


# ---------------------------------------------------------------------------
# Cases
# ---------------------------------------------------------------------------


def check_product(libraries, m, k, n, group, bits, layout, scales, dtype):
    """gemm with a dynamic M, within f32 accumulation and one rounding of fp64."""
    rng = np.random.default_rng(k + n)
    words = rng.integers(0, 1 << 32, k * n * bits // 32, dtype=np.uint32)
    s_bits, s = stored_scales(rng, k // group, n, dtype, scales)
    x = random_floats(rng, (m, k), dtype)

    w, st = w_type(k, n, bits, layout), s_type(k // group, n, dtype, scales)
    function = f"""
    func.func @layer(%x: tensor<?x{k}x{dtype}>, %w: {w}, %s: {st}) -> tensor<?x{n}x{dtype}> {{
      %y = wna16.gemm %x, %w, %s {{max_m = 16 : i64}}
          : (tensor<?x{k}x{dtype}>, {w}, {st}) -> tensor<?x{n}x{dtype}>
      return %y : tensor<?x{n}x{dtype}>
    }}"""
    s_stored = "x".join(map(str, s_bits.shape))
    main = f"""
    func.func @main() {{
      %x0 = {dense(bits_of(x, dtype), dtype)}
      %x = tensor.cast %x0 : tensor<{m}x{k}x{dtype}> to tensor<?x{k}x{dtype}>
      %w = {dense(words, "i32")}
      %s = {dense(s_bits, dtype)}
      %y = call @layer(%x, %w, %s)
          : (tensor<?x{k}x{dtype}>, tensor<{words.size}xi32>, tensor<{s_stored}x{dtype}>)
          -> tensor<?x{n}x{dtype}>
      %y0 = tensor.cast %y : tensor<?x{n}x{dtype}> to tensor<{m}x{n}x{dtype}>
      {print_floats("%y0", m, n, dtype)}"""
    got = execute(function, main, libraries).reshape(m, n)

    codes = unpack(words, layout, k, n, bits).astype(np.float64) - (1 << (bits - 1))
    weights = codes * np.repeat(s.astype(np.float64), group, axis=0)
    want = x.astype(np.float64) @ weights
    # Printing keeps six digits, hence the last term.
    sums = np.abs(x.astype(np.float64)) @ np.abs(weights)
    bound = np.abs(want) * HALF_ULP[dtype] + (k + 2) * 2.0**-24 * sums
    bound += 1e-5 * np.abs(want)
    # Not "any error above": a NaN must count as wrong.
    return bool(np.all(np.abs(got - want) <= bound))


def check_dequantize(libraries, k, n, group, bits, layout, scales, dtype="f16"):
    """dequantize, bit for bit."""
    rng = np.random.default_rng(k + n + 1)
    words = rng.integers(0, 1 << 32, k * n * bits // 32, dtype=np.uint32)
    s_bits, s = stored_scales(rng, k // group, n, dtype, scales)
    w, st = w_type(k, n, bits, layout), s_type(k // group, n, dtype, scales)
    function = f"""
    func.func @expand(%w: {w}, %s: {st}) -> tensor<{k}x{n}x{dtype}> {{
      %y = wna16.dequantize %w, %s : ({w}, {st}) -> tensor<{k}x{n}x{dtype}>
      return %y : tensor<{k}x{n}x{dtype}>
    }}"""
    s_stored = "x".join(map(str, s_bits.shape))
    main = f"""
    func.func @main() {{
      %w = {dense(words, "i32")}
      %s = {dense(s_bits, dtype)}
      %y = call @expand(%w, %s)
          : (tensor<{words.size}xi32>, tensor<{s_stored}x{dtype}>) -> tensor<{k}x{n}x{dtype}>
      {print_floats("%y", k, n, dtype)}"""
    got = execute(function, main, libraries).reshape(k, n)
    codes = unpack(words, layout, k, n, bits).astype(np.float32) - (1 << (bits - 1))
    want = codes * np.repeat(s, group, axis=0)
    return bool(np.all(got.astype(np.float16) == want.astype(np.float16)))


def check_repack(libraries, k, n, bits, source, target):
    """repack of weights, bit for bit."""
    rng = np.random.default_rng(k + n + 2)
    words = rng.integers(0, 1 << 32, k * n * bits // 32, dtype=np.uint32)
    a, b = w_type(k, n, bits, source), w_type(k, n, bits, target)
    function = f"""
    func.func @convert(%w: {a}) -> {b} {{
      %y = wna16.repack %w : {a} to {b}
      return %y : {b}
    }}"""
    stored = f"{words.size}xi32"
    main = f"""
    func.func @main() {{
      %w = {dense(words, "i32")}
      %y = call @convert(%w) : (tensor<{stored}>) -> tensor<{stored}>
      %buffer = bufferization.to_buffer %y : tensor<{stored}> to memref<{stored}>
      %any = memref.cast %buffer : memref<{stored}> to memref<*xi32>
      call @printMemrefI32(%any) : (memref<*xi32>) -> ()
      return
    }}
    func.func private @printMemrefI32(memref<*xi32>) attributes {{llvm.emit_c_interface}}
    """
    got = execute(function, main, libraries).astype(np.int64)
    want = pack(unpack(words, source, k, n, bits), target, bits)
    return bool(np.all(got == want.view(np.int32)))


def check_repack_scales(libraries, groups, n, source, target):
    """repack of scales, bit for bit."""
    rng = np.random.default_rng(groups + n)
    s_bits, s = stored_scales(rng, groups, n, "f16", source)
    a, b = s_type(groups, n, "f16", source), s_type(groups, n, "f16", target)
    function = f"""
    func.func @convert(%s: {a}) -> {b} {{
      %y = wna16.repack %s : {a} to {b}
      return %y : {b}
    }}"""
    one = f"{groups * n}"
    source_shape = one if source else f"{groups}x{n}"
    target_shape = (1, groups * n) if target else (groups, n)
    reshape = (
        f"tensor.expand_shape %y0 [[0, 1]] output_shape [1, {one}] : "
        f"tensor<{one}xf16> into tensor<1x{one}xf16>"
        if target
        else f"tensor.cast %y0 : tensor<{groups}x{n}xf16> to tensor<{groups}x{n}xf16>"
    )
    stored_target = one if target else f"{groups}x{n}"
    main = f"""
    func.func @main() {{
      %s = {dense(s_bits, "f16")}
      %y0 = call @convert(%s) : (tensor<{source_shape}xf16>) -> tensor<{stored_target}xf16>
      %y = {reshape}
      {print_floats("%y", *target_shape, "f16")}"""
    got = execute(function, main, libraries)
    got = unpack_scales(got.astype(np.float16), target, groups, n)
    return bool(np.all(got == s.astype(np.float16)))


CASES = [
    (check_product, dict(m=3, k=128, n=64, group=64, bits=4, layout="marlin",
                         scales="marlin_scales", dtype="f16")),
    (check_product, dict(m=3, k=256, n=128, group=128, bits=4, layout="marlin",
                         scales="marlin_scales", dtype="f16")),
    (check_product, dict(m=1, k=256, n=128, group=128, bits=4, layout="marlin",
                         scales=None, dtype="bf16")),
    (check_product, dict(m=3, k=128, n=128, group=32, bits=4,
                         layout="compressed_tensors",
                         scales="compressed_tensors_scales", dtype="f16")),
    (check_product, dict(m=3, k=256, n=64, group=256, bits=4, layout="gptq",
                         scales=None, dtype="f16")),
    # Extents that are no powers of two.
    (check_product, dict(m=2, k=96, n=10, group=32, bits=8, layout="gptq",
                         scales="compressed_tensors_scales", dtype="f16")),
    (check_dequantize, dict(k=48, n=192, group=16, bits=4, layout="marlin",
                            scales="marlin_scales")),
    (check_dequantize, dict(k=96, n=24, group=24, bits=2,
                            layout="compressed_tensors", scales=None)),
    (check_repack, dict(k=128, n=128, bits=4, source="gptq", target="marlin")),
    (check_repack, dict(k=128, n=64, bits=4, source="marlin",
                        target="compressed_tensors")),
    (check_repack_scales, dict(groups=3, n=128, source=None,
                               target="marlin_scales")),
    (check_repack_scales, dict(groups=2, n=64, source="compressed_tensors_scales",
                               target=None)),
]  # fmt: skip


def main():
    libraries = sys.argv[1]
    wrong = 0
    for check, arguments in CASES:
        good = check(libraries, **arguments)
        wrong += not good
        words = " ".join(f"{k}={v}" for k, v in arguments.items())
        print("ok   " if good else "WRONG", check.__name__, words)
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
