"""Cases of the Hopper prototypes: what each kernel variant is passed, and what must
come out. The prototypes are CUDA files outside of this repository; a case is made
from the template arguments in the mangled name of an entry.
"""

import dataclasses
import functools
import random
import re
from typing import Callable

import gemm_data
from gemm_data import Weights, flat, integers, pack16
from prototype_launch import Case, Plan, buffer, make_record, numbers, pointer
from prototype_launch import struct_argument, tensor_map
from prototype_moe import align_k, moe_gemm, sum_k


def template(entry: str) -> tuple[str, str, list[int]]:
    """Name, dtype and numbers of a mangled entry."""
    found = re.match(r"_Z(\d+)", entry)
    start = found.end()
    name = entry[start : start + int(found[1])]
    dtype = "bf16" if "__nv_bfloat16" in entry else "f16"
    return name, dtype, [int(value) for value in re.findall(r"L[ib](\d+)E", entry)]


# ----------------------------------------------------------------------
# Decode
# ----------------------------------------------------------------------


def decode(label: str, **launch) -> Plan:
    name = (
        f"{label} M={launch['m']} N={launch['n']} groups={launch['groups']} C={launch['cluster']}"
    )
    return Plan(name, functools.partial(make_decode, **launch))


def make_decode(*, entry, dtype, m, n, groups, zero_points, grid, block, cluster, shared) -> Case:
    rng = random.Random(1)
    k = groups * gemm_data.GROUP
    weights = Weights.make(rng, n, k, zero_points)
    x = integers(rng, m, k)
    arguments = [
        struct_argument(
            56,
            [pointer(name, 8 * i) for i, name in enumerate(("w", "s", "z", "x", "y"))]
            + numbers(40, M=m, N=n, K=k),
        ),
        buffer("w", "i32", n * k // 8),
        buffer("s", dtype, n * groups),
        buffer("z", "i32", n * groups // 8),
        buffer("x", dtype, m * k, after_dependency=True),
        buffer("y", dtype, m * n, "write", after_dependency=True),
    ]
    record = make_record(
        entry,
        arguments,
        grid,
        block,
        cluster=[1, cluster, 1],
        shared_bytes=shared,
        dependent_launch=True,
    )
    inputs = {
        "w": weights.packed(),
        "s": pack16(weights.permuted_scales(64), dtype),
        "z": weights.packed_zeros(),
        "x": pack16(flat(x), dtype),
    }
    expected = {"y": pack16(flat(weights.product(x)), dtype)}
    return Case(entry, record, inputs, expected, dtype)


def k_warp(entry: str, dtype: str, numbers: list[int]) -> list[Plan]:
    zp, _, nb, wk, stages, _ = numbers
    plans = []
    for cluster, m in ((1, 8 * nb - 3), (2, 8 * nb)):
        shared = max(wk * stages * (4096 + nb * 2176), wk * nb * 8 * 68 * 4) + nb * 2048
        groups = cluster * (wk * stages + wk + 1)
        plans.append(
            decode(
                f"k_warp {dtype} zp{zp} nb{nb} wk{wk} d{stages}",
                entry=entry,
                dtype=dtype,
                m=m,
                n=128,
                groups=groups,
                zero_points=bool(zp),
                grid=[2, cluster],
                block=32 * wk,
                cluster=cluster,
                shared=shared,
            )
        )
    return plans


def k_ring(entry: str, dtype: str, numbers: list[int]) -> list[Plan]:
    zp, _, nb, wn, wk, stages, bulk_x, _ = numbers
    plans = []
    for cluster, m in ((1, 8 * nb - 5), (2, 8 * nb)):
        if wn & (wn - 1) and cluster > 1:
            continue
        shared = nb * wn * 2048 + max(
            stages * (nb * 2176 + wn * 4224), wk * nb * 8 * (64 * wn + 4) * 4
        )
        plans.append(
            decode(
                f"k_ring {dtype} zp{zp} nb{nb} wn{wn} wk{wk} ns{stages} xb{bulk_x}",
                entry=entry,
                dtype=dtype,
                m=m,
                n=64 * wn,
                groups=cluster * (2 * stages + 1),
                zero_points=bool(zp),
                grid=[1, cluster],
                block=wn * wk * 32 + (32 if bulk_x else 64),
                cluster=cluster,
                shared=shared,
            )
        )
    return plans


def k_wgmma(entry: str, dtype: str, numbers: list[int]) -> list[Plan]:
    zp, mm, wc, wgn, g, stages, _ = numbers
    w = wgn * wc
    full = g * mm * (64 * w + 4) * 4 + mm * 64 * w * 4
    reduce = full - mm * 64 * w * 4 if full > 231424 else full
    stage = (g * (mm * 256 + w * 4224) + 1023) // 1024 * 1024
    plans = []
    for cluster, m in ((1, mm - 5), (2, mm)):
        if cluster > 1 and full > 231424:
            continue
        plans.append(
            decode(
                f"k_wgmma {dtype} zp{zp} m{mm} wc{wc} wgn{wgn} g{g} d{stages}",
                entry=entry,
                dtype=dtype,
                m=m,
                n=64 * w,
                groups=cluster * (g * stages + 1),
                zero_points=bool(zp),
                grid=[1, cluster],
                block=wgn * g * 128 + 64,
                cluster=cluster,
                shared=max(stages * stage, reduce),
            )
        )
    return plans


# ----------------------------------------------------------------------
# Tensor maps, wgmma, sums across clusters: midm and prefill
# ----------------------------------------------------------------------


def tensor_gemm(
    entry: str, dtype: str, *, m, n, k, scales, maps, scalars, ws, flags, dependent, **launch
):
    """Kernels of three maps (x, w, y) and a struct {scales, workspace, flags, numbers}."""
    rng = random.Random(2)
    weights = Weights.make(rng, n, k, False)
    x = integers(rng, m, k, 1)
    after = {"after_dependency": True} if dependent else {}
    (x_box, x_rows), (w_box, w_rows), (y_box, y_rows) = maps
    arguments = [
        tensor_map("x", dtype, [k, m], [x_box, x_rows], 128),
        tensor_map("w", "u64", [n, k // 16], [w_box, w_rows], 0),
        tensor_map("y", dtype, [n, m], [y_box, y_rows], 128),
        struct_argument(
            (24 + 4 * len(scalars) + 7) // 8 * 8,
            [pointer("s", 0), pointer("ws", 8), pointer("flags", 16)] + numbers(24, **scalars),
        ),
        buffer("x", dtype, m * k, **after),
        buffer("w", "i32", n * k // 8),
        buffer("s", dtype, n * k // 128),
        buffer("ws", "f32", ws, "read_write", initial="undefined", **after),
        buffer("flags", "i32", flags, "read_write", **after),
        buffer("y", dtype, m * n, "write", **after),
    ]
    record = make_record(entry, arguments, cooperative=True, dependent_launch=dependent, **launch)
    inputs = {
        "x": pack16(flat(x), dtype),
        "w": weights.packed(),
        "s": pack16(weights.permuted_scales(scales), dtype),
        "flags": bytes(4 * flags),
    }
    expected = {"y": pack16(flat(weights.product(x)), dtype), "flags": bytes(4 * flags)}
    return Case(entry, record, inputs, expected, dtype)


def midm(entry: str, dtype: str, values: list[int]) -> list[Plan]:
    wg, mb, bm, stages, cn, acc, kb, double, order = values
    columns, steps = 64 * mb * wg, 2 if double else 1
    stage = (bm * 256 + columns * 66 + 16 + 1023) // 1024 * 1024
    shared = stages * stage + columns * bm * 2 + 1024
    name = (
        f"midm {dtype} wg{wg} mb{mb} bm{bm} st{stages} cn{cn} acc{acc} kb{kb} db{double} ord{order}"
    )
    # Whole tiles, one after the other; one tile in parts; stream-K over three.
    ways = [
        ("whole", dict(m=bm - 3, tiles=2, clusters=1, groups=stages + 1, mode=0, hold=3)),
        ("split", dict(m=bm, tiles=1, clusters=2, groups=6, mode=0, hold=0)),
        ("stream-K", dict(m=bm - 9, tiles=2, clusters=3, groups=6, mode=1, hold=0)),
    ]
    plans = []
    for label, way in ways:
        m, tiles, clusters, mode = way["m"], way["tiles"], way["clusters"], way["mode"]
        groups = (way["groups"] + steps - 1) // steps * steps
        ns, parts, q, r = groups // steps, 1, 0, 0
        if mode == 0 and tiles % clusters:
            parts = max(1, min(clusters // (tiles % clusters), ns // 2))
            clusters = tiles * parts
        if mode == 1:
            q, r = divmod(tiles * ns, clusters)
        scalars = dict(
            M=m,
            N=tiles * columns * cn,
            K=128 * groups,
            NS=ns,
            ncl=clusters,
            ntile=tiles,
            mode=mode,
            S=parts,
            q=q,
            r=r,
            hold=way["hold"],
        )
        make = functools.partial(
            tensor_gemm,
            entry,
            dtype,
            m=m,
            n=scalars["N"],
            k=scalars["K"],
            scales=64,
            maps=((64, bm), (min(columns, 256), 8), (64, 8)),
            scalars=scalars,
            ws=(clusters + 1) * cn * wg * mb * (bm // 8) * 512,
            flags=clusters * cn * wg,
            dependent=True,
            grid=[clusters * cn],
            block=128 * wg + 128,
            cluster=[cn, 1, 1],
            shared_bytes=shared,
        )
        plans.append(Plan(f"{name} {label} M={m} N={scalars['N']} groups={groups}", make))
    return plans


def prefill(entry: str, dtype: str, values: list[int]) -> list[Plan]:
    mb, bm, stages, cn, xs, kt = values
    columns, box = 128 * mb, bm // xs
    x_bytes = bm * 128 * kt // 4
    out = (stages * (x_bytes + columns * 8 * kt) + 1023) // 1024 * 1024
    shared = out + columns * bm * 2 + stages * columns * 2 + stages * 16 + 1024
    name = f"prefill {dtype} mb{mb} bm{bm} st{stages} cn{cn} xs{xs} kt{kt}"
    plans = []
    for label, clusters, m, groups in (("whole", 1, bm + 5, 4), ("split", xs, bm - 3, 4 * xs)):
        n, k, raster = columns * cn, 128 * groups, 8
        row_blocks = (m + bm - 1) // bm
        parts = 1 if label == "whole" else xs
        last = row_blocks % raster or raster

        def inverse(x: int) -> int:
            return ((1 << 32) + x - 1) // x & 0xFFFFFFFF

        scalars = dict(
            M=m,
            N=n,
            K=k,
            gm=raster,
            lS=parts.bit_length() - 1,
            iper=inverse(raster),
            igm=inverse(raster),
            ilast=inverse(last),
        )
        make = functools.partial(
            tensor_gemm,
            entry,
            dtype,
            m=m,
            n=n,
            k=k,
            scales=16,
            maps=((64, box), (columns, kt), (64, box)),
            scalars=scalars,
            ws=parts * cn * 2 * mb * (bm // 8) * 512,
            flags=2 * cn * row_blocks,
            dependent=False,
            grid=[clusters * cn],
            block=384,
            cluster=[cn, 1, 1],
            shared_bytes=shared,
        )
        plans.append(Plan(f"{name} {label} M={m} N={n} groups={groups}", make))
    return plans


@dataclasses.dataclass
class Kernel:
    plans: Callable[[str, str, list[int]], list[Plan]]
    few: list[tuple[str, list[int]]]  # variants that stand for all others


KERNELS = {
    "k_warp": Kernel(k_warp, [("f16", [0, 1, 1, 8, 3, 2]), ("bf16", [1, 0, 2, 8, 2, 1])]),
    "k_ring": Kernel(
        k_ring, [("f16", [0, 1, 1, 4, 2, 8, 1, 1]), ("bf16", [1, 0, 2, 2, 4, 8, 0, 1])]
    ),
    "k_wgmma": Kernel(k_wgmma, [("f16", [0, 32, 2, 2, 2, 4, 1]), ("bf16", [1, 64, 1, 1, 4, 2, 1])]),
    "midm": Kernel(
        midm, [("f16", [4, 1, 32, 8, 2, 1, 8, 0, 0]), ("bf16", [2, 1, 64, 7, 1, 0, 8, 0, 0])]
    ),
    "wna16_prefill": Kernel(prefill, [("f16", [1, 64, 7, 2, 4, 8])]),
    "moe_gemm": Kernel(moe_gemm, [("f16", [1]), ("bf16", [2])]),
    "align_k": Kernel(align_k, [("f16", [])]),
    "sum_k": Kernel(sum_k, [("f16", []), ("bf16", [])]),
}


def plans_of(entry: str, all_variants: bool) -> list[Plan]:
    name, dtype, values = template(entry)
    kernel = KERNELS.get(name)
    if not kernel or not (all_variants or (dtype, values) in kernel.few):
        return []
    return kernel.plans(entry, dtype, values)
