"""Launching, on a stand-in for the CUDA driver that records what it is told.

Each case runs in a process of its own, because a process opens one driver.
"""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from wna16.runtime import library_path

from conftest import ROOT, record_json, write_record

pytestmark = pytest.mark.needs_runtime

PRELUDE = """
import ctypes, struct, sys
import numpy as np
import wna16
from wna16.api import Kernel
from wna16.artifact import Artifact, read_record
from pathlib import Path

class Array:
    '''A CUDA array of no library; its memory is host memory, never touched.'''
    def __init__(self, shape, typestr, device=0, strides=None, offset=0):
        self.host = np.zeros(1 << 20, np.uint8)
        address = self.host.ctypes.data
        address += -address % 64 + offset
        self.shape, self.device = shape, device
        self.__cuda_array_interface__ = dict(
            shape=shape, typestr=typestr, strides=strides, data=(address, False), version=3)

class FakeLaunch(ctypes.Structure):
    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3),
                ("cluster", ctypes.c_uint * 3), ("shared", ctypes.c_uint),
                ("stream", ctypes.c_void_p), ("context", ctypes.c_void_p),
                ("arguments", ctypes.c_ubyte * 512), ("bytes", ctypes.c_size_t),
                ("cooperative", ctypes.c_int), ("dependent", ctypes.c_int)]

def driver(opened=[]):
    if not opened:
        opened.append(ctypes.CDLL("libcuda.so.1"))
        opened[0].fakePrimaryContext.restype = ctypes.c_void_p
        opened[0].fakeLastImage.restype = ctypes.c_char_p
    return opened[0]

def last():
    launch = FakeLaunch()
    return driver().fakeLaunches(ctypes.byref(launch)), launch

record = read_record(Path(sys.argv[1]))
kernel = Kernel(Artifact(wna16.Problem(n=384, k=512), record.target, ((16, record),)))
w, s = Array((24576,), "<i4"), Array((4, 384), "<f2")
def call(m=7, x=None, out=None, stream=0x55, w=w, s=s, **more):
    x = Array((m, 512), "<f2") if x is None else x
    out = Array((m, 384), "<f2") if out is None else out
    return kernel(x, w, s, out=out, stream=stream, **more)
"""


def run(record, body, with_driver=True, **environment):
    variables = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "python"),
        "WNA16_RUNTIME": str(library_path()),
        **environment,
    }
    if with_driver:
        folder = library_path().parents[1] / "test" / "unit" / "fake-driver"
        if not folder.exists():
            pytest.skip(f"the stand-in driver is not built ({folder})")
        variables["LD_LIBRARY_PATH"] = str(folder)
    program = PRELUDE + textwrap.dedent(body)
    done = subprocess.run(
        [sys.executable, "-c", program, str(record.path)],
        env=variables,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_everything_arrives(record):
    run(
        record,
        """
        x, out = Array((7, 512), "<f2", strides=(1040, 2)), Array((7, 384), "<f2")
        assert call(x=x, out=out) is out
        count, launch = last()
        assert count == 1
        assert list(launch.grid) == [1, 6, 1] and list(launch.block) == [256, 1, 1]
        assert launch.shared == 150528 and launch.stream == 0x55
        pointers = [a.__cuda_array_interface__["data"][0] for a in (x, w, s, out)]
        expected = struct.pack("=4Q2i", *pointers, 7, 520)
        assert bytes(launch.arguments[:launch.bytes]) == expected
        """,
    )


def test_known_shapes_are_still_checked(record):
    """The second launch of a shape is checked for what can differ: addresses."""
    run(
        record,
        """
        call()
        try:
            call(x=Array((7, 512), "<f2", offset=8))
        except wna16.ShapeError as error:
            assert "ARG4" in str(error), error
        else:
            raise AssertionError("an unaligned address was launched")
        x = Array((3, 512), "<f2")
        call(m=3, x=x)
        pointer, m = struct.unpack("=Q24xi", bytes(last()[1].arguments[:36]))
        assert pointer == x.__cuda_array_interface__["data"][0] and m == 3
        """,
    )


def test_sizes_past_32_bits(record):
    run(
        record,
        """
        try:
            call(x=Array((7, 512), "<f2", strides=(2 * 2**31, 2)))
        except wna16.ShapeError as error:
            assert "fit 32 bits" in str(error), error
        else:
            raise AssertionError("a stride was cut to 32 bits")
        """,
    )


def test_no_rows_no_launch(record):
    run(record, "call(m=0); assert last()[0] == 0")


def test_second_device_has_its_own_code(record):
    run(
        record,
        """
        call()
        on = dict(x=Array((7, 512), "<f2", 1), out=Array((7, 384), "<f2", 1),
                  w=Array((24576,), "<i4", 1), s=Array((1536,), "<f2", 1))
        call(**on)
        assert last()[1].context == driver().fakePrimaryContext(1)
        try:
            call(**{**on, "s": s})
        except wna16.LaunchError as error:
            assert "found s in device 0 [ARG5]" in str(error), error
        else:
            raise AssertionError("arguments on two devices were accepted")
        """,
    )


def test_arguments_in_host_memory(record):
    run(
        record,
        """
        host = dict(x=np.zeros((7, 512), np.float16), s=np.zeros(1536, np.float16))
        for name, array in host.items():
            try:
                call(**{name: array})
            except wna16.LaunchError as error:
                assert f"found {name} in host memory [ARG5]" in str(error), error
            else:
                raise AssertionError(f"{name} in host memory was launched")
        assert last()[0] == 0
        """,
    )


def test_threads(record):
    run(
        record,
        """
        from concurrent.futures import ThreadPoolExecutor
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda i: call(m=1 + i % 16, stream=i), range(400)))
        assert last()[0] == 400
        """,
    )


def test_capture_needs_prepare(record):
    run(
        record,
        """
        driver().fakeSetCapturing(1)
        try:
            call()
        except wna16.LaunchError as error:
            assert "kernel.prepare()" in str(error), error
        else:
            raise AssertionError("a kernel was loaded during a capture")
        driver().fakeSetCapturing(0)
        kernel.prepare(device=0)
        driver().fakeSetCapturing(1)
        call()
        assert last()[0] == 1
        """,
    )


def test_driver_error_has_its_code(record):
    run(
        record,
        """
        driver().fakeFailNext(b"cuLaunchKernel", 701)
        try:
            call()
        except wna16.LaunchError as error:
            assert error.code == 701 and "701" in str(error), error
        else:
            raise AssertionError("the error was lost")
        """,
    )


def test_wrong_device_for_the_kernel(record):
    run(
        record,
        """
        try:
            call()
        except wna16.TargetError as error:
            assert "compiled for sm_90a" in str(error), error
            assert "compile it for sm_80 [TARGET3]" in str(error), error
        else:
            raise AssertionError("an sm_90a cubin was loaded on an sm_80 device")
        """,
        FAKE_CUDA_CAPABILITY="8.0",
    )


def test_bad_arguments_reach_no_driver(record):
    run(
        record,
        """
        bad = [dict(x=Array((7, 511), "<f2")), dict(x=Array((7, 512), "<f4")),
               dict(x=Array((7, 512), "<f2", offset=2)), dict(w=Array((3,), "<i4")),
               dict(x=Array((17, 512), "<f2"), out=Array((17, 384), "<f2")),
               dict(x=Array((7, 512), "<f2", strides=(1028, 2))),
               dict(out=Array((7, 385), "<f2")), dict(s=np.zeros(1536, np.float16)),
               dict(x=Array((7,), "<f2"))]
        for arguments in bad:
            try:
                call(**arguments)
            except wna16.Wna16Error:
                pass
            else:
                raise AssertionError(arguments)
        assert last()[0] == 0
        """,
    )


def test_ptx_is_loaded_without_cubin(tmp_path):
    record = write_record(tmp_path, {**record_json(), "cubin": None})
    run(
        record,
        """
        call()
        assert driver().fakeLastImage().startswith(b"// ptx\\n")
        """,
    )


def test_default_target_is_that_of_the_device(record):
    body = "assert wna16.default_target() == 'sm_120a', wna16.default_target()"
    run(record, body, FAKE_CUDA_CAPABILITY="12.0")


@pytest.mark.skipif(
    Path("/usr/lib/x86_64-linux-gnu/libcuda.so.1").exists(), reason="has a driver"
)
def test_without_a_driver(record):
    run(
        record,
        """
        assert wna16.default_target() == "sm_90a"
        try:
            call()
        except wna16.LaunchError as error:
            assert "no CUDA driver" in str(error) and "emulator" in str(error), error
        else:
            raise AssertionError("launched without a driver")
        """,
        with_driver=False,
    )


def test_missing_runtime_says_how_to_get_it(record, monkeypatch):
    run(
        record,
        """
        try:
            call()
        except wna16.LaunchError as error:
            assert "make build" in str(error), error
        """,
        WNA16_RUNTIME="/nonexistent.so",
    )
