#!/usr/bin/env python3
"""Times the kernels on this machine's GPU, cold, beside the read limit.

    bench.py [--kernels DIR] [--prototype FILE.cu] [--out DIR] [--shape NAME ...]

A time is the median over replays of a CUDA graph, divided by its launches. Every
launch takes another copy of the weights, of which there are enough (300 MB and more)
that none is in the L2 cache; activations are hot. Before it is timed, every kernel is
checked against an fp64 product. The limit is a kernel that only reads as many bytes,
timed in the same way.

--kernels    folder of saved kernels (see wna16.load); without it they are compiled
--prototype  CUDA source of a hand-written kernel that prints its own table; it is
             compiled with nvcc and run in the same call, and set beside ours
--out        folder for bench.json and bench.md
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "test" / "GPU"), str(HERE.parents[1] / "python")]

import torch  # noqa: E402
from layers import GROUP, Layer, activations, poisoned, relative_error  # noqa: E402
from shapes import BENCHMARK, BENCHMARK_M  # noqa: E402

import wna16  # noqa: E402
from wna16.runtime import LaunchConfig, runtime  # noqa: E402

COLD_BYTES = 300 << 20
MAX_COPIES = 40
GRAPH_MICROSECONDS = 300
REPLAYS = 15
TOLERANCE = 5e-4


def time_graph(launch: Callable[[int], None], launches: int) -> float:
    """Microseconds per launch: median over replays of one graph of `launches`."""
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(launches):
            launch(i)
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    graph.replay()
    graph.replay()
    times = []
    for _ in range(REPLAYS):
        start.record()
        graph.replay()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) * 1e3 / launches)
    return statistics.median(times)


class ReadLimit:
    """The kernel of stream_read.cu, compiled on this machine."""

    def __init__(self) -> None:
        major, minor = torch.cuda.get_device_capability()
        with tempfile.TemporaryDirectory() as folder:
            cubin = Path(folder) / "stream_read.cubin"
            command = ["nvcc", "-O3", "-cubin", f"-arch=sm_{major}{minor}"]
            command += [str(HERE / "stream_read.cu"), "-o", str(cubin)]
            subprocess.run(command, check=True)
            module = runtime().load_module(torch.cuda.current_device(), cubin.read_bytes())
        self._functions = [
            runtime().module_function(module, f"stream_read_{u}", 0) for u in (4, 8)
        ]
        self._sink = torch.zeros(1, dtype=torch.int32, device="cuda")
        self._sms = torch.cuda.get_device_properties(0).multi_processor_count

    def microseconds(self, memory: torch.Tensor, step: int, count: int, copies: int) -> float:
        """Best over grids and unrolls of reading `count` bytes, `step` bytes apart."""
        best = float("inf")
        for function in self._functions:
            for per_sm in (1, 2, 4):

                def launch(i: int) -> None:
                    address = memory.data_ptr() + (i % copies) * step
                    config = LaunchConfig(
                        grid=(self._sms * per_sm, 1, 1),
                        block=(512, 1, 1),
                        cluster=(1, 1, 1),
                        shared_bytes=0,
                        stream=torch.cuda.current_stream().cuda_stream,
                    )
                    arguments = struct.pack("=3Q", address, count // 16, self._sink.data_ptr())
                    runtime().launch(function, config, arguments)

                best = min(best, time_graph(launch, _launches(copies, count)))
        return best


def _launches(copies: int, count: int) -> int:
    """Launches per graph: whole rounds over the copies, GRAPH_MICROSECONDS or more."""
    estimate = count / 4e6 + 3
    return copies * max(1, int(GRAPH_MICROSECONDS / (copies * estimate)))


def measure_shape(name: str, n: int, k: int, kernel, limit: ReadLimit | None) -> list[dict]:
    """Times of one shape for every M, after a check of the numbers."""
    layer = Layer(n, k)
    weight_bytes = n * k // 2
    count = weight_bytes + n * (k // GROUP) * 2
    copies = max(3, min(MAX_COPIES, -(-COLD_BYTES // weight_bytes)))
    memory = layer.w.reshape(1, -1).repeat(copies, 1)
    scales = layer.s.reshape(1, -1).repeat(copies, 1)
    kernel.prepare(torch.cuda.current_device())
    floor = None
    if limit is not None:
        flat = torch.empty(copies * count, dtype=torch.uint8, device="cuda")
        flat.random_(0, 256)
        floor = limit.microseconds(flat, count, count, copies)
        del flat
    rows = []
    for m in BENCHMARK_M:
        x = activations(m, k)
        out = poisoned(m, n)
        kernel(x, layer.w, layer.s, out=out)
        error = relative_error(out, layer.exact(x))
        if not error < TOLERANCE:
            raise SystemExit(f"bench: error: {name}, M = {m}: relative error {error}")
        us = time_graph(
            lambda i: kernel(x, memory[i % copies], scales[i % copies], out=out),
            _launches(copies, count),
        )
        record = kernel.artifact.select(m)
        rows.append(
            {
                "shape": name,
                "n": n,
                "k": k,
                "m": m,
                "us": us,
                "gb_per_s": count / us / 1e3,
                "read_limit_us": floor,
                "error": error,
                "copies": copies,
                "kernel": record.kernel,
                "schedule": record.schedule,
                "registers": record.resources.registers if record.resources else None,
            }
        )
        print(_row_text(rows[-1]), flush=True)
    return rows


def run_prototype(source: Path) -> tuple[dict, str]:
    """Compiles and runs the prototype: {(n, k, m): {us, config}} and its whole output."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "prototype"
        command = ["nvcc", "-O3", "-std=c++17", "-split-compile=0"]
        command += ["-gencode=arch=compute_90a,code=sm_90a", "-cudart", "static"]
        command += ["-o", str(program), str(source)]
        subprocess.run(command, check=True)
        done = subprocess.run([str(program)], capture_output=True, text=True)
    times, shape = {}, None
    for line in done.stdout.splitlines():
        if match := re.match(r"N (\d+) K (\d+):", line):
            shape = int(match[1]), int(match[2])
        elif (match := re.match(r"  M (\d+)\s+(.*?)\s+(C\d).*?([\d.]+) us", line)) and shape:
            config = f"{match[2]} {match[3]}"
            times[*shape, int(match[1])] = {"us": float(match[4]), "config": config}
    if done.returncode != 0 or not times:
        raise SystemExit(f"bench: error: the prototype failed:\n{done.stdout}{done.stderr}")
    return times, done.stdout


def _row_text(row: dict) -> str:
    limit = f"read limit {row['read_limit_us']:6.2f} us" if row["read_limit_us"] else ""
    return (
        f"{row['shape']:12s} N {row['n']:6d} K {row['k']:6d} M {row['m']:3d} "
        f"{row['us']:7.2f} us {row['gb_per_s']:6.0f} GB/s  {limit}  error {row['error']:.2e}"
    )


def markdown(rows: list[dict], device: str) -> str:
    """The table of docs/performance.md."""
    lines = [
        f"{device}, driver {runtime().driver_version()}, torch {torch.__version__}; "
        "microseconds, median of graph replays, cold weights.",
        "",
        "| shape | N x K | M | us | GB/s | read limit us | limit / us | prototype us | "
        "us / prototype | prototype's kernel | error |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for r in rows:
        limit, prototype = r["read_limit_us"], r.get("prototype_us")
        cells = [
            r["shape"],
            f"{r['n']} x {r['k']}",
            str(r["m"]),
            f"{r['us']:.2f}",
            f"{r['gb_per_s']:.0f}",
            f"{limit:.2f}" if limit else "-",
            f"{limit / r['us']:.2f}" if limit else "-",
            f"{prototype:.2f}" if prototype else "-",
            f"{r['us'] / prototype:.2f}" if prototype else "-",
            r.get("prototype_config", "-"),
            f"{r['error']:.1e}",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description="Times the kernels on this GPU.")
    parser.add_argument("--kernels", type=Path)
    parser.add_argument("--prototype", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--shape", action="append", choices=[s[0] for s in BENCHMARK])
    parser.add_argument("--no-limit", action="store_true", help="skip the read limit (nvcc)")
    options = parser.parse_args()
    if not torch.cuda.is_available():
        print("bench: no CUDA device on this machine: nothing to measure")
        return 0

    limit = None if options.no_limit else ReadLimit()
    rows = []
    for name, n, k in BENCHMARK:
        if options.shape and name not in options.shape:
            continue
        if options.kernels:
            kernel = wna16.load(options.kernels / f"n{n}_k{k}")
        else:
            kernel = wna16.compile(wna16.Problem(n=n, k=k))
        rows += measure_shape(name, n, k, kernel, limit)
        torch.cuda.empty_cache()

    output = ""
    if options.prototype:
        torch.cuda.empty_cache()
        times, output = run_prototype(options.prototype)
        for row in rows:
            if found := times.get((row["n"], row["k"], row["m"])):
                row["prototype_us"], row["prototype_config"] = found["us"], found["config"]
    table = markdown(rows, torch.cuda.get_device_name())
    print(table)
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / "bench.json").write_text(json.dumps(rows, indent=1) + "\n")
        (options.out / "bench.md").write_text(table)
        if output:
            (options.out / "prototype.txt").write_text(output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
