#!/usr/bin/env python3
"""Runs the GPU tests and benchmarks of a bundle on this machine.

    python3 run_gpu.py [--no-tests] [--no-bench] [-k NAMES] [--verified FILE] [options of bench.py]

Lies at the top of a folder made by `make gpu-bundle`. Needs a CUDA driver, Python
3.11 or newer, PyTorch, NumPy, safetensors and pytest; the read limit and prototypes
need nvcc too. tools/bench/bench.py --help lists the benchmark's options; kernels and
variants, prototypes and wheels of this bundle are given to it. --verified writes which
cells of docs/support.md were right; tools/dev/support_table.py --verified reads it. The
last line is "N passed, N failed".
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

BUNDLE = Path(__file__).resolve().parent
#: What a bundle may hold for the benchmark, by the option that takes it.
CONTENT = {
    "--kernels": "bench-kernels",
    "--variants": "variants",
    "--prototypes": "prototypes",
    "--wheels": "wheels",
}


def run_tests(environment: dict[str, str], filters: list[str]) -> tuple[int, int]:
    """Runs pytest; (passed, failed). A run without a report is one failure."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider"]
        command += ["--durations=8", f"--junitxml={report}", *filters]
        status = subprocess.run(
            [*command, str(BUNDLE / "test" / "GPU")], env=environment, cwd=BUNDLE
        ).returncode
        try:
            cases = list(ElementTree.parse(report).getroot().iter("testcase"))
        except (OSError, ElementTree.ParseError):
            return 0, 1
    bad = [c for c in cases if c.find("failure") is not None or c.find("error") is not None]
    skipped = [c for c in cases if c.find("skipped") is not None]
    failed = len(bad) or (1 if status not in (0, 5) else 0)
    return len(cases) - len(bad) - len(skipped), failed


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs a bundle's GPU tests and benchmarks.")
    parser.add_argument("--no-tests", action="store_true")
    parser.add_argument("--no-bench", action="store_true")
    parser.add_argument("-k", help="pytest's filter of test names")
    parser.add_argument("--verified", type=Path, help="file for the cells that were right")
    options, bench_options = parser.parse_known_args()

    environment = {
        **os.environ,
        "PYTHONPATH": str(BUNDLE / "python"),
        "WNA16_RUNTIME": str(BUNDLE / "lib" / "libwna16rt.so"),
        "WNA16_BUNDLE": str(BUNDLE),
    }
    if options.verified:
        environment["WNA16_VERIFIED"] = str(options.verified.resolve())
    passed = failed = 0
    subprocess.run([sys.executable, "-m", "wna16", "info"], env=environment)
    if not options.no_tests:
        passed, failed = run_tests(environment, ["-k", options.k] if options.k else [])
    if not options.no_bench:
        command = [sys.executable, str(BUNDLE / "tools" / "bench" / "bench.py")]
        for option, folder in CONTENT.items():
            if (BUNDLE / folder).exists():
                command += [option, str(BUNDLE / folder)]
        command += bench_options
        if subprocess.run(command, env=environment).returncode != 0:
            print("run_gpu: the benchmark failed")
            failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
