"""The module text that the compiler gets."""

import subprocess
from dataclasses import replace

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
#: Everything that can be there, padded along N and K.
RICH = Problem(n=40, k=48, bits=3, offset=None, group=16, dtype="bf16", scale_dtype="f16",
               out_dtype="f32", bias_dtype="bf16")  # fmt: skip


def test_text():
    assert emit.module_text(Problem(n=6144, k=4096), 16) == EXPECTED


def test_schedule():
    text = emit.module_text(Problem(n=6144, k=4096), 16, "#wna16.schedule<x>")
    assert text == EXPECTED.replace("16 : i64}", "16 : i64, schedule = #wna16.schedule<x>}")


def test_kernels_of_a_problem_have_names_of_their_own():
    problems = [Problem(n=n, k=k) for n in (64, 128) for k in (128, 256)]
    names = {emit.kernel_name(p, m) for p in problems for m in (8, 16)}
    assert len(names) == 8
    one = Problem(n=64, k=128)
    changes = [
        dict(bits=8), dict(offset=None), dict(offset=7), dict(group=64), dict(group=-1),
        dict(dtype="bf16"), dict(scale_dtype="bf16"), dict(out_dtype="f32"),
        dict(bias_dtype="f16"), dict(bias_dtype="f32"),
    ]  # fmt: skip
    names = {emit.kernel_name(replace(one, **change), 8) for change in changes}
    assert len(names | {emit.kernel_name(one, 8)}) == len(changes) + 1


def test_padded_with_zero_points_and_bias():
    text = emit.module_text(RICH, 8)
    assert "@wna16_gemm_bf16_w3z_sf16_yf32_bbf16_m8_n40_k48_g16(" in text
    for part in (
        "%x: tensor<?x48xbf16>,",
        "%w: tensor<128x64x!wna16.code<3>, #wna16.layout<marlin>>",
        "%s: tensor<8x64xf16, #wna16.layout<marlin_scales>>",
        "%z: tensor<8x64x!wna16.code<4>, #wna16.layout<marlin_zeros>>",
        "%b: tensor<1x64xbf16>)\n    -> tensor<?x40xf32>",
        "wna16.gemm %x, %w, %s zeros %z bias %b {max_m = 8 : i64}",
    ):
        assert part in text


@pytest.mark.parametrize("text", [EXPECTED, emit.module_text(RICH, 8)], ids=["usual", "rich"])
@pytest.mark.needs_tools("wna16-opt")
def test_text_is_valid_ir(text):
    done = subprocess.run(
        [toolchain.find_program("wna16-opt"), "--verify-roundtrip", "-"],
        input=text,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
