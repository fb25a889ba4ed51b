#!/usr/bin/env python3
"""Times products on this machine's CPU.

    cpu_time.py [--n 4096] [--k 4096] [--group 128] [--threads T] [M ...]

Prints one line per M: the shortest of many calls on the wall clock, and the processor
time that all threads spent on it, which other work on the machine does not change much.
"""

import argparse
import os
import time

import numpy as np

import wna16


def measure(call, seconds=2.0):
    """(wall, processor) seconds of the best of many calls."""
    call()
    best = (float("inf"), float("inf"))
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        wall, processor = time.perf_counter(), time.process_time()
        call()
        found = (time.perf_counter() - wall, time.process_time() - processor)
        best = tuple(map(min, best, found))
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("m", type=int, nargs="*", default=[1, 16, 128])
    parser.add_argument("--n", type=int, default=4096)
    parser.add_argument("--k", type=int, default=4096)
    parser.add_argument("--group", type=int, default=128)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--target", default="cpu")
    options = parser.parse_args()
    if options.threads:
        os.environ["WNA16_THREADS"] = str(options.threads)
    problem = wna16.Problem(n=options.n, k=options.k, group=options.group)
    kernel = wna16.compile(problem, options.target)
    rng = np.random.default_rng(0)
    words = problem.stored_k * problem.stored_n // 8
    w = rng.integers(-(2**31), 2**31, words, np.int64).astype(np.int32)
    s = rng.uniform(0.004, 0.012, problem.groups * problem.stored_n).astype(np.float16)
    print(f"{kernel.target}, {options.n} x {options.k}, groups of {options.group}")
    print("    M   wall ms   processor ms   GB/s of weights   GFLOP/s")
    for m in options.m:
        x = rng.standard_normal((m, options.k)).astype(np.float16)
        wall, processor = measure(lambda x=x: kernel(x, w, s))
        flops = 2 * m * options.n * options.k
        print(
            f"{m:5} {wall * 1e3:9.2f} {processor * 1e3:14.2f} "
            f"{w.nbytes / wall / 1e9:17.2f} {flops / wall / 1e9:9.1f}"
        )


if __name__ == "__main__":
    main()
