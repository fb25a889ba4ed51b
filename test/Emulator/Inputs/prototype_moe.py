"""Cases of the mixture-of-experts prototypes: moe_gemm, align_k, sum_k."""

import functools
import math
import random
import struct

import gemm_data
from gemm_data import Weights, flat, integers, pack16
from prototype_launch import Case, Plan, buffer, make_record, numbers, pointer
from prototype_launch import struct_argument, tensor_map

COSTS = [
    [
        {8: 33, 16: 35, 32: 46, 48: 62}.get(c, 78)
        for c in (8, 8, 16, 32, 32, 48, 48, 64, 64) + (128,) * 8
    ],
    [
        35 if c <= 32 else 48 if c <= 64 else 79
        for c in (8, 8, 16, 32, 32, 48, 48, 64, 64) + (128,) * 8
    ],
]


def cost_of(rows: int, most: int) -> int:
    size = next(c for c in (8, 16, 32, 48, 64, 128) if rows <= c)
    return COSTS[most > 64][size // 8]


def align(ids: list[int], experts: int, most: int) -> tuple[list[list[int]], list[int]]:
    """Slots sorted by expert, and segments of at most `most` of them."""
    slots = sorted(range(len(ids)), key=lambda slot: ids[slot])
    segments, first, cost = [], 0, 0
    for expert in range(experts):
        rows = ids.count(expert)
        for at in range(0, rows, most):
            part = min(rows - at, most)
            segments.append([expert, first + at, part, cost])
            cost += cost_of(part, most)
        first += rows
    return [[len(segments), cost, len(ids), 0]] + segments, slots


def route(rng: random.Random, rows: list[int]) -> list[int]:
    ids = [expert for expert, count in enumerate(rows) for _ in range(count)]
    rng.shuffle(ids)
    return ids


def ints(values: list[int]) -> bytes:
    return struct.pack(f"<{len(values)}i", *values)


MOE_N, MOE_TOP = 512, 2


@functools.cache
def moe_data(rows: tuple[int, ...], groups: int):
    """Expert of each slot, weights of each expert, x, exact products by slot."""
    rng = random.Random(3)
    k = 128 * groups
    ids = route(rng, list(rows))
    layers = [Weights.make(rng, MOE_N, k, False) for _ in rows]
    x = integers(rng, len(ids) // MOE_TOP, k, 1)
    y = [[0.0] * MOE_N for _ in ids]
    for expert, layer in enumerate(layers):
        mine = [slot for slot, owner in enumerate(ids) if owner == expert]
        for slot, row in zip(
            mine, layer.product([x[slot // MOE_TOP] for slot in mine]) if mine else []
        ):
            y[slot] = row
    return ids, layers, b"".join(layer.packed() for layer in layers), x, y


def make_moe(
    entry: str,
    dtype: str,
    mb: int,
    rows: tuple[int, ...],
    groups: int,
    mode: int,
    epilogue: int,
    blocks: int,
    known: str = "",
) -> Case:
    n, top = MOE_N, MOE_TOP
    k, experts = 128 * groups, len(rows)
    ids, layers, packed, x, y = moe_data(rows, groups)
    most = 128 if mb == 2 else 64
    table, slots = align(ids, experts, most)
    rng = random.Random(6)
    share = [2.0 ** rng.randint(-2, 0) for _ in ids]
    rounded = gemm_data.unpack16(pack16(flat(y), dtype), dtype)
    width, tolerance, out_type = n, 0.0, dtype
    if epilogue == 1:  # silu(gate) * up, 8 columns of each in turn
        width, tolerance = n // 2, 2e-2 if dtype == "bf16" else 2e-3
        y = [
            [silu(row[c // 8 * 16 + c % 8]) * row[c // 8 * 16 + 8 + c % 8] for c in range(width)]
            for row in y
        ]
        expected = pack16(flat(y), dtype)
    elif epilogue == 2:
        expected = pack16([rounded[i] * share[i // n] for i in range(len(rounded))], dtype)
    elif epilogue == 3:
        out_type, sums = "f32", [[0.0] * n for _ in x]
        for slot in range(len(ids)):
            for c in range(n):
                sums[slot // top][c] += rounded[slot * n + c] * share[slot]
        expected = struct.pack(f"<{n * len(x)}f", *flat(sums))
    else:
        expected = pack16(flat(y), dtype)
    pointers = ["w", "s", "x", "y", "segments", "slots", "share", "ws", "flags", "counter"]
    scalars = dict(
        N=n, K=k, n=len(ids), div=top, src=0, dst=1, epi=epilogue, mode=mode, ldo=width, E=experts
    )
    after = {"after_dependency": True}
    y_access = "read_write" if epilogue == 3 else "write"
    arguments = [
        tensor_map("w", "u64", [n, experts * k // 16], [256, 8], 0),
        struct_argument(
            120, [pointer(name, 8 * i) for i, name in enumerate(pointers)] + numbers(80, **scalars)
        ),
        buffer("w", "i32", experts * n * k // 8),
        buffer("s", dtype, experts * n * groups),
        buffer("x", dtype, len(x) * k, **after),
        buffer("y", out_type, len(expected) // (4 if epilogue == 3 else 2), y_access, **after),
        buffer("segments", "i32", 4 * 385, **after),
        buffer("slots", "i32", len(ids), **after),
        buffer("share", "f32", len(ids), **after),
        buffer("ws", "f32", blocks * 8192 * 4, "read_write", initial="undefined", **after),
        buffer("flags", "i32", 16 * blocks, "read_write", **after),
        buffer("counter", "i32", 2, "read_write", **after),
    ]
    ring, x_ring, reduction = (8, 49152, 24576) if mb == 1 else (6, 98304, 0)
    shared = (
        x_ring
        + ring * 16896
        + 4 * 16 * 144
        + reduction
        + 384 * 16
        + 1024 * 4
        + 1024
        + 128
        + 16 * ring
        + 64
    )
    record = make_record(
        entry,
        arguments,
        [blocks],
        512 // mb + 128,
        shared_bytes=shared,
        cooperative=True,
        dependent_launch=True,
    )
    inputs = {
        "w": packed,
        "s": b"".join(pack16(layer.permuted_scales(64), dtype) for layer in layers),
        "x": pack16(flat(x), dtype),
        "segments": ints(flat(table)).ljust(16 * 385, b"\0"),
        "slots": ints(slots),
        "share": struct.pack(f"<{len(share)}f", *share),
        "flags": bytes(64 * blocks),
        "counter": bytes(8),
    }
    if epilogue == 3:
        inputs["y"] = bytes(len(expected))
    expected = {"y": expected, "flags": bytes(64 * blocks)}
    return Case(entry, record, inputs, expected, dtype, tolerance, known)


def silu(value: float) -> float:
    return value / (1 + math.exp(-value))


def moe_gemm(entry: str, dtype: str, values: list[int]) -> list[Plan]:
    """Modes: 0 stream-K, 1 static, 2 counter, 3 chosen; rows by expert: up to 16 go
    through mma.sync, more through wgmma (always with mb 2).

    The staging area of the results, and the named barriers around it, belong to other
    warps after mma.sync than after wgmma, and nothing but the ring orders the two. An
    item of fewer than 12 groups does not go round it: a fault of the prototype, which
    the emulator finds (a race, in some interleavings a deadlock).
    """
    (mb,) = values
    few, many, mixed = (5, 14, 0, 9), (30, 0, 41, 61), (5, 14, 0, 30, 71)
    if mb == 2:
        ways = [((20, 0, 60, 130), 9, mode, mode, 5 - mode, "") for mode in range(4)]
    else:
        ways = [
            (few, 9, 0, 0, 5, ""),
            (many, 9, 0, 0, 5, ""),
            (mixed, 13, 1, 2, 2, ""),
            (mixed, 13, 2, 3, 3, ""),
            (mixed, 13, 3, 1, 4, ""),
            (mixed, 9, 1, 0, 2, "race"),
        ]
    plans = []
    for way in ways:
        rows, groups, mode, epilogue, blocks, known = way
        name = f"moe_gemm {dtype} mb{mb} rows{rows} groups={groups} mode{mode} epi{epilogue}"
        make = functools.partial(make_moe, entry, dtype, mb, *way)
        plans.append(Plan(f"{name} blocks={blocks} {known}".strip(), make))
    return plans


def make_align(entry: str, rows: list[int], most: int) -> Case:
    ids = route(random.Random(4), rows)
    table, slots = align(ids, len(rows), most)
    after = {"parameter": True, "after_dependency": True}

    def scalar(name: str, value: int) -> dict:
        return {"name": name, "kind": "scalar", "dtype": "i32", "value": value}

    arguments = [
        buffer("ids", "i32", len(ids), **after),
        scalar("n", len(ids)),
        scalar("E", len(rows)),
        scalar("most", most),
        buffer("segments", "i32", 4 * len(table), "write", **after),
        buffer("slots", "i32", len(ids), "write", **after),
    ]
    record = make_record(entry, arguments, [1], 1024, dependent_launch=True)
    expected = {"segments": ints(flat(table)), "slots": ints(slots)}
    return Case(
        entry, record, {"ids": ints(ids)}, expected, "", constants={"c_cost": ints(flat(COSTS))}
    )


def align_k(entry: str, dtype: str, values: list[int]) -> list[Plan]:
    return [
        Plan("align_k of 90", functools.partial(make_align, entry, [7, 0, 66, 17], 64)),
        Plan("align_k of 2100", functools.partial(make_align, entry, [700, 0, 1100, 299, 1], 128)),
    ]


def make_sum(entry: str, dtype: str) -> Case:
    rng = random.Random(5)
    tokens, top, width = 3, 3, 1032
    y = integers(rng, tokens * top, width, 60)
    share = [2.0 ** rng.randint(-3, 0) for _ in y]
    out = [
        [sum(share[t * top + j] * y[t * top + j][c] for j in range(top)) for c in range(width)]
        for t in range(tokens)
    ]
    after = {"parameter": True, "after_dependency": True}
    arguments = [
        buffer("y", dtype, len(y) * width, **after),
        buffer("share", "f32", len(share), **after),
        buffer("out", dtype, tokens * width, "write", **after),
        {"name": "H", "kind": "scalar", "dtype": "i32", "value": width},
        {"name": "k", "kind": "scalar", "dtype": "i32", "value": top},
    ]
    record = make_record(entry, arguments, [2, tokens], 128, dependent_launch=True)
    inputs = {"y": pack16(flat(y), dtype), "share": struct.pack(f"<{len(share)}f", *share)}
    return Case(entry, record, inputs, {"out": pack16(flat(out), dtype)}, dtype)


def sum_k(entry: str, dtype: str, values: list[int]) -> list[Plan]:
    return [Plan(f"sum_k {dtype}", functools.partial(make_sum, entry, dtype))]
