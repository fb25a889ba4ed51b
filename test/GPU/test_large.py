"""Offsets beyond 2^31 and 2^32 elements (field reports G1, G2, G3)."""

import pytest
import scheduled
import torch
from layers import Layer, activations, poisoned, relative_error

TOLERANCE = 3e-4
GIB = 1 << 30


@pytest.fixture(autouse=True)
def memory():
    if torch.cuda.mem_get_info()[0] < 16 * GIB:
        pytest.skip("needs 16 GiB of free GPU memory")
    yield
    torch.cuda.empty_cache()


@pytest.mark.parametrize("m", [5, 17])
def test_rows_of_x_that_lie_far_apart(kernel_for, m):
    """The last row begins past 2^32 bytes or elements."""
    n, k, row = 384, 512, 1 << 28
    x = torch.empty((m, row), dtype=torch.float16, device="cuda")[:, :k]
    x[...] = activations(m, k)
    kernel, layer = kernel_for(n, k, "f16", 300), Layer(n, k)
    y = kernel(x, layer.w, layer.s, out=poisoned(m, n))
    assert relative_error(y, layer.exact(x)) < TOLERANCE


def test_more_results_than_31_bits_count(scheduled_kernel):
    """As many rows as there may be; those around every power of two are looked at."""
    p = scheduled.LARGE
    layer, x, out = Layer(p.n, p.k), activations(p.max_m, p.k), poisoned(p.max_m, p.n)
    assert out.numel() > 1 << 31
    y = scheduled_kernel("large")(x, layer.w, layer.s, out=out)
    assert all(torch.isfinite(part).all() for part in y.split(1 << 16))
    edges = [(1 << bits) // p.n for bits in (29, 30, 31)] + [p.max_m // 2, p.max_m - 128]
    for edge in edges:
        rows = slice(max(0, edge - 128), edge + 128)
        assert relative_error(y[rows], layer.exact(x[rows])) < TOLERANCE, edge
