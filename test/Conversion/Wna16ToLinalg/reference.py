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


def lane_places(k, n, bits):
    """What each lane of an mma.m16n8k16 holds of a 16x64 tile, word for word.

    Blocks of eight columns; in a word first all at even k, then all at odd k, each
    block as (k, k + 8).
    """
    word = np.full((k, n), -1)
    shift = np.full((k, n), -1)
    next_word, blocks = 0, 8 // bits
    for k0 in range(0, k, 16):
        for n0 in range(0, n, 64):
            for lane in range(32):
                for first_block in range(0, 8, blocks):
                    values = [
                        (k0 + 2 * (lane % 4) + odd + eight, n0 + 8 * block + lane // 4)
                        for odd in (0, 1)
                        for block in range(first_block, first_block + blocks)
                        for eight in (0, 8)
                    ]
                    for i, at in enumerate(values):
                        word[at], shift[at] = next_word, bits * i
                    next_word += 1
    return word, shift


def zero_places(g, n, bits):
    """Marlin's zero points: 8 columns, eight apart, interleaved, then the next ones."""
    word = np.full((g, n), -1)
    shift = np.full((g, n), -1)
    order = (0, 2, 4, 6, 1, 3, 5, 7) if bits == 4 else (0, 2, 1, 3)
    next_word = 0
    for row in range(g):
        for n0 in range(0, n, 64):
            for column in range(8):
                for first in range(0, 8, len(order)):
                    for i, block in enumerate(order):
                        at = (row, n0 + column + 8 * (first + block))
                        word[at], shift[at] = next_word, bits * i
                    next_word += 1
    return word, shift


def bit_places(layout, k, n, bits):
    """Of every bit of every code its word and its place there; and the words in all:
    arrays of shape (bits, k, n)."""
    rows, columns = np.arange(k)[:, None], np.arange(n)[None, :]
    bit = np.arange(bits)[:, None, None]
    if layout == "marlin":
        words, places, used = [], [], 0
        for width in (8, 4, 2, 1):  # planes, the lowest bits in the widest
            if bits & width:
                word, shift = lane_places(k, n, width)
                for i in range(width):
                    words.append(used + word)
                    places.append(shift + i)
                used += k * n * width // 32
        return np.array(words), np.array(places), used
    if layout == "marlin_zeros":
        word, shift = zero_places(k, n, bits)
        return np.broadcast_to(word, (bits, k, n)), shift + bit, k * n * bits // 32
    if layout in ("awq", "awq_zeros"):
        nibble = np.array([0, 4, 1, 5, 2, 6, 3, 7])[columns % 8]
        word = np.broadcast_to(rows * (n // 8) + columns // 8, (bits, k, n))
        return word, np.broadcast_to(4 * nibble + bit, (bits, k, n)), k * n // 8
    # Streams of bits along k (weights) or n (zero points).
    along, stream, lengths = (
        (columns, rows, (n, k)) if layout.endswith("_zeros") else (rows, columns, (k, n))
    )
    place = along * bits + bit
    per_stream = -(-lengths[0] * bits // 32)
    if layout in ("gptq", "compressed_tensors_zeros"):  # word by word, side by side
        word = place // 32 * lengths[1] + stream
    else:  # one stream after the other
        assert layout in ("compressed_tensors", "gptq_zeros"), layout
        word = stream * per_stream + place // 32
    return word, np.broadcast_to(place % 32, word.shape), per_stream * lengths[1]


def stored_words(layout, k, n, bits):
    return bit_places(layout, k, n, bits)[2]


def unpack(words, layout, k, n, bits):
    word, place, _ = bit_places(layout, k, n, bits)
    ones = words[word] >> place.astype(np.uint32) & 1
    return sum(ones[i] << np.uint32(i) for i in range(bits))


def pack(codes, layout, bits):
    word, place, count = bit_places(layout, *codes.shape, bits)
    words = np.zeros(count, np.uint32)
    for i in range(bits):
        one = codes.astype(np.uint32) >> np.uint32(i) & 1
        np.bitwise_or.at(words, word[i], one << place[i].astype(np.uint32))
    return words


def unpack_scales(stored, layout, groups, n):
    """(groups, n) from storage."""
    if layout is None:
        return stored.reshape(groups, n)
    if layout == "compressed_tensors_scales":
        return stored.reshape(n, groups).T
    if layout == "marlin_channel_scales":
        # Pairs of columns, eight apart, are neighbours in every 32.
        order = [2 * i + t for i in range(4) for t in (0, 1, 8, 9, 16, 17, 24, 25)]
        result = np.empty((groups, n // 32, 32), stored.dtype)
        result[:, :, order] = stored.reshape(groups, n // 32, 32)
        return result.reshape(groups, n)
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


def w_type(k, n, bits, layout, offset=True):
    code = f"!wna16.code<{bits}, offset = {1 << (bits - 1)}>" if offset else f"!wna16.code<{bits}>"
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
    words = rng.integers(0, 1 << 32, stored_words(layout, k, n, bits), dtype=np.uint32)
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


def check_asymmetric(libraries, m, k, n, stored_k, stored_n, group):
    """gemm with zero points, bias, an f32 result, bf16 scales, and padding."""
    rng = np.random.default_rng(k + n + 3)
    groups = stored_k // group
    words = rng.integers(0, 1 << 32, stored_k * stored_n // 8, dtype=np.uint32)
    zero_words = rng.integers(0, 1 << 32, groups * stored_n // 8, dtype=np.uint32)
    s_bits, s = stored_scales(rng, groups, stored_n, "bf16", None)
    bias = random_floats(rng, (1, stored_n), "f16")
    x = random_floats(rng, (m, k), "f16")

    w = f"tensor<{stored_k}x{stored_n}x!wna16.code<4>, #wna16.layout<gptq>>"
    st = s_type(groups, stored_n, "bf16", None)
    z = f"tensor<{groups}x{stored_n}x!wna16.code<4>, #wna16.layout<gptq_zeros>>"
    b = f"tensor<1x{stored_n}xf16>"
    types = f"tensor<?x{k}xf16>, {w}, {st}, {z}, {b}"
    function = f"""
    func.func @layer(%x: tensor<?x{k}xf16>, %w: {w}, %s: {st}, %z: {z}, %b: {b})
        -> tensor<?x{n}xf32> {{
      %y = wna16.gemm %x, %w, %s zeros %z bias %b {{max_m = 16 : i64}}
          : ({types}) -> tensor<?x{n}xf32>
      return %y : tensor<?x{n}xf32>
    }}"""
    main = f"""
    func.func @main() {{
      %x0 = {dense(bits_of(x, "f16"), "f16")}
      %x = tensor.cast %x0 : tensor<{m}x{k}xf16> to tensor<?x{k}xf16>
      %w = {dense(words, "i32")}
      %s = {dense(s_bits, "bf16")}
      %z = {dense(zero_words, "i32")}
      %b = {dense(bits_of(bias, "f16"), "f16")}
      %y = call @layer(%x, %w, %s, %z, %b)
          : (tensor<?x{k}xf16>, tensor<{words.size}xi32>, {st},
             tensor<{zero_words.size}xi32>, {b}) -> tensor<?x{n}xf32>
      %y0 = tensor.cast %y : tensor<?x{n}xf32> to tensor<{m}x{n}xf32>
      %buffer = bufferization.to_buffer %y0 : tensor<{m}x{n}xf32> to memref<{m}x{n}xf32>
      %any = memref.cast %buffer : memref<{m}x{n}xf32> to memref<*xf32>
      call @printMemrefF32(%any) : (memref<*xf32>) -> ()
      return
    }}
    func.func private @printMemrefF32(memref<*xf32>) attributes {{llvm.emit_c_interface}}
    """
    got = execute(function, main, libraries).reshape(m, n)

    codes = unpack(words, "gptq", stored_k, stored_n, 4).astype(np.float64)
    # Along N, eight to a word, low bits first.
    places = np.arange(groups * stored_n)
    zeros = zero_words[places // 8] >> (4 * (places % 8)).astype(np.uint32) & 15
    zeros = zeros.reshape(groups, stored_n).astype(np.float64)
    weights = (codes - np.repeat(zeros, group, axis=0)) * np.repeat(s, group, axis=0)
    weights = weights[:k, :n]
    want = x.astype(np.float64) @ weights + bias[:, :n]
    sums = np.abs(x.astype(np.float64)) @ np.abs(weights) + np.abs(bias[:, :n])
    bound = (k + 3) * 2.0**-24 * sums + 1e-5 * np.abs(want)
    return bool(np.all(np.abs(got - want) <= bound))


def check_dequantize(libraries, k, n, group, bits, layout, scales, dtype="f16"):
    """dequantize, bit for bit."""
    rng = np.random.default_rng(k + n + 1)
    words = rng.integers(0, 1 << 32, stored_words(layout, k, n, bits), dtype=np.uint32)
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
    """repack of weights or zero points, bit for bit."""
    rng = np.random.default_rng(k + n + 2)
    words = rng.integers(0, 1 << 32, stored_words(source, k, n, bits), dtype=np.uint32)
    offset = not source.endswith("_zeros")
    a, b = w_type(k, n, bits, source, offset), w_type(k, n, bits, target, offset)
    function = f"""
    func.func @convert(%w: {a}) -> {b} {{
      %y = wna16.repack %w : {a} to {b}
      return %y : {b}
    }}"""
    want = pack(unpack(words, source, k, n, bits), target, bits)
    stored, result = f"{words.size}xi32", f"{want.size}xi32"
    main = f"""
    func.func @main() {{
      %w = {dense(words, "i32")}
      %y = call @convert(%w) : (tensor<{stored}>) -> tensor<{result}>
      %buffer = bufferization.to_buffer %y : tensor<{result}> to memref<{result}>
      %any = memref.cast %buffer : memref<{result}> to memref<*xi32>
      call @printMemrefI32(%any) : (memref<*xi32>) -> ()
      return
    }}
    func.func private @printMemrefI32(memref<*xi32>) attributes {{llvm.emit_c_interface}}
    """
    got = execute(function, main, libraries).astype(np.int64)
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
    (check_asymmetric, dict(m=3, k=90, n=50, stored_k=96, stored_n=64, group=32)),
    (check_dequantize, dict(k=48, n=192, group=16, bits=4, layout="marlin",
                            scales="marlin_scales")),
    (check_dequantize, dict(k=96, n=24, group=24, bits=2,
                            layout="compressed_tensors", scales=None)),
    # Planes and streams.
    (check_product, dict(m=2, k=64, n=64, group=16, bits=3, layout="marlin",
                         scales="marlin_channel_scales", dtype="f16")),
    (check_dequantize, dict(k=32, n=64, group=16, bits=7, layout="marlin",
                            scales=None)),
    (check_dequantize, dict(k=32, n=64, group=32, bits=1, layout="marlin",
                            scales=None)),
    (check_dequantize, dict(k=32, n=64, group=32, bits=2, layout="marlin",
                            scales=None)),
    (check_dequantize, dict(k=32, n=64, group=32, bits=8, layout="marlin",
                            scales=None)),
    (check_dequantize, dict(k=64, n=7, group=32, bits=3, layout="gptq",
                            scales=None)),
    (check_dequantize, dict(k=21, n=5, group=7, bits=5,
                            layout="compressed_tensors", scales=None)),
    (check_dequantize, dict(k=21, n=24, group=7, bits=4, layout="awq",
                            scales=None)),
    (check_repack, dict(k=128, n=128, bits=4, source="gptq", target="marlin")),
    (check_repack, dict(k=32, n=64, bits=5, source="gptq", target="marlin")),
    (check_repack, dict(k=32, n=64, bits=6, source="marlin",
                        target="compressed_tensors")),
    (check_repack, dict(k=16, n=64, bits=4, source="awq", target="marlin")),
    (check_repack, dict(k=3, n=128, bits=4, source="awq_zeros",
                        target="marlin_zeros")),
    (check_repack, dict(k=3, n=64, bits=8, source="marlin_zeros",
                        target="compressed_tensors_zeros")),
    (check_repack, dict(k=3, n=32, bits=3, source="gptq_zeros",
                        target="compressed_tensors_zeros")),
    (check_repack_scales, dict(groups=2, n=96, source=None,
                               target="marlin_channel_scales")),
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
