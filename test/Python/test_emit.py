"""The module text that the compiler gets."""

import subprocess

import pytest

from wna16 import Problem, emit, toolchain

EXPECTED = """\
func.func @wna16_gemm_m16_n6144_k4096_g128(
    %x: tensor<?x4096xf16>,
    %w: tensor<4096x6144x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<32x6144xf16, #wna16.layout<marlin_scales>>)
    -> tensor<?x6144xf16> {
  %y = wna16.gemm %x, %w, %s {max_m = 16 : i64}
      : (tensor<?x4096xf16>,
         tensor<4096x6144x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
         tensor<32x6144xf16, #wna16.layout<marlin_scales>>)
      -> tensor<?x6144xf16>
  return %y : tensor<?x6144xf16>
}
"""


def test_text():
    assert emit.module_text(Problem(n=6144, k=4096), 16) == EXPECTED


def test_schedule():
    text = emit.module_text(Problem(n=6144, k=4096), 16, "#wna16.schedule<x>")
    assert text == EXPECTED.replace("16 : i64}", "16 : i64, schedule = #wna16.schedule<x>}")


def test_kernels_of_a_problem_have_names_of_their_own():
    problems = [Problem(n=n, k=k) for n in (64, 128) for k in (128, 256)]
    names = {emit.kernel_name(p, m) for p in problems for m in (8, 16)}
    assert len(names) == 8


@pytest.mark.needs_tools("wna16-opt")
def test_text_is_valid_ir():
    done = subprocess.run(
        [toolchain.find_program("wna16-opt"), "--verify-roundtrip", "-"],
        input=EXPECTED,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
