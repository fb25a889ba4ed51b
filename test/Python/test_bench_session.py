"""The benchmark's layers and sessions, on the CPU; skipped where PyTorch is missing."""

import math
import sys
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip(
    "torch", reason="PyTorch is not installed: layers of the benchmark are not tested here"
)

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "bench"))

from benchmark import candidates, session  # noqa: E402
from benchmark.layer import Layer, marlin_scales, marlin_words  # noqa: E402
from benchmark.method import Method  # noqa: E402
from benchmark.points import Point  # noqa: E402
from benchmark.results import Results, Row  # noqa: E402

from wna16 import reference  # noqa: E402

POINT = Point("256x384", 256, 384, 24, "f16")


@pytest.fixture(scope="module")
def layer():
    torch.set_num_threads(1)
    return Layer(256, 384, "f16", 24, "cpu")


def exact(layer):
    return layer.x.double() @ layer.weight(0, layer.n, torch.float64).t()


# --- layers --------------------------------------------------------------------


def test_storage_is_that_of_the_packer(layer):
    """Against the independent unpackers that the packer is tested with."""
    words, scales = marlin_words(layer.codes).numpy(), marlin_scales(layer.scales).numpy()
    codes = reference.unpack_marlin(words.ravel(), layer.k, layer.n)
    assert np.array_equal(codes, layer.codes.numpy().T)
    plain = reference.unpack_marlin_scales(scales.ravel(), layer.k // 128, layer.n)
    assert np.array_equal(plain, layer.scales.numpy().T)


def test_all_codes_occur(layer):
    assert set(layer.codes.unique().tolist()) == set(range(16))


def test_errors_are_of_rounding_only(layer):
    y = exact(layer)
    assert layer.error(y) == 0
    assert 1e-4 < layer.error(y.half()) < 3e-4
    assert layer.error(y.half()[:5]) < 3e-4


@pytest.mark.parametrize("row, column", [(0, 7), (23, 255), (20, 128)])
def test_one_element_that_is_not_written_is_found(layer, row, column):
    y = exact(layer).half()
    y[row, column] = math.nan
    assert layer.error(y) == math.inf


def test_rows_out_of_order_are_found(layer):
    assert layer.error(exact(layer).half().roll(1, 0)) > 0.1


def test_copies_are_equal_and_apart(layer):
    first, second = layer.copies("test", lambda: {"w": torch.ones(1 << 20)})[:2]
    assert torch.equal(first["w"], second["w"])
    assert first["w"].data_ptr() != second["w"].data_ptr()


# --- sessions ------------------------------------------------------------------


class Replay:
    """In place of a graph: replays call the launch again."""

    def __init__(self, launch, copies):
        self.launch, self.copies, self.graph, self.graph_us = launch, copies, self, 100.0
        self.result = launch(0)

    def replay(self):
        y = self.launch(self.copies - 1)
        if y is not self.result:
            self.result.copy_(y)

    def block(self, method):
        return [1.0, 2.0, 3.0]


class Scripted(candidates.Candidate):
    def __init__(self, name, run):
        self.name, self._run = name, run

    def launches(self, layer, point):
        if self._run is None:
            raise candidates.Refused("does not do it")
        copies = layer.marlin()[:2]
        return [candidates.Launch(self.name, copies, self._run, 1e-3)]


@pytest.fixture
def measure(layer, monkeypatch):
    """measure({name: run}): the rows of one point."""
    monkeypatch.setattr(session, "Replayed", Replay)
    monkeypatch.setattr(session, "make_layer", lambda points: layer)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: None)

    def run(scripts, deadline=math.inf):
        results = Results()
        results.calls = [{}]
        made = [Scripted(name, script) for name, script in scripts.items()]
        other = [Row("program", us=9.0)]
        running = session.Session(
            made, Method(), results, deadline, lambda point: other, lambda text: None
        )
        try:
            left = running.run([POINT])
        except session.DeviceLost:
            left = None
        rows = {r.name: r for m in results.points for r in m.rows}
        return rows, left

    return run


def good(layer):
    def run(weights, x, out):
        return out.copy_((x.double() @ layer.weight(0, layer.n, torch.float64).t()).half())

    return run


def test_right_candidates_have_times(layer, measure):
    rows, left = measure({"a": good(layer), "b": None})
    assert rows["a"].us == 2.0 and rows["a"].samples == 9 and rows["a"].error < 3e-4
    assert rows["a"].error_after == rows["a"].error
    assert rows["b"].us is None and rows["b"].reason == "does not do it"
    assert rows["program"].us == 9.0
    assert left == []


def test_wrong_candidates_have_none(layer, measure):
    def idle(weights, x, out):
        return out

    def shifted(weights, x, out):
        return good(layer)(weights, x, out).mul_(1.01)

    rows, _ = measure({"idle": idle, "shifted": shifted, "a": good(layer)})
    assert rows["idle"].us is None and "wrong: relative error inf" in rows["idle"].reason
    assert rows["shifted"].us is None and "wrong: relative error 1" in rows["shifted"].reason
    assert rows["a"].us == 2.0


def test_each_copy_of_the_weights_is_checked(layer, measure):
    first = layer.marlin()[0]["w"].data_ptr()

    def only_one(weights, x, out):
        return good(layer)(weights, x, out) if weights["w"].data_ptr() == first else out

    rows, _ = measure({"only_one": only_one})
    assert "wrong: relative error inf" in rows["only_one"].reason


def test_a_candidate_that_is_wrong_later_is_found(layer, measure):
    calls = []

    def tires(weights, x, out):
        calls.append(1)
        return good(layer)(weights, x, out) if len(calls) < 4 else out

    rows, _ = measure({"tires": tires})
    assert rows["tires"].us is None and "after replays" in rows["tires"].reason


def test_an_exception_is_a_reason(layer, measure):
    def breaks(weights, x, out):
        raise RuntimeError("no such kernel\nmore text")

    rows, _ = measure({"breaks": breaks, "a": good(layer)})
    assert rows["breaks"].reason == "RuntimeError: no such kernel"
    assert rows["a"].us == 2.0


def test_a_lost_device_ends_the_session_but_is_written(layer, measure):
    def lost(weights, x, out):
        raise RuntimeError("CUDA error: an illegal memory access was encountered")

    rows, left = measure({"lost": lost, "a": good(layer)})
    assert left is None
    assert "illegal memory access" in rows["lost"].reason


def test_points_after_the_deadline_are_left(layer, measure):
    rows, left = measure({"a": good(layer)}, deadline=0.0)
    assert left == [POINT] and rows == {}
