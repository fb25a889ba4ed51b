"""How long blocks of replays pause, heat and are timed; no PyTorch here."""

from __future__ import annotations

from dataclasses import dataclass, replace

#: A graph takes this long at least, so that what a replay costs itself is nothing.
GRAPH_MICROSECONDS = 300.0
COLD_BYTES = 300 << 20
MIN_COPIES, MAX_COPIES = 2, 40


def copies_of(weight_bytes: int) -> int:
    """Copies of weights, so many that none is in the L2 cache when its turn comes."""
    return max(MIN_COPIES, min(MAX_COPIES, -(-COLD_BYTES // weight_bytes)))


def launches_per_graph(us: float, copies: int) -> int:
    """Whole rounds over the copies: each launch finds its weights cold."""
    return copies * max(1, int(GRAPH_MICROSECONDS / (copies * us)))


@dataclass(frozen=True)
class Method:
    """A block: a pause, replays that are not timed, replays that are."""

    rounds: int = 3
    pause_ms: float = 10.0
    preheat_ms: float = 3.0
    timed_ms: float = 5.0
    min_replays: int = 4
    max_replays: int = 15

    def for_m(self, m: int) -> Method:
        """Without pause and preheating where power does not matter."""
        return self if m > 16 else replace(self, pause_ms=0.0, preheat_ms=0.0)

    def heating(self, graph_us: float) -> int:
        """Replays before the timed ones; one at least, which may come from far away."""
        return 1 + int(self.preheat_ms * 1e3 / graph_us)

    def replays(self, graph_us: float) -> int:
        wanted = int(self.timed_ms * 1e3 / graph_us)
        return max(self.min_replays, min(self.max_replays, wanted))

    def block_seconds(self, us: float, copies: int) -> float:
        """Wall time of one block of launches of `us`."""
        graph = us * launches_per_graph(us, copies)
        return self.pause_ms / 1e3 + graph * (self.heating(graph) + self.replays(graph)) / 1e6
