"""Repacking on a GPU: the packer's own bits, and the time beside a copy's."""

import numpy as np
import pytest
import repackings
import torch
from layers import graph_microseconds

TYPES = {"i32": torch.int32, "f16": torch.float16, "bf16": torch.bfloat16}


def _to_gpu(array, dtype):
    """With memory of its own, so that what is around it is not read by luck."""
    kind = np.int32 if dtype == "i32" else np.int16
    return torch.from_numpy(array.view(kind)).cuda().view(TYPES[dtype])


def _bits(tensor):
    kind = torch.int32 if tensor.dtype == torch.int32 else torch.int16
    return tensor.view(kind).cpu().numpy()


@pytest.mark.parametrize(
    "case", [*repackings.ALL, repackings.HUGE], ids=lambda case: case.name
)
def test_repack(repack_kernels, case):
    data = case.data()
    expected = np.atleast_1d(case.run(data))
    expected = expected.view(np.int32 if case.dtype == "i32" else np.int16)
    for pattern in (0, -1):  # an item that is not written keeps one of them
        room = torch.full((expected.size + 64,), pattern, dtype=torch.int32, device="cuda")
        if case.dtype != "i32":
            room = room.view(torch.int16)[: expected.size + 64]
        out = room[: expected.size].view(TYPES[case.dtype])
        assert case.run(_to_gpu(data, case.dtype), out=out) is out
        np.testing.assert_array_equal(_bits(out), expected)
        assert (_bits(room[expected.size :]) == pattern).all(), "written past the end"
    made = case.run(_to_gpu(data, case.dtype))
    np.testing.assert_array_equal(_bits(made), expected)


def test_time(repack_kernels, capsys):
    case = repackings.LARGE
    data = case.data()
    source = _to_gpu(data, "i32")
    out, copy = torch.empty_like(source), torch.empty_like(source)
    case.run(source, out=out)
    np.testing.assert_array_equal(_bits(out), case.run(data))
    repacked = graph_microseconds(lambda: case.run(source, out=out))
    copied = graph_microseconds(lambda: copy.copy_(source))
    (k, n), (source_layout, _), (target_layout, _) = case.source[1], case.source, case.target
    with capsys.disabled():
        print(
            f"\nrepack {source_layout} -> {target_layout}, {case.bits} bits, K {k} N {n}: "
            f"{repacked:.1f} us; a copy of these {source.nbytes / 1e6:.1f} MB: {copied:.1f} us"
        )
    assert repacked < 20 * copied
