"""Arrays to the emulator and back, with a kernel that only copies.

One block per row, one thread per column: y[row, column] = x[row, column] for the
first N of K columns. It takes the arguments of a real kernel, but no compiler.
"""

import json
import shlex
import subprocess

import numpy as np
import pytest

from wna16 import CompileError, ShapeError, emulate
from wna16.artifact import read_record

from conftest import record_json

pytestmark = pytest.mark.needs_tools("wna16-run")

N, K = 64, 128

PTX = """\
.version 7.8
.target sm_80
.address_size 64
.visible .entry wna16_copy(
  .param .u64 x, .param .u64 w, .param .u64 s, .param .u64 y,
  .param .u32 m, .param .u32 ldx)
{
  .reg .b64 %rd<8>;
  .reg .b32 %r<8>;
  .reg .b16 %h<2>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  ld.param.u32 %r1, [ldx];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r2, %r1, %r3;
  mul.wide.s32 %rd3, %r4, 2;
  add.s64 %rd4, %rd1, %rd3;
  ld.global.b16 %h1, [%rd4];
  mad.lo.s32 %r5, %r2, 64, %r3;
  mul.wide.s32 %rd5, %r5, 2;
  add.s64 %rd6, %rd2, %rd5;
  st.global.b16 [%rd6], %h1;
  ret;
}
"""


@pytest.fixture
def copy_kernel(tmp_path):
    def make(ptx=PTX):
        data = record_json("wna16_copy", n=N, k=K)
        data.update(target="sm_80", cubin=None, block=[N, 1, 1], shared_bytes=0)
        data.update(problem=None, resources=None)
        data["grid"] = [{"size": "M", "tile": 1}, {"size": 1, "tile": 1}, {"size": 1, "tile": 1}]
        (tmp_path / data["ptx"]).write_text(ptx)
        path = tmp_path / "wna16_copy.json"
        path.write_text(json.dumps(data))
        return read_record(path)

    return make


def arguments(x):
    return {
        "x": x,
        "w": np.zeros(N * K // 8, np.int32),
        "s": np.zeros(N * K // 128, np.float16),
    }


def rows(m):
    return np.arange(m * K, dtype=np.float16).reshape(m, K)


@pytest.mark.parametrize("m", [0, 1, 7, 16])
def test_copy(copy_kernel, m):
    y = emulate.run(copy_kernel(), arguments(rows(m)))
    np.testing.assert_array_equal(y, rows(m)[:, :N])


def test_row_stride_reaches_the_kernel(copy_kernel):
    base = np.full((5, K + 16), np.nan, np.float16)
    base[:, 8 : 8 + K] = rows(5)
    x = base[:, 8 : 8 + K]
    if x.ctypes.data % 16:
        pytest.skip("this NumPy does not align arrays to 16 bytes")
    np.testing.assert_array_equal(emulate.run(copy_kernel(), arguments(x)), rows(5)[:, :N])


def test_bad_argument_starts_no_process(copy_kernel, monkeypatch):
    monkeypatch.setattr("wna16.toolchain.run_kernel", lambda *_: pytest.fail("was run"))
    with pytest.raises(ShapeError, match="s to hold"):
        emulate.run(copy_kernel(), {**arguments(rows(1)), "s": np.zeros(0, np.float16)})


def test_fault_of_the_kernel_is_reported_with_the_command(copy_kernel):
    wild = PTX.replace("mul.wide.s32 %rd5, %r5, 2;", "mul.wide.s32 %rd5, %r5, 2000;")
    with pytest.raises(CompileError, match="wna16-run failed") as info:
        emulate.run(copy_kernel(wild), arguments(rows(3)))
    assert "out of bounds" in str(info.value) or "bounds" in str(info.value)
    command = shlex.split(str(info.value).splitlines()[-1])
    again = subprocess.run(command, capture_output=True, text=True)
    assert again.returncode != 0 and again.stderr == info.value.stderr
