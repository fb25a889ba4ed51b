"""Kernels saved on one machine and loaded on another."""

import json

import pytest

from wna16 import CacheError, LaunchError, Problem, load
from wna16 import compile as compile_problem

from conftest import FAKE_COMPILER


@pytest.fixture
def kernel(fake_tools):
    fake_tools("wna16-compile", FAKE_COMPILER)
    return compile_problem(Problem(n=384, k=512), "sm_90a")


def test_save_and_load(kernel, tmp_path):
    kernel.save(tmp_path / "kernels")
    again = load(tmp_path / "kernels")
    assert again.problem == kernel.problem and again.target == "sm_90a"
    assert again.artifact.select(8).kernel == "wna16_gemm_m8_n384_k512_g128"
    assert again.artifact.select(9).kernel == "wna16_gemm_m16_n384_k512_g128"
    for record in again.records:
        assert record.cubin.parent == tmp_path / "kernels" and record.cubin.exists()
        assert record.ptx.exists()


def test_existing_folder_is_left_alone(kernel, tmp_path):
    (tmp_path / "kernels").mkdir()
    with pytest.raises(CacheError, match="exists"):
        kernel.save(tmp_path / "kernels")
    assert list((tmp_path / "kernels").iterdir()) == []


def test_failed_save_leaves_nothing(kernel, tmp_path):
    kernel.records[1].ptx.unlink()
    with pytest.raises(CacheError, match="cannot write"):
        kernel.save(tmp_path / "out" / "kernels")
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize("change", [dict(version=2), dict(format="x"), dict(kernels=[{}])])
def test_damaged_folder(kernel, tmp_path, change):
    kernel.save(tmp_path / "kernels")
    path = tmp_path / "kernels" / "artifact.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(LaunchError):
        load(tmp_path / "kernels")


def test_not_a_folder_of_kernels(tmp_path):
    with pytest.raises(LaunchError, match="cannot read kernels"):
        load(tmp_path)
