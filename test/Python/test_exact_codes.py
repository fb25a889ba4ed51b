"""Every code of every width becomes its number exactly, and sums do not overflow in between.

Field reports I1 to I7 (numerics: decode, fp32 sums, bf16 as it is) and N3 (8-bit weights);
I2, sums of several blocks, is in test_reported_layers.py, I6, a bound, in test_accuracy.py.
"""

import numpy as np
import pytest

import wna16
from wna16 import Problem, pack
from wna16.dtypes import numpy_dtype

pytestmark = [
    pytest.mark.needs_tools("wna16-compile", "wna16-run"),
    pytest.mark.needs_runtime,
]

N, K = 64, 128


def arrays(p, codes, scales, zeros):
    w = pack.repack_weights(
        codes, K, N, source="row_major", bits=p.bits, target_shape=(p.stored_k, p.stored_n)
    )
    rows = scales.shape[0]
    s = pack.repack_scales(scales, rows, N, source="row_major")
    if not p.has_zeros:
        return w, s
    return w, s, pack.repack_zeros(zeros, rows, N, source="row_major", bits=p.bits)


@pytest.mark.parametrize("bits", range(1, 9))
@pytest.mark.parametrize("dtype", ["f16", "bf16"])
@pytest.mark.parametrize("offset", [None, wna16.problem.SYMMETRIC], ids=["zeros", "offset"])
def test_all_codes(bits, dtype, offset):
    """I3, N3: rows of the identity read out code - zero, which every 16-bit type has exactly."""
    target = "sm_80" if bits % 2 else "sm_90a"
    p = Problem(n=N, k=K, max_m=K, bits=bits, offset=offset, group=32, dtype=dtype)
    rng = np.random.default_rng(bits)
    # Every code in every row of an instruction.
    codes = rng.permuted(np.tile(np.arange(N * 16) % (1 << bits), (K // 16, 1)), axis=1)
    codes = codes.reshape(K // 16, N, 16).transpose(0, 2, 1).reshape(K, N).astype(np.uint8)
    zeros = rng.integers(0, 1 << bits, (K // 32, N), dtype=np.uint8)
    ones = np.ones((K // 32, N), numpy_dtype(dtype))
    kernel = wna16.compile(p, target)
    y = kernel(np.eye(K, dtype=numpy_dtype(dtype)), *arrays(p, codes, ones, zeros))
    zero = np.repeat(zeros.astype(float), 32, axis=0) if p.has_zeros else p.offset
    assert (y.astype(float) == codes.astype(float) - zero).all()


@pytest.mark.parametrize("dtype, out", [("f16", "f32"), ("bf16", "f32"), ("f16", "f16")])
def test_sums_beyond_16_bits(dtype, out):
    """I1, I5: partial sums of 10^7 that cancel: only a result that is too large itself is infinite."""
    p = Problem(n=N, k=K, max_m=8, bits=8, group=-1, dtype=dtype, out_dtype=out)
    codes = np.full((K, N), 255, np.uint8)
    codes[K // 2 :] = 1  # -127 after 127
    codes[:, 1] = 255
    scales = np.full((1, N), 8, numpy_dtype(dtype))
    y = wna16.compile(p, "sm_90a")(
        np.full((3, K), 128, numpy_dtype(dtype)), *arrays(p, codes, scales, None)
    )
    assert (y[:, 0] == 0).all() and (y[:, 2:] == 0).all()
    true = 128.0 * K * 127 * 8
    assert (y[:, 1] == (np.inf if out == "f16" else true)).all()


@pytest.mark.parametrize("bits", [3, 4, 8])
def test_bf16_scales_of_f16_layers(bits):
    """Scales that f16 does not have are not converted to it (I4, I7)."""
    p = Problem(n=N, k=K, max_m=8, bits=bits, group=64, scale_dtype="bf16", out_dtype="f32")
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 1 << bits, (K, N), dtype=np.uint8)
    scales = np.full((2, N), 3e-7, numpy_dtype("bf16"))  # f16 has 2.98e-7 or 3.58e-7
    x = np.full((2, K), 60000, np.float16)
    y = wna16.compile(p, "sm_80")(x, *arrays(p, codes, scales, None))
    weight = (codes.astype(float) - p.offset) * float(scales[0, 0])
    exact = x.astype(float) @ weight
    size = np.abs(x.astype(float)) @ np.abs(weight)
    # Weights are rounded to f16, in steps of 2^-24 here.
    assert (np.abs(y - exact) <= 60000 * K * 2.0**-25 + 1e-5 * size).all()
