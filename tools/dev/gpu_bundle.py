#!/usr/bin/env python3
"""Makes build/gpu-bundle and build/gpu-bundle.tar.gz: compiled here, run there.

The bundle has everything that the GPU tests and benchmarks need on a machine with a
CUDA driver, Python, PyTorch and NumPy, but without MLIR, this source tree or a
network: kernels (cubin, PTX, launch record), the runtime library, the Python package,
tests and benchmarks. There, run

    python3 run_gpu.py [--prototype FILE.cu] [--out DIR]
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tarfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tools" / "bench")]

import wna16  # noqa: E402
from shapes import BENCHMARK, CORRECTNESS  # noqa: E402
from wna16.runtime import library_path  # noqa: E402

MAX_BYTES = 60 << 20
#: Files of the source tree that go along, at the same places.
COPIED = ["python/wna16", "test/GPU", "tools/bench"]


def main() -> int:
    parser = argparse.ArgumentParser(description="Packs what a GPU machine needs.")
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--target", default=wna16.targets.DEFAULT_TARGET)
    options = parser.parse_args()
    bundle = options.build.resolve() / "gpu-bundle"
    try:
        make(bundle, options.target)
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


def make(bundle: Path, target: str) -> None:
    shutil.rmtree(bundle, ignore_errors=True)
    ignore = shutil.ignore_patterns("__pycache__", "*.pyc")
    for folder in COPIED:
        shutil.copytree(ROOT / folder, bundle / folder, ignore=ignore)
    (bundle / "lib").mkdir()
    shutil.copy(library_path(), bundle / "lib")
    shutil.copy(ROOT / "tools" / "dev" / "run_gpu.py", bundle / "run_gpu.py")
    for name, n, k in CORRECTNESS + BENCHMARK:
        start = time.perf_counter()
        kernel = wna16.compile(wna16.Problem(n=n, k=k), target)
        kernel.save(bundle / "kernels" / f"n{n}_k{k}")
        seconds = time.perf_counter() - start
        registers = [r.resources.registers if r.resources else "?" for r in kernel.records]
        cubins = "" if kernel.records[0].cubin else ", PTX only (no ptxas here)"
        print(f"{name:14s} N {n:6d} K {k:6d} {seconds:5.2f} s, registers {registers}{cubins}")


if __name__ == "__main__":
    sys.exit(main())
