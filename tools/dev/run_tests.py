#!/usr/bin/env python3
"""Runs all test suites and adds up their counts.

    run_tests.py [--build DIR] [--suite lit|unit|python|gpu ...] [-v]

Suites: lit (FileCheck tests under test/), unit (GoogleTest programs), python
(pytest, test/Python), gpu (pytest, test/GPU; skipped without a GPU). Each prints
its own summary; the last line is "N passed, N failed". A suite that cannot run
at all counts as one failure. The exit status is 0 if nothing failed.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parents[2]
LLVM_BIN = pathlib.Path("/usr/lib/llvm-22/bin")


@dataclass
class Result:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    notes: list[str] = field(default_factory=list)

    def add(self, other: "Result") -> None:
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.notes += other.notes


def broken(reason: str) -> Result:
    """A suite that did not get as far as reporting counts as one failure."""
    return Result(failed=1, notes=[reason])


def read_junit(path: pathlib.Path, status: int, suite: str) -> Result:
    """Counts of a JUnit report, as lit, GoogleTest and pytest write it."""
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError) as error:
        return broken(f"{suite} left no report (exit status {status}): {error}")
    result = Result()
    for case in root.iter("testcase"):
        name = f"{case.get('classname', '')}.{case.get('name', '')}".strip(".")
        if case.find("failure") is not None or case.find("error") is not None:
            result.failed += 1
            result.notes.append(f"failed: {name}")
        elif case.find("skipped") is not None or case.get("status") == "notrun":
            result.skipped += 1
        else:
            result.passed += 1
    if status != 0 and result.failed == 0:
        result.add(broken(f"{suite} ended with exit status {status}"))
    if status == 0 and result.passed + result.skipped == 0:
        result.add(broken(f"{suite} found no tests"))
    return result


def run(command: list[str | pathlib.Path], environment: dict[str, str]) -> int:
    sys.stdout.flush()
    return subprocess.run([str(c) for c in command], env=environment, cwd=ROOT).returncode


class Suites:
    def __init__(self, build: pathlib.Path, verbose: bool, reports: pathlib.Path):
        self.build, self.verbose, self.reports = build, verbose, reports
        self.environment = dict(os.environ)
        self.environment["WNA16_BIN"] = str(build / "bin")
        self.environment["PYTHONPATH"] = os.pathsep.join(
            p for p in (str(ROOT / "python"), os.environ.get("PYTHONPATH")) if p
        )
        self.environment["WNA16_TESTS_REQUIRE_TOOLS"] = "1"
        # Test runs neither read nor fill the user's cache of kernels.
        self.environment["WNA16_CACHE_DIR"] = str(reports / "cache")

    def lit(self) -> Result:
        lit = shutil.which(str(LLVM_BIN / "lit")) or shutil.which("lit")
        if not lit:
            return broken("lit is missing; run make setup (it installs llvm-22-tools)")
        if not (self.build / "test" / "lit.site.cfg.py").exists():
            return broken(f"{self.build} is not a finished build; run make build")
        report = self.reports / "lit.xml"
        flags = ["-v"] if self.verbose else ["-sv"]
        command = [lit, *flags, "--xunit-xml-output", report, self.build / "test"]
        return read_junit(report, run(command, self.environment), "lit")

    def unit(self) -> Result:
        programs = sorted(
            p
            for p in self.build.rglob("*Tests")
            if p.is_file() and os.access(p, os.X_OK) and "CMakeFiles" not in p.parts
        )
        if not programs:
            return broken(f"no unit test programs under {self.build}; run make build")
        total = Result()
        for program in programs:
            report = self.reports / f"{program.name}.xml"
            command = [program, f"--gtest_output=xml:{report}"]
            if not self.verbose:
                command.append("--gtest_brief=1")
            print(f"-- {program.name}")
            total.add(read_junit(report, run(command, self.environment), program.name))
        return total

    def pytest(self, folder: str) -> Result:
        report = self.reports / f"{folder}.xml"
        flags = ["-v"] if self.verbose else ["-q"]
        # -rs prints why a test was skipped.
        command = [sys.executable, "-m", "pytest", *flags, "-rs", "--durations=5"]
        command += [f"--junitxml={report}", ROOT / "test" / folder]
        status = run(command, self.environment)
        # 5: every file was skipped as a whole, as on a machine without a GPU.
        return read_junit(report, 0 if status == 5 else status, f"pytest {folder}")

    def python(self) -> Result:
        return self.pytest("Python")

    def gpu(self) -> Result:
        return self.pytest("GPU")


def main() -> int:
    names = ["lit", "unit", "python", "gpu"]
    parser = argparse.ArgumentParser(description="Runs the test suites.")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--suite", action="append", choices=names)
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()

    total = Result()
    lines = []
    with tempfile.TemporaryDirectory(prefix="wna16-tests-") as reports:
        suites = Suites(options.build.resolve(), options.verbose, pathlib.Path(reports))
        for name in options.suite or names:
            print(f"== {name}")
            start = time.perf_counter()
            result = getattr(suites, name)()
            seconds = time.perf_counter() - start
            lines.append(
                f"{name:7s} {result.passed:5d} passed {result.failed:4d} failed "
                f"{result.skipped:4d} skipped {seconds:7.1f} s"
            )
            total.add(result)
    print("== summary")
    for note in total.notes:
        print(note)
    print("\n".join(lines))
    print(f"{total.passed} passed, {total.failed} failed")
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
