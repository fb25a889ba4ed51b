"""One problem for any number of rows: which kernel runs, and what it computes."""

import numpy as np
import pytest

from wna16 import Problem, compile, reference
from wna16.dtypes import numpy_dtype

from test_bfloat16 import K, N, make_layer, marlins_error

pytestmark = [
    pytest.mark.needs_tools("wna16-compile", "wna16-run"),
    pytest.mark.needs_runtime,
]


@pytest.mark.parametrize("name, target", [("f16", "sm_86"), ("bf16", "sm_80")])
def test_every_range(name, target):
    dtype = numpy_dtype(name)
    w, s, codes, scales = make_layer(dtype)
    kernel = compile(Problem(n=N, k=K, max_m=300, dtype=name), target)
    weight = reference.dequantize(codes, scales, 128)
    x = np.random.default_rng(5).standard_normal((300, K)).astype(dtype)
    exact = reference.gemm(x, weight)
    for m in (1, 7, 16, 17, 33, 64, 65, 100, 130, 300):
        # One row more than the kernel may write.
        out = np.full((m + 1, N), np.nan, dtype)
        y = kernel(x[:m], w, s, out=out[:m])
        assert np.isnan(out[m:]).all()
        limit = marlins_error(x[:m], codes, scales, exact[:m])
        # Scales on weights are Marlin's rounding; sums may be added in another order.
        assert reference.relative_error(y, exact[:m]) <= 1.001 * limit, m


def test_a_million_rows_launch():
    """The grid of the kernel for any M is one that every GPU takes."""
    kernel = compile(Problem(n=N, k=K, max_m=1 << 20), "sm_86")
    record = kernel.artifact.select(1 << 20)
    x, y, z = record.blocks({"M": 1 << 20, "ldx": K})
    assert x * y * z >= (1 << 20) // 256 and x < 2**31 and y < 2**16 and z < 2**16
