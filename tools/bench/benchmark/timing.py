"""Times launches: CUDA graphs, replayed in rounds, all candidates of a point in turn.

Above M = 16 a kernel's time depends on what ran just before it: the chip is limited
by power, and its clock follows with a delay of milliseconds. So each block of replays
starts with a pause and then some of its own work that is not timed, and every round
begins with another candidate. Back to back without pauses, the same kernel was seen
up to 20 % slower.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import torch

from .stats import Summary, summarize

#: Launches from a graph last this long at least, so that replay overhead is nothing.
GRAPH_MICROSECONDS = 300.0


@dataclass(frozen=True)
class Method:
    """How long a block pauses, heats and is timed."""

    rounds: int = 3
    pause_ms: float = 10.0
    preheat_ms: float = 3.0
    timed_ms: float = 5.0
    min_replays: int = 4
    max_replays: int = 15

    def for_m(self, m: int) -> Method:
        """Without pause and preheating where power does not matter."""
        if m > 16:
            return self
        return Method(self.rounds, 0.0, 0.0, self.timed_ms, self.min_replays, self.max_replays)

    def block_us(self, us: float, copies: int) -> float:
        """Wall time of one block of launches of `us`; for the plan."""
        graph = us * launches_per_graph(us, copies)
        timed = graph * self.replays(graph)
        heat = graph * (1 + self.preheat_ms * 1e3 // graph)
        return self.pause_ms * 1e3 + heat + timed

    def replays(self, graph_us: float) -> int:
        wanted = int(self.timed_ms * 1e3 / graph_us)
        return max(self.min_replays, min(self.max_replays, wanted))


def launches_per_graph(us: float, copies: int) -> int:
    """Whole rounds over the copies: each launch finds its weights cold."""
    return copies * max(1, int(GRAPH_MICROSECONDS / (copies * us)))


class Replayed:
    """One candidate's graph; keeps the last result, which may be its own tensor."""

    def __init__(self, launch: Callable[[int], torch.Tensor], copies: int):
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for i in range(min(copies, 3)):  # lazy set-up must not be captured
                launch(i)
        torch.cuda.current_stream().wait_stream(stream)
        torch.cuda.synchronize()
        us = self._once(launch, copies)
        self.launches = launches_per_graph(us, copies)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            for i in range(self.launches):
                self.result = launch(i % copies)
        self.graph.replay()
        start, end = _event(), _event()
        start.record()
        self.graph.replay()
        end.record()
        end.synchronize()
        self.graph_us = start.elapsed_time(end) * 1e3

    @staticmethod
    def _once(launch: Callable[[int], torch.Tensor], copies: int) -> float:
        """Roughly; the host's part is in it, so it is not too small."""
        start, end = _event(), _event()
        start.record()
        for i in range(3):
            launch(i % copies)
        end.record()
        end.synchronize()
        return max(start.elapsed_time(end) * 1e3 / 3, 2.0)

    def block(self, method: Method) -> list[float]:
        """Microseconds per launch of each timed replay."""
        torch.cuda.synchronize()
        if method.pause_ms:
            time.sleep(method.pause_ms / 1e3)
        replays = method.replays(self.graph_us)
        events = [_event() for _ in range(replays + 1)]
        for _ in range(1 + int(method.preheat_ms * 1e3 / self.graph_us)):
            self.graph.replay()
        events[0].record()
        for event in events[1:]:
            self.graph.replay()
            event.record()
        events[-1].synchronize()
        return [
            a.elapsed_time(b) * 1e3 / self.launches for a, b in zip(events, events[1:])
        ]


def _event() -> torch.cuda.Event:
    return torch.cuda.Event(enable_timing=True)


def interleave(graphs: dict[str, Replayed], method: Method) -> dict[str, Summary]:
    """Every graph once per round, in an order that moves on by one per round."""
    names = list(graphs)
    samples: dict[str, list[list[float]]] = {name: [] for name in names}
    for round_ in range(method.rounds):
        shift = round_ % max(1, len(names))
        for name in names[shift:] + names[:shift]:
            samples[name].append(graphs[name].block(method))
    return {name: summarize(samples[name]) for name in names}
