"""PyTorch tensors without a GPU: described without importing torch, and refused."""

import pytest

torch = pytest.importorskip(
    "torch", reason="PyTorch is not installed: its tensors are not tested here"
)

from wna16 import DTypeError, LaunchError  # noqa: E402
from wna16.api import Kernel  # noqa: E402
from wna16.artifact import Artifact  # noqa: E402
from wna16.buffers import bind, describe  # noqa: E402
from wna16.problem import Problem  # noqa: E402


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
