"""Mixtures of experts, in plain NumPy: what routing and products mean.

Tokens go to `top_k` experts each. Slot t * top_k + j is choice j of token t; a position
is the place of a slot when slots are grouped by expert. docs/spec.md has the tables:

    slots     int32 [P]        the slot of each position; P (no slot) at the end
    segments  int32 [B, 4]     {expert, first position, positions, 0}

    segments, slots = wna16.moe.route(ids, experts=8, segment_rows=16)
    h = wna16.moe.gemm(x, weights, segments, slots, top_k=2)      # float64, row by slot
    y = wna16.moe.sum_slots(h, ids, experts=8, router_weights=v)
"""

from __future__ import annotations

import numpy as np

from .errors import DTypeError, ShapeError

#: What kernels take.
MAX_EXPERTS = 1024
MAX_TOP_K = 16


def segment_bound(positions: int, experts: int, segment_rows: int) -> int:
    """Rows of the table of segments that any routing of so many positions fits in."""
    busy = min(positions, experts)
    return busy + (positions - busy) // segment_rows


def busy_experts(slots: int, experts: int, top_k: int) -> float:
    """How many experts have a slot, if each token goes to any of them."""
    chosen = min(1.0, top_k / experts)
    return min(float(slots), experts * (1 - (1 - chosen) ** max(1.0, slots / top_k)))


def segment_rows(slots: int, experts: int, top_k: int) -> int:
    """Rows of segments for so many slots: 8, 16, 32 or 64.

    The weights of an expert are read and dequantized once for each of its segments, which
    costs more than rows that are not used: as many rows as most experts have.
    """
    mean = slots / max(1.0, busy_experts(slots, experts, top_k))
    wanted = mean + mean**0.5
    return next((rows for rows in (8, 16, 32) if wanted <= rows), 64)


def local_experts(
    ids: np.ndarray, experts: int, expert_map: np.ndarray | None = None
) -> np.ndarray:
    """Router ids -> local experts, int64 of the same shape; -1 where a slot is dropped.

    Dropped are ids that are no index of the map (without one: not in 0 .. experts - 1),
    and ids that the map sends anywhere but to 0 .. experts - 1.
    """
    ids = np.asarray(ids)
    if ids.ndim != 2 or ids.dtype.kind not in "iu" or not 1 <= ids.shape[1] <= MAX_TOP_K:
        raise ShapeError(
            f"expected ids of integers [tokens, top_k] with top_k from 1 to {MAX_TOP_K}, "
            f"found {ids.dtype} {list(ids.shape)} [ROUTE-C1]"
        )
    if not 1 <= experts <= MAX_EXPERTS:
        raise ShapeError(f"expected 1 to {MAX_EXPERTS} experts, found {experts} [ROUTE-C3]")
    table = np.arange(experts) if expert_map is None else np.asarray(expert_map)
    if table.ndim != 1 or table.size == 0 or table.dtype.kind not in "iu":
        raise ShapeError(
            "expected a map of integers, one for each global expert, found "
            f"{table.dtype} {list(table.shape)} [ROUTE-C2]"
        )
    table = table.astype(np.int64)
    table = np.where((table >= 0) & (table < experts), table, -1)
    known = (ids >= 0) & (ids < table.size)
    return np.where(known, table[np.where(known, ids, 0)], -1)


def route(
    ids: np.ndarray,
    *,
    experts: int,
    segment_rows: int,
    expert_map: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Router ids [tokens, top_k] -> (segments, slots), as wna16.moe_route makes them."""
    if segment_rows < 1:
        raise ShapeError(f"expected segments of 1 row or more, found {segment_rows} [ROUTE-C4]")
    local = local_experts(ids, experts, expert_map).reshape(-1)
    positions = local.size
    order = np.argsort(local, kind="stable")
    kept = order[np.count_nonzero(local < 0) :]  # the dropped ones come first
    slots = np.full(positions, positions, np.int32)
    slots[: kept.size] = kept
    rows = []
    first = 0
    for expert, count in enumerate(np.bincount(local[kept], minlength=experts)):
        for begin in range(0, count, segment_rows):
            rows.append((expert, first + begin, min(segment_rows, count - begin), 0))
        first += count
    return _segments(rows, segment_bound(positions, experts, segment_rows)), slots


def from_aligned_blocks(
    sorted_token_ids: np.ndarray,
    expert_ids: np.ndarray,
    num_tokens_post_padded: int,
    *,
    block_size: int,
    slots: int,
    segment_rows: int,
    experts: int,
) -> tuple[np.ndarray, np.ndarray]:
    """The tables of vLLM's moe_align_block_size -> (segments, slots).

    Blocks of one expert lie side by side; a run of them becomes segments, so that the
    weights are read once for `segment_rows` rows and not once for a block. The order of
    slots stays. Blocks of expert -1 and ids from `slots` on are padding.

    Args:
        sorted_token_ids: slots, `block_size` to a block; `slots` or more is padding.
        expert_ids: local expert of each block.
        num_tokens_post_padded: so many of the ids are there.
        slots: tokens * top_k.
    """
    ids, of_block = np.asarray(sorted_token_ids), np.asarray(expert_ids)
    for name, array in (("sorted_token_ids", ids), ("expert_ids", of_block)):
        if array.ndim != 1 or array.dtype.kind not in "iu":
            raise DTypeError(
                f"expected {name} to be a vector of integers, found "
                f"{array.dtype} {list(array.shape)}"
            )
    used = int(num_tokens_post_padded)
    blocks = used // block_size
    if used % block_size or used < 0 or used > ids.size or blocks > of_block.size:
        raise ShapeError(
            f"expected num_tokens_post_padded to be whole blocks of {block_size} among "
            f"{ids.size} ids and {of_block.size} blocks, found {used}"
        )
    table = np.full(slots, slots, np.int32)
    rows: list[tuple[int, int, int, int]] = []
    filled = 0
    begin = 0
    while begin < blocks:
        expert, end = int(of_block[begin]), begin
        while end < blocks and of_block[end] == expert:
            end += 1
        mine = ids[begin * block_size : end * block_size]
        mine = mine[(mine >= 0) & (mine < slots)]
        begin = end
        if not 0 <= expert < experts or mine.size == 0:
            continue
        if filled + mine.size > slots:
            raise ShapeError(
                f"expected each of {slots} slots once, found {filled + mine.size} or more"
            )
        table[filled : filled + mine.size] = mine
        for part in range(0, mine.size, segment_rows):
            rows.append((expert, filled + part, min(segment_rows, mine.size - part), 0))
        filled += mine.size
    if np.unique(table[:filled]).size != filled:
        raise ShapeError("expected each slot once, found one in two places")
    return _segments(rows, segment_bound(slots, experts, segment_rows)), table


def gemm(
    x: np.ndarray,
    weights: np.ndarray,
    segments: np.ndarray,
    slots: np.ndarray,
    *,
    top_k: int,
    x_rows: str = "token",
    y_rows: str = "slot",
    bias: np.ndarray | None = None,
    router_weights: np.ndarray | None = None,
) -> np.ndarray:
    """What wna16.moe_gemm computes, float64 [P, N]; rows that no segment covers are NaN.

    Args:
        x: a row per token, per slot or per position, by `x_rows`.
        weights: dequantized, [experts, K, N].
        bias: [experts, N].
        router_weights: [tokens, top_k]; multiplied in here, or in sum_slots(), not in both.
    """
    row_of = {
        "token": lambda position, slot: slot // top_k,
        "slot": lambda position, slot: slot,
        "position": lambda position, slot: position,
    }
    if x_rows not in row_of or y_rows not in ("slot", "position"):
        raise ShapeError(
            "expected rows of x by token, slot or position and rows of y by slot or "
            f"position, found {x_rows} and {y_rows} [MOE-C19]"
        )
    positions = slots.size
    y = np.full((positions, weights.shape[2]), np.nan)
    for expert, first, count in np.asarray(segments, np.int64)[:, :3]:
        if not 0 <= expert < weights.shape[0] or first < 0:
            continue
        for position in range(first, min(first + count, positions)):
            slot = int(slots[position])
            if not 0 <= slot < positions:
                continue
            row = x[row_of[x_rows](position, slot)].astype(np.float64)
            row = row @ weights[expert].astype(np.float64)
            if bias is not None:
                row = row + bias[expert]
            if router_weights is not None:
                row = row * float(router_weights[slot // top_k, slot % top_k])
            y[row_of[y_rows](position, slot)] = row
    return y


def sum_slots(
    h: np.ndarray,
    ids: np.ndarray,
    *,
    experts: int,
    expert_map: np.ndarray | None = None,
    router_weights: np.ndarray | None = None,
) -> np.ndarray:
    """What wna16.moe_sum computes from a row per slot, float64 [tokens, N]; dropped slots
    are not read."""
    kept = local_experts(ids, experts, expert_map) >= 0
    tokens, top_k = kept.shape
    y = np.zeros((tokens, h.shape[1]))
    for t in range(tokens):
        for j in range(top_k):
            if kept[t, j]:
                factor = 1.0 if router_weights is None else float(router_weights[t, j])
                y[t] += factor * h[t * top_k + j].astype(np.float64)
    return y


def _segments(rows: list[tuple[int, int, int, int]], bound: int) -> np.ndarray:
    """Rows, and those that are not used, up to `bound`."""
    table = np.zeros((max(bound, len(rows)), 4), np.int32)
    if rows:
        table[: len(rows)] = rows
    return table
