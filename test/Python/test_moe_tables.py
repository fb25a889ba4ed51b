"""Kernels around the products of a mixture of experts, in the emulator, against NumPy."""

import sys

import numpy as np
import pytest

from wna16 import build, toolchain
from wna16.arguments import evaluate
from wna16.buffers import bind, describe
from wna16.dtypes import numpy_dtype

from conftest import ROOT

sys.path.insert(0, str(ROOT / "test" / "GPU"))
import moe_tables  # noqa: E402

pytestmark = pytest.mark.needs_tools("wna16-compile", "wna16-run")


def run(case, inputs, outputs, folder):
    """`outputs`: arrays of the right shapes and types; returns new ones."""
    record = build.compiled(case.text, case.name, "sm_90a")
    arrays = {name: np.asarray(array) for name, array in {**inputs, **outputs}.items()}
    symbols = bind(record, {name: describe(array, name) for name, array in arrays.items()})
    for argument in record.arguments:
        if argument.is_buffer:
            shape = tuple(evaluate(extent, symbols) for extent in argument.shape)
            assert arrays[argument.name].shape == shape
    files = {name: folder / f"{name}.bin" for name in arrays}
    for name, array in inputs.items():
        files[name].write_bytes(array.tobytes())
    toolchain.run_kernel(
        record.path, symbols, {n: files[n] for n in inputs}, {n: files[n] for n in outputs}
    )
    return [
        np.fromfile(files[name], array.dtype).reshape(array.shape)
        for name, array in outputs.items()
    ]


def tables_in(ids, expert_map):
    return {"ids": ids} if expert_map is None else {"ids": ids, "map": expert_map}


@pytest.mark.parametrize("kind", moe_tables.KINDS)
@pytest.mark.parametrize("case", moe_tables.ROUTES, ids=lambda case: case.name)
def test_route(case, kind, tmp_path):
    for tokens in (0, 1, 7, 64):
        ids, expert_map = case.ids(kind, tokens), case.expert_map()
        tables = dict(zip(("segments", "slots"), case.expected(ids, expert_map)))
        found = run(case, tables_in(ids, expert_map), tables, tmp_path)
        for name, table in zip(tables, found):
            np.testing.assert_array_equal(table, tables[name], name)


@pytest.mark.parametrize("kind", moe_tables.KINDS)
@pytest.mark.parametrize("case", moe_tables.SUMS, ids=lambda case: case.name)
def test_sum(case, kind, tmp_path):
    for tokens in (1, 7):
        ids, expert_map = case.ids(kind, tokens), case.expert_map()
        h, weights = case.data(ids, expert_map)
        h = h.astype(numpy_dtype(case.dtype))
        inputs = {"h": h, **tables_in(ids, expert_map)}
        if weights is not None:
            inputs["weights"] = weights
        y = np.empty((tokens, case.n), numpy_dtype(case.out))
        (found,) = run(case, inputs, {"y": y}, tmp_path)
        expected = case.expected(h.astype(np.float32), ids, expert_map, weights)
        error = np.linalg.norm(found.astype(np.float64) - expected)
        assert error <= case.tolerance * np.linalg.norm(expected)
