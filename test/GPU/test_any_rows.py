"""Any number of rows, in both element types: every kernel of a problem."""

import pytest
import shapes
import torch
from layers import Layer, activations, poisoned, relative_error

#: Rounding weights and result, which is Marlin's error, gives 2.8e-4 and 2.2e-3.
TOLERANCE = {"f16": 3e-4, "bf16": 2.4e-3}

SHAPES = [(n, k) for _, n, k in shapes.CORRECTNESS]
MAX_M = shapes.ANY_M[-1]


@pytest.mark.parametrize("n, k", SHAPES)
@pytest.mark.parametrize("dtype", sorted(TOLERANCE))
def test_all_rows(kernel_for, n, k, dtype):
    kernel, layer = kernel_for(n, k, dtype, MAX_M), Layer(n, k, dtype=dtype)
    x = activations(MAX_M, k, dtype=dtype)
    exact = layer.exact(x)
    for m in shapes.ANY_M:
        # Two rows more than the kernel may write.
        out = poisoned(m + 2, n, dtype)
        y = kernel(x[:m], layer.w, layer.s, out=out[:m])
        assert torch.isnan(out[m:]).all(), f"M = {m}: rows past the end were written"
        assert relative_error(y, exact[:m]) < TOLERANCE[dtype], f"M = {m}"
        again = kernel(x[:m], layer.w, layer.s, out=poisoned(m, n, dtype))
        assert torch.equal(y, again), f"M = {m}: another result in the second run"


@pytest.mark.parametrize("dtype", sorted(TOLERANCE))
def test_one_hot_activations_read_out_the_weight(kernel_for, dtype):
    """Row i of x selects one row of the weight: the result is that row, exactly."""
    n, k = SHAPES[-1]
    kernel, layer = kernel_for(n, k, dtype, MAX_M), Layer(n, k, seed=2, dtype=dtype)
    x = torch.eye(k, device="cuda").to(activations(1, k, dtype=dtype).dtype)
    weight = layer.weight(0, n).to(x.dtype)
    for m in (16, 33, 65, 130):
        for first in range(0, k - m, 5 * m):
            y = kernel(x[first : first + m], layer.w, layer.s, out=poisoned(m, n, dtype))
            assert torch.equal(y, weight[first : first + m]), m
