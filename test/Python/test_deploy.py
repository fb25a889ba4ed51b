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


@pytest.mark.parametrize("folder", [None, 5])
def test_folder_of_a_wrong_type(kernel, folder):
    with pytest.raises(CacheError, match="expected the path of a new folder"):
        kernel.save(folder)
    with pytest.raises(LaunchError, match="expected the path of a folder of kernels"):
        load(folder)


def damaged(path, keys, value):
    data = json.loads(path.read_text())
    node = data
    for key in keys[:-1]:
        node = node[key]
    node[keys[-1]] = value
    path.write_text(json.dumps(data))


@pytest.mark.parametrize(
    "keys, value",
    [
        (["arguments"], 5),
        (["arguments", 0], []),
        (["arguments", 0, "dtype"], []),
        (["arguments", 0, "shape"], ["nope", 512]),
        (["arguments", 0, "shape"], [None, 512]),
        (["arguments", 0, "strides"], [1.5, 1]),
        (["arguments", 1, "shape"], ["M"]),
        (["arguments", 1, "alignment"], 0),
        (["arguments", 1, "kind"], "x"),
        (["arguments", 4, "value"], []),
        (["symbols"], []),
        (["symbols", "M"], 5),
        (["symbols", "M", "max"], "zz"),
        (["symbols", "ldx", "multiple_of"], 0),
        (["grid", 0, "tile"], 0),
        (["grid", 0, "size"], "zz"),
        (["block"], [1, 1]),
        (["block"], ["a", 1, 1]),
        (["shared_bytes"], 1e300),
        (["kernel"], None),
        (["ptx"], 5),
        (["resources"], [1]),
    ],
)
def test_damaged_record(kernel, tmp_path, keys, value):
    kernel.save(tmp_path / "kernels")
    damaged(tmp_path / "kernels" / kernel.records[0].path.name, keys, value)
    with pytest.raises(LaunchError, match="launch record .* is incomplete"):
        load(tmp_path / "kernels")


@pytest.mark.parametrize(
    "keys, value",
    [
        (["kernels"], 5),
        (["kernels"], []),
        (["kernels", 0], []),
        (["kernels", 0, "max_m"], "8"),
        (["kernels", 0, "record"], 5),
        (["target"], None),
        (["problem"], []),
        (["problem", "n"], "x"),
    ],
)
def test_damaged_table(kernel, tmp_path, keys, value):
    kernel.save(tmp_path / "kernels")
    damaged(tmp_path / "kernels" / "artifact.json", keys, value)
    with pytest.raises(LaunchError, match="cannot read"):
        load(tmp_path / "kernels")


def test_nested_and_binary_files(kernel, tmp_path):
    kernel.save(tmp_path / "kernels")
    for name in ("artifact.json", kernel.records[0].path.name):
        path = tmp_path / "kernels" / name
        good = path.read_bytes()
        for content in (b"[" * 100_000, b"[]", b"null", b"\xff\x00", b""):
            path.write_bytes(content)
            with pytest.raises(LaunchError):
                load(tmp_path / "kernels")
        path.write_bytes(good)
    load(tmp_path / "kernels")
