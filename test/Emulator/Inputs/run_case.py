"""Runs a case of kernel_cases.py, as it is or with edited PTX, by wna16-run."""

import concurrent.futures
import dataclasses
import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterable

import kernel_cases

REPORT = re.compile(r"(?P<file>[^:]*):(?P<line>\d+): error \[(?P<check>[\w-]+)\]: (?P<text>.*)")


@dataclasses.dataclass
class Report:
    line: int
    check: str
    text: str


@dataclasses.dataclass
class Outcome:
    command: str
    status: int
    reports: list[Report]
    right: bool  # every output is what was expected, bit for bit
    log: str


def run_case(case: kernel_cases.Case, options: list[str], ptx: str | None = None) -> Outcome:
    """`ptx`: text that replaces the kernel's own; the launch stays."""
    data = case.data()
    with tempfile.TemporaryDirectory() as folder:
        record = os.path.join(kernel_cases.FOLDER, case.kernel + ".json")
        command = ["wna16-run", record]
        if ptx is not None:
            path = os.path.join(folder, case.kernel + ".ptx")
            with open(path, "w", encoding="utf-8") as file:
                file.write(ptx)
            command = ["wna16-run", path, "--launch", record]
        for name, value in case.symbols.items():
            command += ["--symbol", f"{name}={value}"]
        for name, content in data.inputs.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)
            command += ["--arg", f"{name}={os.path.join(folder, name)}"]
        for name in data.expected:
            command += ["--out", f"{name}={os.path.join(folder, name)}.out"]
        command += ["--threads", "1", *options]
        done = subprocess.run(command, capture_output=True, text=True)
        right = True
        for name, expected in data.expected.items():
            path = os.path.join(folder, name) + ".out"
            if not os.path.exists(path):
                right = False
                continue
            with open(path, "rb") as file:
                right &= file.read() == expected
    reports = [
        Report(int(found["line"]), found["check"], found["text"])
        for found in map(REPORT.fullmatch, done.stderr.splitlines())
        if found
    ]
    log = done.stdout + done.stderr
    return Outcome(" ".join(command), done.returncode, reports, right, log)


def run_all(failure: Callable[..., str], jobs: Iterable[tuple]) -> int:
    """Runs `failure(*job)` of every job, two at a time, and prints what they return.

    The result is an exit status: 0 if there were jobs and all returned "".
    """
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        texts = [future.result() for future in [pool.submit(failure, *job) for job in jobs]]
    wrong = [text for text in texts if text]
    print(*wrong, f"{len(texts)} runs, {len(wrong)} wrong", sep="\n")
    return bool(wrong) or not texts
