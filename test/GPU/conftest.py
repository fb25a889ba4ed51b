"""The one gate of the GPU tests, and where their kernels come from.

Without PyTorch or a CUDA device every test here is skipped with a sentence. With
WNA16_BUNDLE (a folder made by `make gpu-bundle`) the kernels are loaded from it,
otherwise they are compiled here.
"""

from __future__ import annotations

import functools
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "bench"))


@functools.cache
def why_not() -> str | None:
    """Why the GPU tests cannot run here; None if they can."""
    try:
        import torch
    except ImportError:
        return "PyTorch is not installed: GPU tests need it for tensors and streams"
    if not torch.cuda.is_available():
        return "no CUDA device on this machine: GPU tests are not run"
    return None


class _SkippedModule(pytest.Module):
    """A test file that is not even imported: without PyTorch it could not be."""

    def collect(self):
        pytest.skip(why_not(), allow_module_level=True)


def pytest_pycollect_makemodule(module_path, parent):
    if why_not() is not None:
        return _SkippedModule.from_parent(parent, path=module_path)
    return None


@pytest.fixture(scope="session")
def kernel_for():
    """kernel_for(n, k, dtype, max_m): compiled kernels, made or loaded once."""
    import shapes
    import wna16

    bundle = os.environ.get("WNA16_BUNDLE")

    @functools.cache
    def make(n: int, k: int, dtype: str = "f16", max_m: int = 16):
        problem = wna16.Problem(n=n, k=k, dtype=dtype, max_m=max_m)
        if bundle:
            return wna16.load(Path(bundle) / "kernels" / shapes.folder_name(problem))
        return wna16.compile(problem)

    return make


@pytest.fixture(scope="session")
def kernel_of():
    """kernel_of(problem): compiled kernels of one of formats.PROBLEMS."""
    import formats
    import wna16

    bundle = os.environ.get("WNA16_BUNDLE")

    def make(problem):
        if bundle:
            return wna16.load(Path(bundle) / "kernels" / formats.name_of(problem))
        return wna16.compile(problem)

    return make


@pytest.fixture(scope="session")
def moe_kernel_of():
    """moe_kernel_of(problem): compiled kernels of one of moe_layers.PROBLEMS."""
    import moe_layers
    import wna16

    bundle = os.environ.get("WNA16_BUNDLE")

    def make(problem):
        if bundle:
            return wna16.load(Path(bundle) / "moe-kernels" / moe_layers.name_of(problem))
        return wna16.compile(problem)

    return make


@pytest.fixture(scope="session")
def scheduled_kernel(tmp_path_factory):
    """scheduled_kernel(name): one of scheduled.SCHEDULES or TICKETS, once."""
    import scheduled
    import wna16

    bundle = os.environ.get("WNA16_BUNDLE")

    @functools.cache
    def make(name: str):
        if bundle:
            return wna16.load(Path(bundle) / "kernels" / name)
        folder = tmp_path_factory.mktemp("scheduled") / name
        scheduled.build(name, wna16.default_target(), folder)
        return wna16.load(folder)

    return make


@pytest.fixture
def repack_kernels(monkeypatch):
    """What repacks arrays on a GPU is compiled here, or comes from the bundle."""
    from wna16 import build
    from wna16.artifact import read_record

    bundle = os.environ.get("WNA16_BUNDLE")
    if bundle:

        def compiled(text, name, target):
            return read_record(Path(bundle) / "repackings" / name / f"{name}.json")

        monkeypatch.setattr(build, "compiled", compiled)


@pytest.fixture(scope="session")
def moe_table_kernels():
    """moe_table_kernels(case): the launch record of a case of moe_tables."""
    from wna16 import build
    from wna16.artifact import read_record
    from wna16.targets import DEFAULT_TARGET

    bundle = os.environ.get("WNA16_BUNDLE")

    @functools.cache
    def make(case):
        if bundle:
            return read_record(Path(bundle) / "moe-tables" / case.name / f"{case.name}.json")
        return build.compiled(case.text, case.name, DEFAULT_TARGET)

    return make
