"""Every cell of docs/support.md on this GPU.

With WNA16_VERIFIED=FILE the cells that were right are written there, which
tools/dev/support_table.py --verified FILE takes into the table.
"""

from __future__ import annotations

import os
from pathlib import Path

import cells
import numpy as np
import pytest
import torch
from formats import FormatLayer
from layers import DTYPES
from test_formats import to_gpu

import wna16

ROWS = (1, 5, 16)


@pytest.fixture(scope="module")
def verified():
    """Collects the cells that were right."""
    found: list[cells.Cell] = []
    yield found
    path = os.environ.get("WNA16_VERIFIED")
    if path:
        cells.write_verified(Path(path), wna16.default_target(), found)


@pytest.fixture
def kernel(request, tmp_path):
    """The kernel of a cell, out of the bundle or made here."""
    cell, bundle = request.node.callspec.params["cell"], os.environ.get("WNA16_BUNDLE")
    if bundle:
        return wna16.load(Path(bundle) / "support-kernels" / cells.name_of(cell))
    cells.build(cell, wna16.default_target(), tmp_path / "kernel")
    return wna16.load(tmp_path / "kernel")


@pytest.mark.parametrize("cell", cells.CELLS, ids=cells.name_of)
def test_cell(kernel, verified, cell):
    for data in ("random", "adversarial"):
        layer = FormatLayer(kernel.problem, seed=cells.CELLS.index(cell), data=data)
        check(kernel, layer, [layer.rows(m) for m in ROWS])
    # Every row of the weight is read out by a one.
    unit = np.eye(kernel.problem.k).astype(layer.rows(1).dtype)
    check(kernel, layer, np.split(unit, len(unit) // max(ROWS)))
    verified.append(cell)


def check(kernel, layer, inputs):
    """The products of all `inputs`, in memory that is NaN and not written beyond y."""
    arrays, outputs = [to_gpu(array) for array in layer.arrays], []
    for x in inputs:
        shape, dtype = (len(x) + 2, kernel.problem.n), DTYPES[kernel.problem.out_dtype]
        outputs.append(torch.full(shape, float("nan"), dtype=dtype, device="cuda"))
        kernel(to_gpu(x), *arrays, out=outputs[-1][: len(x)])
    for x, out in zip(inputs, outputs):
        y, beyond = np.split(out.double().cpu().numpy(), [len(x)])
        assert np.isnan(beyond).all(), f"M = {len(x)}: rows past the end were written"
        exact, bound = layer.bound(x.astype(np.float64))
        error = np.abs(y - exact)
        assert (error <= bound).all(), f"M = {len(x)}: {error.max()} off"
