#!/usr/bin/env python3
"""Times products of mixtures of experts on this machine's GPU, with cold weights.

    python3 moe_time.py [--kernels DIR] [--gemm NAME ...] [--tokens 1,16,64,256]

The routing is uniform, another one for each launch of a graph, and weights are random.
With --kernels they come from the moe-kernels of a bundle, otherwise they are compiled.
Prints a table: the rows of segments that wna16.moe.segment_rows proposes and those beside
them, against the time in which every byte can be read once.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
import wna16
from benchmark.method import Method, copies_of
from benchmark.moe_points import GEMMS, TOKENS, MoeGemm, rows_tried
from benchmark.timing import Replayed, interleave
from wna16 import emit, moe

ROUTINGS = 8
DTYPES = {"f16": torch.float16, "bf16": torch.bfloat16}


class Weights:
    """Copies of stacks with random codes and scales."""

    def __init__(self, gemm: MoeGemm, dtype: str) -> None:
        p = gemm.problem(8, dtype)
        words = p.experts * p.k * p.n * p.bits // 32
        self.copies = []
        for _ in range(copies_of(4 * words) if 4 * words < 300 << 20 else 1):
            w = torch.empty((p.experts, words // p.experts), dtype=torch.int32, device="cuda")
            w.random_(-(2**31), 2**31 - 1)
            s = torch.rand((p.experts, p.groups, p.n), device="cuda") * 0.02 + 0.005
            self.copies.append((w, s.to(DTYPES[dtype])))


def routings(gemm: MoeGemm, tokens: int) -> list[np.ndarray]:
    rng = np.random.default_rng(tokens)
    return [
        np.argsort(rng.random((tokens, gemm.experts)), axis=1)[:, : gemm.top_k].astype(np.int32)
        for _ in range(ROUTINGS)
    ]


def graph_of(kernel: wna16.MoeKernel, weights: Weights, ids: list[np.ndarray]) -> Replayed:
    """Launches that go round over copies and routings."""
    p, tokens = kernel.problem, ids[0].shape[0]
    rows = tokens if p.x_rows == "token" else tokens * p.top_k
    x = torch.randn((rows, p.k), device="cuda").to(DTYPES[p.dtype])
    out = torch.full((tokens * p.top_k, p.n), float("nan"), dtype=x.dtype, device="cuda")
    tables = []
    for each in ids:
        made = moe.route(each, experts=p.experts, segment_rows=p.segment_rows)
        tables.append([torch.from_numpy(table).cuda() for table in made])

    def launch(i: int) -> torch.Tensor:
        w, s = weights.copies[i % len(weights.copies)]
        return kernel(x, w, s, *tables[i % ROUTINGS], out=out)

    kernel.prepare(tokens * p.top_k)
    launch(0)
    if not torch.isfinite(out).all():
        raise SystemExit(f"{emit.kernel_name(p, p.max_m)}: rows were not written")
    return Replayed(launch, ROUTINGS * len(weights.copies))


def main() -> None:
    parser = argparse.ArgumentParser(description="Times products of mixtures of experts.")
    parser.add_argument("--kernels", type=Path, help="folder of a bundle: moe-kernels")
    parser.add_argument("--gemm", nargs="+", choices=[g.name for g in GEMMS])
    parser.add_argument("--tokens", default=",".join(map(str, TOKENS)))
    parser.add_argument("--dtype", default="bf16", choices=list(DTYPES))
    options = parser.parse_args()
    print("| product | tokens | experts | floor us | segments | us | x floor | schedule |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for gemm in GEMMS:
        if options.gemm and gemm.name not in options.gemm:
            continue
        weights = Weights(gemm, options.dtype)
        for tokens in map(int, options.tokens.split(",")):
            row(gemm, tokens, weights, options)
        del weights
        torch.cuda.empty_cache()


def row(gemm: MoeGemm, tokens: int, weights: Weights, options: argparse.Namespace) -> None:
    ids = routings(gemm, tokens)
    busy = float(np.mean([np.unique(each).size for each in ids]))
    graphs, kernels = {}, {}
    for rows in rows_tried(gemm, tokens):
        p = gemm.problem(rows, options.dtype)
        name = emit.kernel_name(p, p.max_m)
        kernel = wna16.load(options.kernels / name) if options.kernels else wna16.compile(p)
        kernels[rows] = kernel
        graphs[str(rows)] = graph_of(kernel, weights, ids)
    method = Method(rounds=3, pause_ms=2.0, preheat_ms=1.0)
    floor = gemm.floor_us(tokens, busy)
    for rows, time in interleave(graphs, method).items():
        record = kernels[int(rows)].artifact.select(tokens * gemm.top_k)
        print(
            f"| {gemm.name} | {tokens} | {busy:.1f} | {floor:.1f} | {rows} | {time.us:.1f} "
            f"| {time.us / floor:.2f} | {record.schedule.removeprefix('#wna16.schedule')} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
