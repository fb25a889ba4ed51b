#!/usr/bin/env python3
"""Makes build/gpu-bundle and build/gpu-bundle.tar.gz: compiled here, run there.

The bundle has everything that the GPU tests and benchmarks need on a machine with a
CUDA driver, Python, PyTorch and NumPy, but without MLIR, this source tree or a
network: kernels (cubin, PTX, launch record), the runtime library, the Python package,
tests and benchmarks. There, run

    python3 run_gpu.py [--no-tests] [--no-bench] [options of bench.py]

With --schedules FILE (see tools/bench/benchmark/variants.py) the kernels that it
describes are compiled too, and timed there beside ours; --only-schedules leaves all
other kernels out, which makes tuning quick.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tarfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / f) for f in ("python", "tools/bench", "test/GPU")]

import cells  # noqa: E402
import formats  # noqa: E402
import moe_layers  # noqa: E402
import moe_tables  # noqa: E402
import repackings  # noqa: E402
import scheduled  # noqa: E402
import wna16  # noqa: E402
from benchmark import build, moe_points, points, prototypes, variants  # noqa: E402
from shapes import ANY_M, BENCHMARK, CORRECTNESS, folder_name  # noqa: E402
from wna16.runtime import library_path  # noqa: E402

MAX_BYTES = 60 << 20
#: Files of the source tree that go along, at the same places.
COPIED = ["python/wna16", "test/GPU", "tools/bench"]


def main() -> int:
    parser = argparse.ArgumentParser(description="Packs what a GPU machine needs.")
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--target", default=wna16.targets.DEFAULT_TARGET)
    parser.add_argument("--schedules", type=Path, help="variants to compile and time")
    parser.add_argument("--only-schedules", action="store_true", help="no other kernels")
    parser.add_argument("--prototypes", type=Path, help="folder of NAME.cu to compile here")
    parser.add_argument("--wheels", type=Path, help="folder of wheels to take along")
    parser.add_argument("--shape", action="append", help="of the benchmark; all if left out")
    parser.add_argument("--dtype", action="append", choices=points.DTYPES)
    options = parser.parse_args()
    bundle = options.build.resolve() / "gpu-bundle"
    try:
        make(bundle)
        if not options.only_schedules:
            test_kernels(bundle, options.target)
            support_kernels(bundle / "support-kernels", options.target)
            repack_kernels(bundle / "repackings", options.target)
            moe_kernels(bundle / "moe-kernels", options.target)
            moe_table_kernels(bundle / "moe-tables", options.target)
            bench_kernels(bundle, options)
        if options.schedules:
            compile_variants(bundle, options)
        if options.prototypes:
            compile_prototypes(bundle / "prototypes", options.prototypes)
        if options.wheels:
            shutil.copytree(options.wheels, bundle / "wheels")
    except wna16.Wna16Error as error:
        print(f"gpu-bundle: error: {error}", file=sys.stderr)
        return 1
    archive = bundle.with_suffix(".tar.gz")
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(bundle, bundle.name)
    size = archive.stat().st_size
    unpacked = sum(f.stat().st_size for f in bundle.rglob("*") if f.is_file())
    print(f"{archive}: {size / 1e6:.1f} MB, {unpacked / 1e6:.1f} MB unpacked")
    if unpacked > MAX_BYTES:
        print(f"gpu-bundle: error: more than {MAX_BYTES >> 20} MiB", file=sys.stderr)
        return 1
    return 0


def make(bundle: Path) -> None:
    """Everything but kernels."""
    shutil.rmtree(bundle, ignore_errors=True)
    ignore = shutil.ignore_patterns("__pycache__", "*.pyc")
    for folder in COPIED:
        shutil.copytree(ROOT / folder, bundle / folder, ignore=ignore)
    (bundle / "lib").mkdir()
    shutil.copy(library_path(), bundle / "lib")
    shutil.copy(ROOT / "tools" / "dev" / "run_gpu.py", bundle / "run_gpu.py")


def _report(name: str, n: int, k: int, kernel: wna16.Kernel, start: float) -> None:
    seconds = time.perf_counter() - start
    registers = [r.resources.registers if r.resources else "?" for r in kernel.records]
    cubins = "" if kernel.records[0].cubin else ", PTX only (no ptxas here)"
    print(f"{name:14s} N {n:6d} K {k:6d} {seconds:5.2f} s, registers {registers}{cubins}")


def test_kernels(bundle: Path, target: str) -> None:
    """What test/GPU asks for."""
    wanted = [(name, wna16.Problem(n=n, k=k)) for name, n, k in CORRECTNESS + BENCHMARK]
    for dtype in points.DTYPES:
        wanted += [
            (name, wna16.Problem(n=n, k=k, dtype=dtype, max_m=ANY_M[-1]))
            for name, n, k in CORRECTNESS
        ]
    for name, problem in wanted:
        start = time.perf_counter()
        kernel = wna16.compile(problem, target)
        kernel.save(bundle / "kernels" / folder_name(problem))
        _report(f"{name} {problem.dtype}", problem.n, problem.k, kernel, start)
    for problem in formats.PROBLEMS:
        start = time.perf_counter()
        kernel = wna16.compile(problem, target)
        kernel.save(bundle / "kernels" / formats.name_of(problem))
        name = f"{problem.bits} bits {problem.dtype}"
        _report(name, problem.n, problem.k, kernel, start)
    scheduled.build("large", target, bundle / "kernels" / "large")
    if int(target[3:].rstrip("a")) >= 90:  # below, there are no bulk copies
        for name in (*scheduled.SCHEDULES, *scheduled.TICKETS):
            scheduled.build(name, target, bundle / "kernels" / name)


def support_kernels(folder: Path, target: str) -> None:
    """One of every cell of docs/support.md."""
    start = time.perf_counter()

    def build(cell: cells.Cell) -> None:
        cells.build(cell, target, folder / cells.name_of(cell))

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(build, cells.CELLS))
    seconds = time.perf_counter() - start
    print(f"{len(cells.CELLS)} cells of the support table, {seconds:.0f} s")


def repack_kernels(folder: Path, target: str) -> None:
    """The kernels of test/GPU/test_repack.py, a folder each."""
    start = time.perf_counter()
    cases = {case.name: case for case in (*repackings.ALL, repackings.HUGE, repackings.LARGE)}
    for name, case in cases.items():
        record = wna16.build.compiled(case.text, name, target)
        shutil.copytree(record.path.parent, folder / name)
    print(f"{len(cases)} repackings, {time.perf_counter() - start:.1f} s")


def moe_kernels(folder: Path, target: str) -> None:
    """Those of test/GPU/test_moe.py and tools/bench/moe_time.py."""
    start = time.perf_counter()
    timed = [g.problem(r) for g in moe_points.GEMMS for r in moe_points.SEGMENT_ROWS]
    for problem in (*moe_layers.PROBLEMS, *timed):
        wna16.compile(problem, target).save(folder / moe_layers.name_of(problem))
    seconds = time.perf_counter() - start
    print(f"{len(timed)} mixtures of experts to time and more to test, {seconds:.0f} s")


def moe_table_kernels(folder: Path, target: str) -> None:
    """The kernels of test/GPU/test_moe_tables.py, a folder each."""
    start = time.perf_counter()
    for case in moe_tables.ALL:
        record = wna16.build.compiled(case.text, case.name, target)
        shutil.copytree(record.path.parent, folder / case.name)
    seconds = time.perf_counter() - start
    print(f"{len(moe_tables.ALL)} kernels around products of experts, {seconds:.1f} s")


def bench_kernels(bundle: Path, options: argparse.Namespace) -> None:
    """What the benchmark asks for: every supported M, per element type."""
    for shape in options.shape or [s[0] for s in BENCHMARK]:
        name, n, k = points.shape_named(shape)
        for dtype in options.dtype or points.DTYPES:
            start = time.perf_counter()
            built = build.compile_widest(n, k, dtype, options.target)
            build.save(built, bundle / "bench-kernels", n, k, dtype)
            if built.kernel is not None:
                _report(f"{name} {dtype}", n, k, built.kernel, start)
            if built.refusal:
                print(f"{name:14s} N {n:6d} K {k:6d} {dtype}: refused: {built.refusal}")


def compile_variants(bundle: Path, options: argparse.Namespace) -> None:
    start = time.perf_counter()
    listed = variants.read_file(options.schedules)
    done = variants.compile_all(listed, bundle / "variants", options.target)
    for variant in done:
        if variant.error:
            print(f"{variant.name} ({variant.shape}): refused: {variant.error}")
    good = sum(not v.error for v in done)
    print(f"{good} of {len(done)} variants, {time.perf_counter() - start:.1f} s")


def compile_prototypes(folder: Path, sources: Path) -> None:
    """Programs beside their sources: the GPU machine need not spend time on them."""
    folder.mkdir()
    programs = [source.with_suffix("") for source in sources.glob("*.cu")]
    ready = [program for program in programs if program.is_file()]
    for file in [*sources.glob("*.cu"), *sources.glob("prototypes.json"), *ready]:
        shutil.copy2(file, folder)  # with its time: which is newer counts
    start = time.perf_counter()
    built = prototypes.Prototypes(folder).build(folder, jobs=2)
    print(f"prototypes {', '.join(built)}: {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    sys.exit(main())
