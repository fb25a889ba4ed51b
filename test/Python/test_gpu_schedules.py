"""The schedules of the GPU tests, in the emulator: they have to be right here first."""

import sys

import numpy as np
import pytest

import wna16

from conftest import ROOT

sys.path.insert(0, str(ROOT / "test" / "GPU"))
import formats  # noqa: E402
import scheduled  # noqa: E402

pytestmark = [
    pytest.mark.needs_tools("wna16-compile", "wna16-run"),
    pytest.mark.needs_runtime,
]


@pytest.mark.parametrize("name", [*scheduled.SCHEDULES, *scheduled.TICKETS])
def test_schedule(name, tmp_path):
    scheduled.build(name, "sm_90a", tmp_path / name)
    kernel = wna16.load(tmp_path / name)
    layer = formats.FormatLayer(kernel.problem)
    for m in (1, 9, scheduled.MAX_M):
        x = np.random.default_rng(m).standard_normal((m, scheduled.K)).astype(np.float16)
        exact, bound = layer.bound(x.astype(np.float64))
        y = kernel(x, *layer.arrays).astype(np.float64)
        assert (np.abs(y - exact) <= bound).all(), m
    (record,) = kernel.records
    assert bool(record.workspace_bytes) == (name in scheduled.TICKETS)
