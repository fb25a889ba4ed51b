"""The layers of the GPU tests of formats, in the emulator: they have to be right here first."""

import sys

import numpy as np
import pytest

import wna16
from wna16.dtypes import numpy_dtype

from conftest import ROOT

sys.path.insert(0, str(ROOT / "test" / "GPU"))
import formats  # noqa: E402

pytestmark = [
    pytest.mark.needs_tools("wna16-compile", "wna16-run"),
    pytest.mark.needs_runtime,
]


@pytest.mark.parametrize("problem", formats.PROBLEMS[::5], ids=formats.name_of)
def test_layer(problem):
    layer = formats.FormatLayer(problem)
    x = np.random.default_rng(1).standard_normal((5, problem.k)).astype(numpy_dtype(problem.dtype))
    exact, bound = layer.bound(x.astype(np.float64))
    small = wna16.compile(wna16.Problem(**{**problem.__dict__, "max_m": 8}), "sm_90a")
    y = small(x, *layer.arrays).astype(np.float64)
    assert (np.abs(y - exact) <= bound).all()
    assert (bound < 0.02 * np.abs(x).astype(np.float64) @ np.abs(layer.weight) + 0.1).all()
