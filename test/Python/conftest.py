"""Fixtures shared by the Python tests.

Tests marked needs_tools use this build's programs or runtime. They are skipped if
those are not built; under `make test` (WNA16_TESTS_REQUIRE_TOOLS=1) they fail then.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import sys
import textwrap
from pathlib import Path

import pytest
from safetensors.numpy import load_file, save_file

from wna16 import toolchain
from wna16.artifact import LaunchRecord, read_record
from wna16.dtypes import numpy_dtype
from wna16.errors import CompileError, LaunchError
from wna16.runtime import library_path

ROOT = Path(__file__).resolve().parents[2]
CHECKPOINT = ROOT / "test" / "Inputs" / "compressed-tensors-w4a16"
LAYER = "model.layers.0.mlp.down_proj"
INPUTS = ROOT / "test" / "Inputs"
#: A layer of the toy model in INPUTS / "gptqmodel".
DOWN = "model.layers.0.mlp.down_proj"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs_tools(*names): needs built programs")
    config.addinivalue_line("markers", "needs_runtime: needs libwna16rt.so")


def pytest_runtest_setup(item: pytest.Item) -> None:
    missing = None
    try:
        for marker in item.iter_markers("needs_tools"):
            for name in marker.args:
                toolchain.find_program(name)
        if any(item.iter_markers("needs_runtime")):
            library_path()
    except (CompileError, LaunchError) as error:
        missing = str(error)
    if missing is None:
        return
    if os.environ.get("WNA16_TESTS_REQUIRE_TOOLS") == "1":
        pytest.fail(missing)
    pytest.skip(missing)


@pytest.fixture(autouse=True)
def private_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch):
    """No test sees another test's kernels, or the user's."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("WNA16_CACHE_DIR", str(folder))
    monkeypatch.delenv("WNA16_DUMP", raising=False)
    return folder


def record_json(kernel: str = "wna16_gemm", n: int = 384, k: int = 512, max_m: int = 16):
    """A launch record as the compiler writes it."""
    words, scales = n * k // 8, n * k // 128
    buffer = {"kind": "buffer", "alignment": 16}
    return {
        "format": "wna16-launch",
        "version": 2,
        "kernel": kernel,
        "target": "sm_90a",
        "ptx": f"{kernel}.ptx",
        "cubin": f"{kernel}.cubin",
        "arguments": [
            {**buffer, "name": "x", "access": "read", "dtype": "f16",
             "shape": ["M", k], "strides": ["ldx", 1], "layout": "row_major"},
            {**buffer, "name": "w", "access": "read", "dtype": "i32", "shape": [words],
             "layout": "marlin", "logical_shape": [k, n], "bits": 4, "offset": 8},
            {**buffer, "name": "s", "access": "read", "dtype": "f16", "shape": [scales],
             "layout": "marlin_scales", "logical_shape": [k // 128, n]},
            {**buffer, "name": "y", "access": "write", "dtype": "f16",
             "shape": ["M", n], "strides": [n, 1], "layout": "row_major"},
            {"name": "M", "kind": "scalar", "dtype": "i32", "value": "M"},
            {"name": "ldx", "kind": "scalar", "dtype": "i32", "value": "ldx"},
        ],
        "symbols": {"M": {"min": 0, "max": max_m}, "ldx": {"min": k, "multiple_of": 8}},
        "grid": [{"size": "M", "tile": 16}, {"size": n, "tile": 64}, {"size": 1, "tile": 1}],
        "block": [256, 1, 1],
        "cluster": [1, 1, 1],
        "shared_bytes": 150528,
        "workspace_bytes": 0,
        "problem": {"op": "gemm", "x": "x", "w": "w", "s": "s", "y": "y", "group": 128},
        "schedule": "#wna16.schedule<>",
        "resources": {"registers": 82, "spill_bytes": 0, "static_shared_bytes": 0},
    }


@pytest.fixture
def record(tmp_path: Path) -> LaunchRecord:
    """A launch record on disk, with files that only a fake driver takes."""
    return write_record(tmp_path, record_json())


def write_record(folder: Path, data: dict) -> LaunchRecord:
    path = folder / f"{data['kernel']}.json"
    path.write_text(json.dumps(data))
    (folder / f"{data['kernel']}.ptx").write_text("// ptx\n")
    (folder / f"{data['kernel']}.cubin").write_bytes(b"cubin")
    record = read_record(path)
    # The stand-in for the driver learns from these what the kernel's parameters are.
    sizes = [a.parameter_bytes for a in record.arguments if a.parameter_bytes]
    entry = ", ".join(f".param .b8 p{i}[{size}]" for i, size in enumerate(sizes))
    for name in (record.ptx, record.cubin):
        if name is not None:
            with open(name, "a") as file:
                file.write(f".entry {record.kernel}({entry})\n")
    return record


@pytest.fixture
def fake_tools(tmp_path: Path, monkeypatch):
    """A folder of programs written by the test: fake_tools(name, python_source)."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("WNA16_BIN", str(folder))

    def write(name: str, source: str) -> Path:
        path = folder / name
        path.write_text(f"#!{sys.executable}\n{textwrap.dedent(source)}")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    return write


#: A wna16-compile that writes the files the real one would, and counts its runs.
FAKE_COMPILER = f"""
    import json, os, pathlib, re, sys, time
    sys.path.insert(0, {str(ROOT / "test" / "Python")!r})
    arguments = sys.argv[1:]
    text = pathlib.Path(arguments[0]).read_text()
    def count(what):
        if "COUNT_FILE" in os.environ:
            with open(os.environ["COUNT_FILE"], "a") as file:
                file.write(what + "\\n")
    if "--plan" in arguments:
        count("plan")
        cost = 1.25 if "--batch-invariant" in arguments else 1
        print(json.dumps(dict(format="wna16-plan", version=1, gemms=[dict(ranges=[
            dict(max_m=m, at_m=m, schedule=f"#wna16.schedule<{{m}}>", predicted_us=m / 4,
                 limit="memory", invariant_cost=cost)
            for m in (8, 16, 64, 1 << 20)])])))
        sys.exit()
    out = pathlib.Path(arguments[arguments.index("-o") + 1])
    name = re.search(r"func.func @(\\w+)", text).group(1)
    time.sleep(0.05)
    from conftest import record_json
    data = record_json(name, max_m=int(re.search("max_m = (\\\\d+)", text).group(1)))
    data["schedule"] = re.search("schedule = (#[^>]*>)", text).group(1)
    data["target"] = arguments[arguments.index("--target") + 1]
    # The stand-in for the driver reads the parameters from these.
    sizes = ", ".join(f".param .b8 p{{i}}[{{size}}]" for i, size in enumerate([8] * 4 + [4] * 2))
    for suffix in (".ptx", ".cubin"):
        (out / (name + suffix)).write_text(name + "\\n.entry " + name + "(" + sizes + ")\\n")
    (out / (name + ".json")).write_text(json.dumps(data))
    count(name)
"""


@pytest.fixture
def edit(tmp_path):
    """edit(folder, config=change of the quantization part, tensors=change) -> copy."""

    def run(source, config=None, tensors=None, whole=None, keep_other=False):
        folder = tmp_path / "checkpoint"
        shutil.copytree(source, folder)
        if not keep_other:
            (folder / "quantize_config.json").unlink(missing_ok=True)
        data = json.loads((folder / "config.json").read_text())
        if config:
            config(data["quantization_config"])
        if whole:
            whole(data)
        (folder / "config.json").write_text(json.dumps(data))
        if tensors:
            numpy_dtype("bf16")  # safetensors looks it up among NumPy's registered types
            everything = load_file(folder / "model.safetensors")
            tensors(everything)
            save_file(everything, folder / "model.safetensors")
        return folder

    return run


def put(**fields):
    return lambda config: config.update(fields)


def rules(**fields):
    """A change that replaces the rules, with one for all down_proj."""
    return lambda config: config.update(dynamic={r"+:.*\.down_proj": fields})


def group(**fields):
    """A change of every config group's weights."""

    def change(config):
        for entry in config["config_groups"].values():
            entry["weights"].update(fields)

    return change
