"""Repacking by a kernel: in the emulator against the packer; on a GPU, a stand-in for one."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from wna16 import build, emulate
from wna16.runtime import library_path

from conftest import ROOT

sys.path.insert(0, str(ROOT / "test" / "GPU"))
import repackings  # noqa: E402

pytestmark = [
    pytest.mark.needs_tools("wna16-compile", "wna16-run"),
    pytest.mark.needs_runtime,
]


@pytest.mark.parametrize("case", repackings.ALL, ids=lambda case: case.name)
def test_like_the_packer(case):
    """Bit for bit; the emulator's output is full of a pattern before, and it checks accesses."""
    record = build.compiled(case.text, case.name, "sm_90a")
    assert record.kernel == case.name
    data = case.data()
    shape = record.argument("x").shape
    there = emulate.run(record, {"x": data.reshape(shape)})
    expected = np.atleast_1d(case.run(data))
    kind = np.int32 if case.dtype == "i32" else np.int16
    np.testing.assert_array_equal(there.reshape(-1).view(kind), expected.view(kind))


PRELUDE = """
import ctypes, dataclasses, struct
import numpy as np
import wna16
from wna16 import build
from wna16.pack import repack_scales, repack_weights, repack_zeros

compiled = build.compiled
# The stand-in reads parameters from PTX, not from a cubin.
build.compiled = lambda *module: dataclasses.replace(compiled(*module), cubin=None)

class Array:
    '''A CUDA array of no library; its memory is host memory, never touched.'''
    def __init__(self, shape, typestr, device=0):
        self.host = np.zeros(1 << 20, np.uint8)
        self.address = self.host.ctypes.data
        self.address += -self.address % 64
        self.shape, self.device, self.dtype = shape, device, typestr
        self.__cuda_array_interface__ = dict(
            shape=shape, typestr=typestr, data=(self.address, False), version=3)

class FakeLaunch(ctypes.Structure):
    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3),
                ("cluster", ctypes.c_uint * 3), ("shared", ctypes.c_uint),
                ("stream", ctypes.c_void_p), ("context", ctypes.c_void_p),
                ("arguments", ctypes.c_ubyte * 512), ("bytes", ctypes.c_size_t),
                ("cooperative", ctypes.c_int), ("dependent", ctypes.c_int)]

driver = ctypes.CDLL("libcuda.so.1")

def last():
    launch = FakeLaunch()
    return driver.fakeLaunches(ctypes.byref(launch)), launch

def refused(error, text, call):
    try:
        call()
    except error as found:
        assert text in str(found), found
    else:
        raise AssertionError("not refused: " + text)
"""


def on_stand_in(body):
    folder = library_path().parents[1] / "test" / "unit" / "fake-driver"
    if not folder.exists():
        pytest.skip(f"the stand-in driver is not built ({folder})")
    variables = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "python"),
        "WNA16_RUNTIME": str(library_path()),
        "LD_LIBRARY_PATH": str(folder),
    }
    done = subprocess.run(
        [sys.executable, "-c", PRELUDE + textwrap.dedent(body)],
        env=variables,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_a_launch_per_array():
    on_stand_in(
        """
        x, y = Array((12, 50), "<i4"), Array((2048,), "<i4")
        options = dict(source="gptq", target_shape=(128, 128), out=y)
        assert repack_weights(x, 96, 50, **options) is y
        count, launch = last()
        assert count == 1
        assert list(launch.grid) == [8, 1, 1] and list(launch.block) == [256, 1, 1]
        assert bytes(launch.arguments[:launch.bytes]) == struct.pack("=2Q", x.address, y.address)
        # The second time it is there; a plain matrix may have any of its shapes.
        repack_weights(x, 96, 50, **options)
        assert last()[0] == 2
        s, t = Array((250,), "<f2"), Array((6, 64), "<f2")
        repack_scales(s, 5, 50, source="row_major", target_shape=(6, 64), out=t)
        repack_scales(Array((5, 50), "<f2"), 5, 50, source="row_major", target_shape=(6, 64), out=t)
        assert last()[0] == 4 and list(last()[1].grid) == [2, 1, 1]
        """
    )


def test_what_a_kernel_cannot():
    on_stand_in(
        """
        x, y = Array((12, 50), "<i4"), Array((2048,), "<i4")
        padded = dict(source="gptq", target_shape=(128, 128))
        refused(wna16.DTypeError, "pass out=", lambda: repack_weights(x, 96, 50, **padded))
        padded["out"] = y
        refused(wna16.ShapeError, "expected x to hold 600 elements",
                lambda: repack_weights(y, 96, 50, **padded))
        refused(wna16.ShapeError, "expected y to hold 2048 elements",
                lambda: repack_weights(x, 96, 50, **{**padded, "out": x}))
        refused(wna16.DTypeError, "expected x of dtype i32, found f16",
                lambda: repack_weights(Array((12, 50), "<f2"), 96, 50, **padded))
        refused(wna16.LaunchError, "on CUDA device 0, found y in device 1",
                lambda: repack_weights(x, 96, 50, **{**padded, "out": Array((2048,), "<i4", 1)}))
        refused(wna16.DTypeError, "found row_major",
                lambda: repack_weights(x, 96, 50, source="gptq", target="row_major", out=y))
        refused(wna16.ShapeError, "found 4 to 3 bits", lambda: repack_zeros(
            x, 3, 64, source="marlin_zeros", target="gptq_zeros", bits=3, out=y))
        refused(wna16.ShapeError, "96 x 50, found 64 x 50 [PACK3]",
                lambda: repack_weights(x, 64, 50, source_shape=(96, 50), **padded))
        refused(wna16.ShapeError, "expected K to be a multiple of 8",
                lambda: repack_weights(x, 97, 50, source="gptq", out=y))
        refused(wna16.DTypeError, "expected f16 or bf16 scales, found f32 [PACK1]",
                lambda: repack_scales(Array((5, 50), "<f4"), 5, 50, out=y))
        refused(wna16.DTypeError, "out= with an array on a GPU only [PACK1]",
                lambda: repack_weights(np.zeros((12, 50), np.int32), 96, 50, **padded))
        assert last()[0] == 0

        class Elsewhere:
            def __dlpack_device__(self): return (2, 0)
        refused(wna16.DTypeError, "import torch", lambda: repack_weights(Elsewhere(), 96, 50, **padded))
        """
    )
