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

import torch

from .method import Method, launches_per_graph
from .stats import Summary, summarize


class Replayed:
    """One candidate's graph; keeps the last result, which may be its own tensor, and
    what `launch` holds: a graph reads where its tensors lay when it was captured."""

    def __init__(self, launch: Callable[[int], torch.Tensor], copies: int):
        self._launch = launch
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
        for _ in range(method.heating(self.graph_us)):
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
