"""The layers of the GPU tests of formats, in the emulator: they have to be right here first."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

import wna16

from conftest import ROOT

sys.path.insert(0, str(ROOT / "test" / "GPU"))
import cells  # noqa: E402
import formats  # noqa: E402

pytestmark = [
    pytest.mark.needs_tools("wna16-compile", "wna16-run"),
    pytest.mark.needs_runtime,
]


@pytest.mark.parametrize("problem", formats.PROBLEMS[::5], ids=formats.name_of)
@pytest.mark.parametrize("data", ["random", "adversarial"])
def test_layer(problem, data):
    layer = formats.FormatLayer(problem, data=data)
    x = layer.rows(5)
    exact, bound = layer.bound(x.astype(np.float64))
    small = wna16.compile(wna16.Problem(**{**problem.__dict__, "max_m": 8}), "sm_90a")
    y = small(x, *layer.arrays).astype(np.float64)
    assert (np.abs(y - exact) <= bound).all()
    assert (bound < 0.02 * np.abs(x).astype(np.float64) @ np.abs(layer.weight) + 0.1).all()


def test_cells_of_the_support_table(tmp_path):
    """Data that are the hardest, and rows of ones and zeros, for a kernel as a bundle has it."""
    cell = (3, "zeros", 32, "bf16")
    cells.build(cell, "sm_90a", tmp_path / "kernel")
    kernel = wna16.load(tmp_path / "kernel")
    assert kernel.problem == cells.problem(cell)
    layer = formats.FormatLayer(kernel.problem, seed=1, data="adversarial")
    for x in (layer.rows(16), np.eye(256)[-16:].astype(layer.rows(1).dtype)):
        exact, bound = layer.bound(x.astype(np.float64))
        error = np.abs(kernel(x, *layer.arrays).astype(np.float64) - exact)
        assert (error <= bound).all()


def test_files_of_verified_cells(tmp_path, monkeypatch):
    class Library:
        def device(self, ordinal):
            return SimpleNamespace(name="NVIDIA Any 1")

        def driver_version(self):
            return 13, 1

    monkeypatch.setattr(cells, "runtime", Library)
    monkeypatch.setenv("PATH", str(tmp_path))  # no nvidia-smi
    path = tmp_path / "new" / "verified.json"
    cells.write_verified(path, "sm_80", cells.CELLS[7:9])
    run, found = cells.read_verified(path)
    assert found == set(cells.CELLS[7:9])
    assert (run["target"], run["gpu"], run["driver"]) == ("sm_80", "NVIDIA Any 1", "CUDA 13.1")
    path.write_text(path.read_text().replace("1-symmetric", "9-symmetric"))
    with pytest.raises(ValueError, match="unknown: sm_80, 9-symmetric"):
        cells.read_verified(path)
