"""Arguments against the launch record: every way to be wrong, and the right ones."""

import numpy as np
import pytest

from wna16 import DTypeError, ShapeError
from wna16.artifact import read_record
from wna16.buffers import Buffer, bind, describe
from wna16.errors import LaunchError

from conftest import record_json, write_record

K, N = 512, 384


def aligned(shape, dtype, offset_bytes=0):
    """An array whose address is `offset_bytes` past a multiple of 64."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.zeros(size + 128, np.uint8)
    start = -raw.ctypes.data % 64 + offset_bytes
    return raw[start : start + size].view(dtype).reshape(shape)


def arguments(m=7, **changes):
    arrays = {
        "x": aligned((m, K), np.float16),
        "w": aligned((N * K // 8,), np.int32),
        "s": aligned((N * K // 128,), np.float16),
        "y": aligned((m, N), np.float16),
    }
    arrays.update(changes)
    return {name: describe(a, name) for name, a in arrays.items()}


def test_symbols_are_solved(record):
    assert bind(record, arguments()) == {"M": 7, "ldx": K}


def test_row_stride_is_a_symbol(record):
    x = aligned((7, K + 8), np.float16)[:, :K]
    assert bind(record, arguments(x=x)) == {"M": 7, "ldx": K + 8}


@pytest.mark.parametrize("m", [0, 1])
def test_stride_of_one_row_does_not_matter(record, m):
    x = Buffer(16, (m, K), (3, 1), "f16", None)
    symbols = bind(record, {**arguments(m), "x": x})
    assert symbols == {"M": m, "ldx": K}


def test_packed_buffers_of_any_shape(record):
    w = aligned((K // 16, N * 2), np.int32)
    s = aligned((K // 128, N), np.float16)
    assert bind(record, arguments(w=w, s=s))["M"] == 7


@pytest.mark.parametrize(
    "changes, error, text",
    [
        (dict(x=np.zeros((7, K), np.float32)), DTypeError, "x of dtype f16, found f32 [ARG1]"),
        (dict(w=np.zeros(N * K // 8, np.int64)), DTypeError, "w of dtype i32, found i64"),
        (dict(s=np.zeros(N * K // 128, np.uint16)), DTypeError, "s of dtype f16, found uint16"),
        (dict(x=aligned((7, K + 8), np.float16)), ShapeError, "[M, 512]"),
        (dict(x=aligned((K,), np.float16)), ShapeError, "[M, 512], found [512] [ARG2]"),
        (dict(w=aligned((10,), np.int32)), ShapeError, "w to hold 24576 elements (marlin"),
        (dict(s=aligned((0, N), np.float16)), ShapeError, "s to hold 1536 elements"),
        (dict(y=aligned((8, N), np.float16)), ShapeError, "with M = 7, found [8, 384]"),
        (dict(y=aligned((7, N + 8), np.float16)[:, :N]), ShapeError, "strides [384, 1]"),
        (
            dict(x=aligned((7, K + 4), np.float16)[:, :K]),
            ShapeError,
            "ldx to be a multiple of 8, found 516 [ARG3]",
        ),
        (
            dict(x=aligned((7, 2 * K), np.float16)[:, ::2]),
            ShapeError,
            "x with strides [ldx, 1], found [1024, 2]",
        ),
        (
            dict(x=aligned((K, 8), np.float16).T[:7]),
            ShapeError,
            "strides [ldx, 1], found [1, 8]",
        ),
        (
            dict(x=np.broadcast_to(aligned((1, K), np.float16), (7, K))),
            ShapeError,
            "ldx to be at least 512, found 0",
        ),
        (
            dict(x=aligned((7, K), np.float16, 2)),
            ShapeError,
            "x at an address that is a multiple of 16 bytes",
        ),
        (dict(w=aligned((N * K // 8,), np.int32, 4)), ShapeError, "w at an address"),
        (dict(w=aligned((N * K // 4,), np.int32)[::2]), ShapeError, "w to be contiguous"),
        (dict(s=None), DTypeError, "expected s to be a NumPy array"),
        (dict(x=[[1.0]]), DTypeError, "found list"),
        (dict(x=np.zeros((7, K), ">f2")), DTypeError, "native byte order"),
    ],
)
def test_refused(record, changes, error, text):
    with pytest.raises(error) as info:
        bind(record, arguments(**changes))
    assert text in str(info.value)


def test_too_many_rows(record):
    with pytest.raises(ShapeError, match="M to be at least 0 and at most 16, found 17"):
        bind(record, arguments(17))


def test_missing_argument(record):
    buffers = arguments()
    del buffers["s"]
    with pytest.raises(ShapeError, match=r"argument s is missing \[ARG6\]"):
        bind(record, buffers)


@pytest.mark.parametrize(
    "damage, text",
    [
        (dict(format="other"), "not a launch record"),
        (dict(version=1), "version 1, expected 2"),
        (dict(arguments=[{"name": "x"}]), "incomplete"),
        (dict(ptx=None), "incomplete"),
        (dict(grid=[{}]), "incomplete"),
    ],
)
def test_damaged_record(tmp_path, damage, text):
    with pytest.raises(LaunchError, match=text):
        write_record(tmp_path, {**record_json(), **damage})


def test_missing_record(tmp_path):
    with pytest.raises(LaunchError, match="cannot read launch record"):
        read_record(tmp_path / "none.json")


def test_grid_rule(record):
    assert record.blocks({"M": 0, "ldx": K}) == (0, 6, 1)
    assert record.blocks({"M": 1, "ldx": K}) == (1, 6, 1)
    assert record.blocks({"M": 16, "ldx": K}) == (1, 6, 1)


def test_persistent_blocks_lie_along_x(tmp_path):
    record = write_record(tmp_path, {**record_json(), "persistent_blocks": 4})
    assert record.blocks({"M": 0, "ldx": K}) == (0, 1, 1)
    assert record.blocks({"M": 1, "ldx": K}) == (4, 1, 1)


@pytest.mark.parametrize("interface", [{"shape": (3, 256)}, {}, 5, {"shape": 5}])
def test_incomplete_cuda_array_interface(interface):
    class Foreign:
        __cuda_array_interface__ = interface

    with pytest.raises(DTypeError, match=r"x: __cuda_array_interface__ .*\[ARG1\]"):
        describe(Foreign(), "x")
