"""Kernels that make tables for a mixture of experts and add up its results, with data.

Both the emulator and a GPU run them; what is right says wna16.moe, in NumPy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from wna16 import moe

#: Where tokens go.
KINDS = ("uniform", "skewed", "last", "broken")


def make_ids(kind: str, shape: tuple[int, int], end: int, seed: int) -> np.ndarray:
    """Router ids below `end`; of the kind "broken" also others."""
    rng = np.random.default_rng(seed)
    ids = rng.integers(0, end, shape)
    if kind == "last":
        ids[:] = end - 1
    elif kind == "skewed":
        ids = np.minimum(rng.geometric(0.5, shape) - 1, end - 1)
    elif kind == "broken":
        wrong = rng.choice([-1, end, 2**31 - 1, -(2**31)], shape)
        ids = np.where(rng.random(shape) < 0.3, wrong, ids)
    return ids.astype(np.int32)


@dataclass(frozen=True)
class Case:
    """What routing and sums have in common. `mapped` global experts, 0 without a map."""

    name: str
    experts: int
    top_k: int
    mapped: int = 0

    @property
    def _map(self) -> tuple[str, str]:
        return (" map %map", f", tensor<{self.mapped}xi32>") if self.mapped else ("", "")

    def expert_map(self, seed: int = 0) -> np.ndarray | None:
        """Some of the global experts live here; the others are -1."""
        if not self.mapped:
            return None
        order = np.random.default_rng(seed).permutation(self.mapped)
        return np.where(order < self.experts, order, -1).astype(np.int32)

    def ids(self, kind: str, tokens: int, seed: int = 0) -> np.ndarray:
        return make_ids(kind, (tokens, self.top_k), self.mapped or self.experts, seed)


@dataclass(frozen=True)
class Route(Case):
    rows: int = 16

    @property
    def text(self) -> str:
        use, type = self._map
        types = f"tensor<?x{self.top_k}xi32>{type}"
        arguments = f"%ids: tensor<?x{self.top_k}xi32>"
        if type:
            arguments += f", %map: {type[2:]}"
        return f"""\
func.func @{self.name}({arguments}) -> (tensor<?x4xi32>, tensor<?xi32>) {{
  %segments, %slots = wna16.moe_route %ids{use}
      {{experts = {self.experts} : i64, segment_rows = {self.rows} : i64}}
      : ({types}) -> (tensor<?x4xi32>, tensor<?xi32>)
  return %segments, %slots : tensor<?x4xi32>, tensor<?xi32>
}}
"""

    def expected(self, ids: np.ndarray, expert_map: np.ndarray | None):
        return moe.route(
            ids, experts=self.experts, segment_rows=self.rows, expert_map=expert_map
        )


@dataclass(frozen=True)
class Sum(Case):
    n: int = 256
    dtype: str = "f16"
    out: str = "f16"
    weights: bool = True

    @property
    def text(self) -> str:
        use, type = self._map
        ids = f"tensor<?x{self.top_k}xi32>"
        h, y = f"tensor<?x{self.n}x{self.dtype}>", f"tensor<?x{self.n}x{self.out}>"
        arguments, types = f"%h: {h}, %ids: {ids}", f"{h}, {ids}{type}"
        if type:
            arguments += f", %map: {type[2:]}"
        if self.weights:
            arguments += f", %weights: tensor<?x{self.top_k}xf32>"
            types += f", tensor<?x{self.top_k}xf32>"
            use += " weights %weights"
        return f"""\
func.func @{self.name}({arguments}) -> {y} {{
  %y = wna16.moe_sum %h ids %ids{use} {{experts = {self.experts} : i64}}
      : ({types}) -> {y}
  return %y : {y}
}}
"""

    def data(self, ids: np.ndarray, expert_map: np.ndarray | None, seed: int = 0):
        """(h, router weights or None), float32; both are NaN for dropped slots."""
        rng = np.random.default_rng(seed)
        h = rng.standard_normal((ids.size, self.n)).astype(np.float32)
        kept = moe.local_experts(ids, self.experts, expert_map) >= 0
        h[~kept.reshape(-1)] = np.nan
        weights = rng.uniform(0.05, 1, ids.shape).astype(np.float32)
        weights[~kept] = np.nan
        return h, weights if self.weights else None

    def expected(self, h, ids, expert_map, weights):
        return moe.sum_slots(
            h, ids, experts=self.experts, expert_map=expert_map, router_weights=weights
        )

    @property
    def tolerance(self) -> float:
        """Half a unit of the last place of the result, and some of f32."""
        return {"f16": 6e-4, "bf16": 5e-3, "f32": 2e-6}[self.out]


ROUTES = [
    Route("route", 8, 2),
    Route("route_one", 1, 1, rows=8),
    Route("route_remote", 16, 8, mapped=64, rows=1),
    Route("route_sixty", 60, 4, rows=5),
    Route("route_top_16", 256, 16, rows=64),
    Route("route_many", 1024, 8, mapped=1500),
]
SUMS = [
    Sum("sum", 8, 2),
    Sum("sum_remote", 16, 8, mapped=64, n=2880, dtype="bf16", out="bf16"),
    Sum("sum_many", 1024, 16, n=98, out="f32", weights=False),
]
#: Of Mixtral 8x7B, Qwen3-30B-A3B and DeepSeek-V3: what is timed.
LAYERS = [
    ("mixtral", 8, 2, 4096),
    ("qwen3", 128, 8, 2048),
    ("deepseek", 256, 8, 7168),
]
TIMED_SUMS = [
    Sum(f"sum_{name}", e, top_k, n=n, dtype="bf16", out="bf16") for name, e, top_k, n in LAYERS
]
TIMED_ROUTES = [Route(f"route_{name}", e, top_k) for name, e, top_k, _ in LAYERS]
ALL = [*ROUTES, *SUMS, *TIMED_ROUTES, *TIMED_SUMS]
