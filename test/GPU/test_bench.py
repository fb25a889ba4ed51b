"""The benchmark measures a small layer: graphs, rounds and checks on a real GPU."""

import math

import pytest
from benchmark.candidates import Candidate, record_launches
from benchmark.method import Method
from benchmark.points import Point
from benchmark.results import Results
from benchmark.session import Session
from benchmark.timing import Replayed
from benchmark.torch_peers import Cublas


class Compiled(Candidate):
    name = "wna16"

    def __init__(self, kernel):
        self._kernel = kernel

    def launches(self, layer, point):
        return record_launches(self.name, self._kernel.artifact.select(point.m), layer, point)


class Idle(Candidate):
    """Writes nothing, and is found out."""

    name = "idle"

    def launches(self, layer, point):
        (launch, *_) = Cublas().launches(layer, point)
        launch.name, launch.run = self.name, lambda weights, x, out: out
        return [launch]


@pytest.mark.parametrize("m", [1, 16])
def test_a_point_is_measured(kernel_for, m):
    results = Results()
    results.calls = [{}]
    candidates = [Compiled(kernel_for(256, 384)), Cublas(), Idle()]
    session = Session(
        candidates, Method(rounds=2), results, math.inf, lambda point: [], lambda text: None
    )
    assert session.run([Point("small", 256, 384, m, "f16")]) == []
    rows = {r.name: r for r in results.points[0].rows}
    assert 0.5 < rows["wna16"].us < 100 and 0.5 < rows["cublas"].us < 100
    assert rows["wna16"].error < 2.5e-4 and rows["wna16"].error_after == rows["wna16"].error
    assert rows["idle"].us is None and "wrong" in rows["idle"].reason


def test_launches_of_a_graph_go_round_over_the_copies():
    import torch

    x = torch.zeros(1, device="cuda")
    order = []

    def launch(i):
        order.append(i)
        return x.add_(1)

    graph = Replayed(launch, 7)
    captured = order[-graph.launches :]
    assert graph.launches % 7 == 0
    assert captured == [i % 7 for i in range(graph.launches)]
    before = float(x)
    samples = graph.block(Method(timed_ms=1))
    assert len(samples) >= 4 and min(samples) > 0
    assert float(x) - before == graph.launches * (len(samples) + Method().heating(graph.graph_us))
