"""Wrong PyTorch tensors are refused before anything is launched."""

import pytest
import torch
from layers import Layer, activations

import wna16

N, K = 256, 384


@pytest.fixture
def setup(kernel_for):
    return kernel_for(N, K), Layer(N, K), activations(7, K)


@pytest.mark.parametrize(
    "change, error, text",
    [
        (dict(x=lambda x: x.cpu()), wna16.LaunchError, "x in host memory"),
        (dict(x=lambda x: x.float()), wna16.DTypeError, "x of dtype f16, found f32"),
        (dict(x=lambda x: x.bfloat16()), wna16.DTypeError, "found bf16"),
        (dict(x=lambda x: x[:, :-8]), wna16.ShapeError, "x of shape"),
        (dict(x=lambda x: x[0]), wna16.DTypeError, "2-D array"),
        (dict(x=lambda x: x.repeat(1 << 18, 1)), wna16.ShapeError, "at most"),
        (dict(x=lambda x: x.t().contiguous().t()), wna16.ShapeError, "strides"),
        (dict(w=lambda w: w.cpu()), wna16.LaunchError, "w in host memory"),
        (dict(w=lambda w: w.long()), wna16.DTypeError, "w of dtype i32"),
        (dict(w=lambda w: w[:-1]), wna16.ShapeError, "w to hold"),
        (dict(w=lambda w: w.t()), wna16.ShapeError, "w to be contiguous"),
        (dict(s=lambda s: s[:0]), wna16.ShapeError, "s to hold"),
        (dict(s=lambda s: None), wna16.DTypeError, "expected s"),
    ],
)
def test_refused(setup, change, error, text):
    kernel, layer, x = setup
    arguments = {"x": x, "w": layer.w, "s": layer.s}
    for name, function in change.items():
        arguments[name] = function(arguments[name])
    with pytest.raises(error, match=text):
        kernel(**arguments)


def test_unaligned_address(setup):
    kernel, layer, x = setup
    base = torch.zeros(7 * K + 8, dtype=torch.float16, device="cuda")
    with pytest.raises(wna16.ShapeError, match="multiple of 16 bytes"):
        kernel(base[1 : 1 + 7 * K].view(7, K), layer.w, layer.s)


def test_row_stride_must_be_a_multiple_of_eight(setup):
    kernel, layer, x = setup
    base = torch.zeros((7, K + 4), dtype=torch.float16, device="cuda")
    with pytest.raises(wna16.ShapeError, match="multiple of 8"):
        kernel(base[:, :K], layer.w, layer.s)


def test_no_rows(setup):
    kernel, layer, x = setup
    y = kernel(x[:0], layer.w, layer.s)
    assert y.shape == (0, N) and y.is_cuda


def test_ptx_gives_the_same_bits(setup):
    """Without a cubin the driver compiles the PTX."""
    import dataclasses

    from wna16.artifact import Artifact

    kernel, layer, x = setup
    artifact = kernel.artifact
    ptx_only = Artifact(
        artifact.problem,
        artifact.target,
        tuple((m, dataclasses.replace(r, cubin=None)) for m, r in artifact.kernels),
    )
    y = wna16.Kernel(ptx_only)(x, layer.w, layer.s)
    assert torch.equal(y, kernel(x, layer.w, layer.s))


def test_driver_reports_the_records_resources(setup):
    from wna16.runtime import runtime

    kernel, _, _ = setup
    for record in kernel.records:
        if record.cubin is None or record.resources is None:
            pytest.skip("compiled without ptxas")
        module = runtime().load_module(0, record.cubin.read_bytes())
        function = runtime().module_function(module, record.kernel, record.shared_bytes)
        info = runtime().function_info(function)
        runtime().unload(module)
        assert info.registers == record.resources.registers
        assert info.local_bytes == 0
