"""Kernels that are passed tensor maps by value, against fp64."""

import pytest
import torch
from layers import Layer, activations, poisoned, relative_error
from scheduled import K, MAX_M, N, SCHEDULES

#: Rounding the exact result to fp16 gives 2.1e-4; nothing else may be visible.
TOLERANCE = 2.5e-4


@pytest.fixture(params=list(SCHEDULES))
def kernel(request, scheduled_kernel):
    if torch.cuda.get_device_capability() < (9, 0):
        pytest.skip("bulk and tensor copies need compute capability 9.0")
    return scheduled_kernel(request.param)


def test_tensor_maps_are_parameters(kernel):
    """Else the tests below would be about something else."""
    (record,) = kernel.records
    assert any(a.kind == "tensor_map" for a in record.arguments), record.schedule


def test_against_fp64(kernel):
    layer, x = Layer(N, K), activations(MAX_M, K)
    exact = layer.exact(x)
    for m in (1, 7, 8, 15, MAX_M):
        # Two rows more than the kernel may write.
        out = poisoned(m + 2, N)
        kernel(x[:m], layer.w, layer.s, out=out[:m])
        assert torch.isnan(out[m:]).all(), f"M = {m}: rows past the end were written"
        assert relative_error(out[:m], exact[:m]) < TOLERANCE, f"M = {m}"


def test_each_launch_has_its_own_maps(kernel):
    """Launches of one shape share all but the addresses."""
    layers = [Layer(N, K, seed=seed) for seed in (3, 4)]
    inputs = [activations(MAX_M, K, seed=seed) for seed in (5, 6)]
    outputs = [poisoned(MAX_M, N) for _ in range(4)]
    cases = [(layer, x) for layer in layers for x in inputs]
    for (layer, x), out in zip(cases, outputs):
        kernel(x, layer.w, layer.s, out=out)
    for (layer, x), out in zip(cases, outputs):
        assert relative_error(out, layer.exact(x)) < TOLERANCE
