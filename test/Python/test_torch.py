"""PyTorch tensors without a GPU: described without importing torch; refused by kernels for
a GPU, multiplied by those for a CPU."""

import pytest

torch = pytest.importorskip(
    "torch", reason="PyTorch is not installed: its tensors are not tested here"
)

import numpy as np  # noqa: E402
from test_cpu import Layer, within  # noqa: E402
from wna16 import DTypeError, LaunchError, compile  # noqa: E402
from wna16.api import Kernel  # noqa: E402
from wna16.artifact import Artifact  # noqa: E402
from wna16.buffers import bind, describe  # noqa: E402
from wna16.pack import repack_scales, repack_weights  # noqa: E402
from wna16.problem import Problem  # noqa: E402
from wna16.targets import host_cpu_target  # noqa: E402


TORCH = {"f16": "float16", "bf16": "bfloat16"}


def tensors(m=7):
    return {
        "x": torch.zeros((m, 520), dtype=torch.float16)[:, :512],
        "w": torch.zeros((32, 768), dtype=torch.int32),
        "s": torch.zeros((4, 384), dtype=torch.float16),
        "y": torch.zeros((m, 384), dtype=torch.float16),
    }


def test_describe(record):
    described = {name: describe(t, name) for name, t in tensors().items()}
    assert described["x"].strides == (520, 1) and described["x"].device is None
    assert described["x"].dtype == "f16" and described["w"].dtype == "i32"
    assert bind(record, described) == {"M": 7, "ldx": 520}


def test_bfloat16_is_named(record):
    described = {name: describe(t, name) for name, t in tensors().items()}
    described["x"] = describe(tensors()["x"].bfloat16(), "x")
    with pytest.raises(DTypeError, match="x of dtype f16, found bf16"):
        bind(record, described)


def test_host_tensors_are_refused(record):
    kernel = Kernel(Artifact(Problem(n=384, k=512), "sm_90a", ((16, record),)))
    t = tensors()
    with pytest.raises(LaunchError, match="x in host memory"):
        kernel(t["x"], t["w"], t["s"])


def test_tensors_without_memory_are_refused():
    with pytest.raises(DTypeError, match="on a CUDA device, found meta"):
        describe(torch.empty(3, device="meta"), "x")


@pytest.mark.needs_tools("wna16-compile")
@pytest.mark.needs_runtime
@pytest.mark.skipif(host_cpu_target() is None, reason="no code for this CPU")
@pytest.mark.parametrize("dtype", ["f16", "bf16"])
def test_products_of_host_tensors(dtype):
    layer = Layer(256, 192, 128, 4, False, "f16", None, 7)
    w = repack_weights(layer.words, 256, 192, source="gptq")
    s = repack_scales(np.ascontiguousarray(layer.s.T), 2, 192)
    # As bytes: PyTorch and NumPy need not have been built for each other.
    w = torch.frombuffer(bytearray(w.tobytes()), dtype=torch.int32)
    s = torch.frombuffer(bytearray(s.tobytes()), dtype=torch.float16)
    kernel = compile(Problem(n=192, k=256, dtype=dtype, scale_dtype="f16"), "cpu")
    for m in (0, 1, 7):
        # Rows lie apart, and what lies between must not matter.
        memory = torch.full((m, 264), torch.nan, dtype=getattr(torch, TORCH[dtype]))
        x = memory[:, :256]
        x.copy_(torch.randn((m, 256)))
        exact = np.array(x.double().tolist()).reshape(m, 256)
        y = kernel(x, w, s)
        assert type(y) is torch.Tensor and y.dtype == x.dtype and y.shape == (m, 192)
        out = torch.full((m + 1, 192), torch.nan, dtype=x.dtype)
        kernel(x, w, s, out=out[:m])
        assert torch.equal(out[:m], y) and out[m:].isnan().all()
        sums = np.abs(exact) @ np.abs(layer.weight)
        found = np.array(y.double().tolist()).reshape(m, 192)
        assert within(found, exact @ layer.weight, sums, 256, dtype)
