"""Problems of bf16, and that no kernel errs more than Marlin's order of roundings."""

import sys

import ml_dtypes
import numpy as np
import pytest

from wna16 import DTypeError, Problem, compile, reference
from wna16.dtypes import numpy_dtype
from wna16.pack import repack_scales, repack_weights

BF16 = ml_dtypes.bfloat16
N, K = 192, 512


def make_layer(dtype, seed=0):
    """Words and scales as kernels read them, codes, and scales [G, N]."""
    rng = np.random.default_rng(seed)
    words = rng.integers(-(2**31), 2**31, (N, K // 8), dtype=np.int64).astype(np.int32)
    scales = rng.uniform(0.005, 0.02, (N, K // 128)).astype(dtype)
    return (
        repack_weights(words, K, N, source="compressed_tensors"),
        repack_scales(scales, K // 128, N),
        reference.unpack_compressed_tensors(words, K),
        scales.T,
    )


def marlins_error(x, codes, scales, exact):
    """Scales are multiplied into the weights, rounded; the sum is rounded once."""
    weight = (codes.astype(scales.dtype) - scales.dtype.type(8)) * np.repeat(scales, 128, axis=0)
    assert weight.dtype == scales.dtype
    return reference.relative_error(reference.gemm(x, weight).astype(x.dtype), exact)


@pytest.mark.needs_tools("wna16-compile", "wna16-run")
@pytest.mark.needs_runtime
@pytest.mark.parametrize("name", ["f16", "bf16"])
@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
def test_error_is_at_most_marlins(name, target):
    dtype = numpy_dtype(name)
    w, s, codes, scales = make_layer(dtype)
    kernel = compile(Problem(n=N, k=K, max_m=16, dtype=name), target)
    exact_weight = reference.dequantize(codes, scales, 128)
    for m in (1, 7, 16):
        x = np.random.default_rng(m).standard_normal((m, K)).astype(dtype)
        exact = reference.gemm(x, exact_weight)
        y = kernel(x, w, s)
        assert y.dtype == dtype and y.shape == (m, N)
        assert reference.relative_error(y, exact) <= marlins_error(x, codes, scales, exact)


@pytest.mark.needs_tools("wna16-compile", "wna16-run")
@pytest.mark.needs_runtime
def test_one_hot_activations_read_out_the_weight():
    w, s, codes, scales = make_layer(np.dtype(BF16), seed=1)
    kernel = compile(Problem(n=N, k=K, max_m=16, dtype="bf16"), "sm_90a")
    weight = reference.dequantize(codes, scales, 128)
    for first in (0, 120, 496):
        x = np.eye(K, dtype=BF16)[first : first + 16]
        expected = weight[first : first + 16].astype(BF16)
        np.testing.assert_array_equal(kernel(x, w, s), expected)
        out = np.full((16, N), np.nan, BF16)
        assert kernel(x, w, s, out=out) is out
        np.testing.assert_array_equal(out, expected)


@pytest.mark.needs_tools("wna16-compile")
@pytest.mark.needs_runtime
def test_other_types_are_refused():
    w, s, _, _ = make_layer(np.dtype(BF16))
    kernel = compile(Problem(n=N, k=K, max_m=8, dtype="bf16"), "sm_90a")
    assert "bf16" in kernel.explain() and "bf16" in kernel.records[0].kernel
    x = np.zeros((2, K), BF16)
    with pytest.raises(DTypeError, match=r"x of dtype bf16, found f16 \[ARG1\]"):
        kernel(x.astype(np.float16), w, s)
    with pytest.raises(DTypeError, match=r"s of dtype bf16, found f16 \[ARG1\]"):
        kernel(x, w, s.astype(np.float16))
    with pytest.raises(DTypeError, match=r"out of dtype bf16, found float16 \[ARG1\]"):
        kernel(x, w, s, out=np.zeros((2, N), np.float16))


def test_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    with pytest.raises(DTypeError, match="ml_dtypes"):
        numpy_dtype("bf16")


def test_unknown_type_is_named():
    with pytest.raises(DTypeError, match="expected one of f16, .*bf16, found 'f8'"):
        numpy_dtype("f8")
