"""Mixtures of experts: routing, vLLM's aligned blocks, products and sums in NumPy."""

import numpy as np
import pytest

from wna16 import DTypeError, ShapeError, moe


def kept_slots(segments, slots):
    """(expert, slots) of every segment that has positions."""
    return [(int(e), slots[p : p + n].tolist()) for e, p, n, _ in segments if n]


def check_tables(ids, experts, rows, expert_map=None):
    """Every kept slot once, by expert, stable; segments full but for the last of each."""
    ids = np.asarray(ids)
    segments, slots = moe.route(ids, experts=experts, segment_rows=rows, expert_map=expert_map)
    positions = ids.size
    assert segments.dtype == slots.dtype == np.int32
    assert slots.shape == (positions,)
    assert segments.shape == (moe.segment_bound(positions, experts, rows), 4)
    wanted = {}
    for slot, id_ in enumerate(ids.reshape(-1).tolist()):
        if expert_map is not None:
            id_ = int(expert_map[id_]) if 0 <= id_ < len(expert_map) else -1
        if 0 <= id_ < experts:
            wanted.setdefault(id_, []).append(slot)
    found = {}
    next_position = 0
    for e, p, n, zero in segments.tolist():
        assert zero == 0 and n <= rows
        if n == 0:
            assert e == p == 0
            continue
        assert p == next_position
        next_position += n
        found.setdefault(e, []).extend(slots[p : p + n].tolist())
    assert found == wanted and list(found) == sorted(found)
    assert (slots[next_position:] == positions).all()
    return segments, slots


RNG = np.random.default_rng(5)


@pytest.mark.parametrize(
    "ids, experts, rows",
    [
        pytest.param(np.full((9, 1), 17), 60, 4, id="59 of 60 experts empty"),
        pytest.param(np.full((7, 2), 4), 5, 8, id="all tokens to the last expert"),
        pytest.param(RNG.integers(0, 144, (5, 6)), 144, 16, id="E not a power of two (F9)"),
        pytest.param(np.zeros((6, 1), int), 1, 4, id="one expert"),
        pytest.param(np.zeros((0, 2), int), 8, 16, id="no tokens"),
        pytest.param([[-1, 0, 6, 7], [-(2**31), 2**31 - 1, 1, 1]], 7, 8, id="out of range (F5)"),
        pytest.param(RNG.integers(0, 4, (5, 1)), 4, 16, id="top_k 1, partly filled"),
        pytest.param(RNG.integers(0, 1024, (7, 16)), 1024, 64, id="top_k 16, 1024 experts (F6)"),
        pytest.param(RNG.integers(0, 8, (513, 2)), 8, 64, id="many rows per expert"),
    ],
)
def test_route(ids, experts, rows):
    check_tables(ids, experts, rows)


def test_route_with_a_map():
    """Expert parallel (F4): remote experts are -1 in the map, and dropped."""
    expert_map = np.array([-1, 1, -1, 0, 9])
    ids = np.array([[0, 1], [2, 3], [4, 5], [-1, 1]])
    segments, slots = check_tables(ids, 2, 8, expert_map)
    assert kept_slots(segments, slots) == [(0, [3]), (1, [1, 7])]


def test_the_bound_is_reached():
    """min(P, E) experts with a token each, the rest in full segments of one of them."""
    for positions, experts, rows in ((40, 8, 4), (5, 8, 4), (8, 8, 1), (1, 1, 16)):
        busy = min(positions, experts)
        ids = np.array([*range(busy), *[0] * (positions - busy)]).reshape(-1, 1)
        segments, _ = moe.route(ids, experts=experts, segment_rows=rows)
        assert len(segments) - np.count_nonzero(segments[:, 2]) <= 1
        assert len(segments) == moe.segment_bound(positions, experts, rows)


def align(ids, experts, block):
    """vLLM's moe_align_block_size, by its contract: blocks padded per expert."""
    flat = np.asarray(ids).reshape(-1)
    sorted_ids, blocks = [], []
    for e in range(experts):
        mine = np.flatnonzero(flat == e).tolist()
        mine += [flat.size] * (-len(mine) % block)
        sorted_ids += mine
        blocks += [e] * (len(mine) // block)
    used = len(sorted_ids)
    length = flat.size + experts * (block - 1)
    sorted_ids += [flat.size] * (length - used)
    blocks += [-1] * (-(-length // block) - len(blocks))
    return np.array(sorted_ids, np.int32), np.array(blocks, np.int32), used


@pytest.mark.parametrize("experts, tokens, top_k", [(4, 9, 3), (60, 33, 4), (1, 20, 1), (7, 0, 2)])
def test_aligned_blocks_are_merged(experts, tokens, top_k):
    ids = np.random.default_rng(tokens).integers(0, experts, (tokens, top_k))
    arrays = align(ids, experts, 8)
    got = moe.from_aligned_blocks(
        *arrays, block_size=8, slots=ids.size, segment_rows=64, experts=experts
    )
    wanted = moe.route(ids, experts=experts, segment_rows=64)
    for a, b in zip(got, wanted, strict=True):
        np.testing.assert_array_equal(a, b)


def test_blocks_without_an_expert():
    """-1 blocks (remote experts), and padding in the middle of a block."""
    ids = np.array([3, 9, 0, 1, 2, 9, 9, 9, 4, 5, 6, 7], np.int32)
    blocks = np.array([1, -1, 0], np.int32)
    segments, slots = moe.from_aligned_blocks(
        ids, blocks, 12, block_size=4, slots=9, segment_rows=2, experts=2
    )
    assert kept_slots(segments, slots) == [(1, [3, 0]), (1, [1]), (0, [4, 5]), (0, [6, 7])]
    assert (slots[7:] == 9).all()


def test_bad_aligned_blocks():
    ids, blocks = np.zeros(8, np.int32), np.zeros(2, np.int32)
    common = dict(block_size=4, slots=8, segment_rows=4, experts=2)
    for used in (3, 12, -4):
        with pytest.raises(ShapeError, match="whole blocks of 4"):
            moe.from_aligned_blocks(ids, blocks, used, **common)
    with pytest.raises(ShapeError, match="in two places"):
        moe.from_aligned_blocks(ids, blocks, 8, **common)
    with pytest.raises(DTypeError, match="vector of integers"):
        moe.from_aligned_blocks(ids.astype(float), blocks, 8, **common)


@pytest.mark.parametrize("top_k", [1, 2, 16])
def test_layer(top_k):
    """route, gemm, sum_slots against a loop over tokens; the two places of router weights."""
    rng = np.random.default_rng(top_k)
    tokens, experts, k, n = 6, 5, 8, 3
    x, weights = rng.normal(size=(tokens, k)), rng.normal(size=(experts, k, n))
    bias = rng.normal(size=(experts, n))
    ids = rng.integers(-1, experts + 1, (tokens, top_k))
    router = rng.uniform(0.1, 1, (tokens, top_k))
    segments, slots = moe.route(ids, experts=experts, segment_rows=4)
    want = np.zeros((tokens, n))
    for t in range(tokens):
        for j, e in enumerate(ids[t]):
            if 0 <= e < experts:
                want[t] += router[t, j] * (x[t] @ weights[e] + bias[e])
    h = moe.gemm(x, weights, segments, slots, top_k=top_k, bias=bias)
    y = moe.sum_slots(h, ids, experts=experts, router_weights=router)
    np.testing.assert_allclose(y, want, atol=1e-12)
    weighed = moe.gemm(
        x, weights, segments, slots, top_k=top_k, bias=bias, router_weights=router
    )
    np.testing.assert_allclose(moe.sum_slots(weighed, ids, experts=experts), want, atol=1e-12)
    # Rows by position, in and out.
    by_position = moe.gemm(x, weights, segments, slots, top_k=top_k, y_rows="position")
    count = segments[:, 2].sum()
    again = moe.gemm(
        by_position, np.broadcast_to(np.eye(n), (experts, n, n)), segments, slots,
        top_k=top_k, x_rows="position",
    )  # fmt: skip
    np.testing.assert_array_equal(again[slots[:count]], by_position[:count])


def test_refused():
    ids = np.zeros((2, 2), int)
    for change, label in (
        (dict(experts=0), "ROUTE-C3"),
        (dict(experts=1025), "ROUTE-C3"),
        (dict(segment_rows=0), "ROUTE-C4"),
        (dict(expert_map=np.zeros((0,), int)), "ROUTE-C2"),
    ):
        with pytest.raises(ShapeError, match=rf"\[{label}\]"):
            moe.route(ids, **{**dict(experts=2, segment_rows=4), **change})
    for bad in (np.zeros((2, 17), int), np.zeros((2, 2)), np.zeros(2, int)):
        with pytest.raises(ShapeError, match=r"\[ROUTE-C1\]"):
            moe.route(bad, experts=2, segment_rows=4)
    with pytest.raises(ShapeError, match=r"\[MOE-C19\]"):
        moe.gemm(ids, np.zeros((2, 2, 2)), *moe.route(ids, experts=2, segment_rows=4),
                 top_k=2, y_rows="token")  # fmt: skip
