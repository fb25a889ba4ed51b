"""The numbers, over the whole scope of shapes and M."""

import pytest
import shapes
import torch
from layers import GROUP, Layer, activations, poisoned, relative_error

#: Rounding the exact result to fp16 gives 2.1e-4; nothing else may be visible.
TOLERANCE = 2.5e-4

SMALL = [(n, k) for _, n, k in shapes.CORRECTNESS]
LARGE = [(n, k) for _, n, k in shapes.BENCHMARK]


@pytest.mark.parametrize("n, k", SMALL + LARGE)
def test_all_rows(kernel_for, n, k):
    kernel, layer = kernel_for(n, k), Layer(n, k)
    x = activations(16, k)
    exact = layer.exact(x)
    for m in shapes.CORRECTNESS_M:
        # Two rows more than the kernel may write.
        out = poisoned(m + 2, n)
        y = kernel(x[:m], layer.w, layer.s, out=out[:m])
        assert y.shape == (m, n)
        assert torch.isnan(out[m:]).all(), f"M = {m}: rows past the end were written"
        if m:
            assert relative_error(y, exact[:m]) < TOLERANCE, f"M = {m}"


@pytest.mark.parametrize("n, k", SMALL + [(4096, 4096)])
def test_one_hot_activations_read_out_the_weight(kernel_for, n, k):
    """Row i of x selects one row of the weight: the result is that row, exactly."""
    kernel, layer = kernel_for(n, k), Layer(n, k, seed=2)
    weight = torch.cat(
        [layer.weight(f, min(4096, n - f)) for f in range(0, n, 4096)], dim=1
    ).to(torch.float16)
    identity = torch.eye(k, dtype=torch.float16, device="cuda")
    for m in (8, 16):
        rows = [
            kernel(identity[first : first + m], layer.w, layer.s, out=poisoned(m, n))
            for first in range(0, k, m)
        ]
        assert torch.equal(torch.cat(rows), weight)


@pytest.mark.parametrize("n, k", SMALL)
def test_scale_of_every_group_and_column(kernel_for, n, k):
    """All codes mean +1 and one row per group is selected: the result is the scales."""
    kernel, layer = kernel_for(n, k), Layer(n, k)
    layer.w.fill_(0x99999999 - 2**32)
    values = torch.arange(1, n * (k // GROUP) + 1, device="cuda") % 2048 + 1
    layer.s = values.to(torch.float16).reshape(k // GROUP, n)
    x = torch.zeros((k // GROUP, k), dtype=torch.float16, device="cuda")
    for g in range(k // GROUP):
        x[g, g * GROUP + (37 * g) % GROUP] = 1
    for first in range(0, len(x), 16):
        part = x[first : first + 16]
        y = kernel(part, layer.w, layer.s, out=poisoned(len(part), n))
        assert torch.equal(y, layer.scales()[first : first + 16])


@pytest.mark.parametrize("n, k", [(64, 128), (384, 512)])
def test_one_hot_weight(kernel_for, n, k):
    """One nibble at a time: its value appears in one column and nowhere else."""
    kernel, layer = kernel_for(n, k), Layer(n, k)
    layer.s.fill_(1)
    x = (torch.arange(k, device="cuda") % 1024 + 1).to(torch.float16).repeat(2, 1)
    generator = torch.Generator().manual_seed(0)
    words = layer.w.reshape(-1)
    for place in torch.randperm(words.numel() * 8, generator=generator)[:200].tolist():
        words.fill_(0x88888888 - 2**32)
        words[place // 8] ^= 1 << (4 * (place % 8))
        y = kernel(x, layer.w, layer.s, out=poisoned(2, n))
        assert torch.equal(y.to(torch.float64), layer.exact(x)), place
        assert int((y != 0).sum()) == 2, place


@pytest.mark.parametrize("n, k", [(64, 128), (4096, 4096)])
@pytest.mark.parametrize("m", [2, 7, 9, 16])
def test_strided_rows(kernel_for, n, k, m):
    kernel, layer = kernel_for(n, k), Layer(n, k)
    base = torch.full((m, k + 64), float("nan"), dtype=torch.float16, device="cuda")
    x = base[:, 8 : 8 + k]
    x.copy_(activations(m, k))
    y = kernel(x, layer.w, layer.s, out=poisoned(m, n))
    assert relative_error(y, layer.exact(x)) < TOLERANCE
    assert torch.equal(y, kernel(x.contiguous(), layer.w, layer.s))


@pytest.mark.parametrize("n, k", [(4096, 4096)])
def test_positive_activations(kernel_for, n, k):
    """No cancellation in x: what a biased dequantization would show in."""
    kernel, layer = kernel_for(n, k), Layer(n, k)
    x = activations(16, k).abs()
    y = kernel(x, layer.w, layer.s, out=poisoned(16, n))
    assert relative_error(y, layer.exact(x)) < 3e-4


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_non_finite_rows_stay_in_their_row(kernel_for, value):
    n, k = 256, 384
    kernel, layer = kernel_for(n, k), Layer(n, k)
    x = activations(9, k)
    x[4, 100] = value
    y = kernel(x, layer.w, layer.s, out=poisoned(9, n))
    assert not torch.isfinite(y[4]).all()
    keep = [0, 1, 2, 3, 5, 6, 7, 8]
    assert relative_error(y[keep], layer.exact(x[keep])) < TOLERANCE
