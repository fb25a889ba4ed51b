#!/usr/bin/env python3
"""Runs every case on a GPU and writes what it answered: run_hw.py --out DIR.

Needs Python 3.11 and NVIDIA's driver, which compiles the PTX; no toolkit, no package. Each
case runs twice and must answer the same. A kernel that does not compile, traps or hangs is
recorded and does not disturb the others: worker processes do the work and are started anew.
"""

from __future__ import annotations

import argparse
import ctypes
import datetime
import json
import subprocess
import sys
import time
from pathlib import Path

from answers import Answers, known, write
from cases import Case
from families import FAMILIES, all_cases

HANG_SECONDS = 40
CAPACITY = 1 << 22


class DriverError(Exception):
    pass


class Driver:
    """What is needed of the CUDA driver API."""

    def __init__(self) -> None:
        self.lib = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        device = ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.device = device
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def call(self, name: str, *arguments) -> None:
        status = getattr(self.lib, name)(*arguments)
        if status != 0:
            text = ctypes.c_char_p()
            self.lib.cuGetErrorName(status, ctypes.byref(text))
            raise DriverError(f"{name}: {(text.value or b'?').decode()} ({status})")

    def describe(self) -> dict:
        name = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", name, 256, self.device)
        version = ctypes.c_int()
        self.call("cuDriverGetVersion", ctypes.byref(version))
        capability = []
        for attribute in (75, 76):  # compute capability, major and minor
            value = ctypes.c_int()
            self.call("cuDeviceGetAttribute", ctypes.byref(value), attribute, self.device)
            capability.append(value.value)
        return {
            "name": name.value.decode(),
            "cuda": f"{version.value // 1000}.{version.value % 1000 // 10}",
            "capability": "{}.{}".format(*capability),
        }

    def allocate(self, size: int) -> ctypes.c_uint64:
        pointer = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(size))
        return pointer

    def compile(self, ptx: str) -> ctypes.c_void_p:
        log = ctypes.create_string_buffer(8192)
        names = (ctypes.c_int * 2)(5, 6)  # error log buffer and its size
        values = (ctypes.c_void_p * 2)(ctypes.cast(log, ctypes.c_void_p), ctypes.c_void_p(len(log)))
        module = ctypes.c_void_p()
        text = ctypes.create_string_buffer(ptx.encode())
        try:
            self.call("cuModuleLoadDataEx", ctypes.byref(module), text, 2, names, values)
        except DriverError as error:
            raise DriverError(f"{error}: {log.value.decode(errors='replace').strip()[:400]}") from error
        return module

    def launch(self, function, case, source, target) -> bytes:
        self.call("cuMemsetD8_v2", target, ctypes.c_ubyte(0), ctypes.c_size_t(case.out_bytes))
        if case.data:
            self.call("cuMemcpyHtoD_v2", source, case.data, ctypes.c_size_t(len(case.data)))
        first, second = ctypes.c_uint64(source.value), ctypes.c_uint64(target.value)
        parameters = (ctypes.c_void_p * 2)(
            ctypes.cast(ctypes.byref(first), ctypes.c_void_p),
            ctypes.cast(ctypes.byref(second), ctypes.c_void_p),
        )
        self.call("cuLaunchKernel", function, case.grid, 1, 1, case.threads, 1, 1, 0, None, parameters, None)
        self.call("cuCtxSynchronize")
        out = ctypes.create_string_buffer(case.out_bytes)
        self.call("cuMemcpyDtoH_v2", out, target, ctypes.c_size_t(case.out_bytes))
        return out.raw


def choose(families: list[str], missing: bool) -> list[Case]:
    """The cases to run; `missing`: those without an answer."""
    cases = all_cases(families)
    if missing:
        answers = {family: known(family).cases for family in FAMILIES}
        cases = [c for c in cases if answers[c.family].get(c.name, ("",))[0] != c.digest]
    return cases


def work(families: list[str], missing: bool, part: int, parts: int, start: int, out: Path) -> int:
    """Runs cases part, part + parts, ... from the start-th on; stops when the context broke."""
    cases = choose(families, missing)[part::parts]
    log = open(out / f"part{part}.log", "a", buffering=1)
    blob = open(out / f"part{part}.bin", "ab", buffering=0)
    driver = Driver()
    if part == 0 and start == 0:
        (out / "device.json").write_text(json.dumps(driver.describe()))
    source, target = driver.allocate(CAPACITY), driver.allocate(CAPACITY)
    for index in range(start, len(cases)):
        case = cases[index]
        assert len(case.data) <= CAPACITY and case.out_bytes <= CAPACITY
        log.write(f"start {index} {case.name}\n")
        try:
            module = driver.compile(case.ptx)
        except DriverError as error:
            log.write(f"fail {case.name} {json.dumps(str(error))}\n")
            continue
        try:
            function = ctypes.c_void_p()
            driver.call("cuModuleGetFunction", ctypes.byref(function), module, case.name.encode())
            first = driver.launch(function, case, source, target)
            second = driver.launch(function, case, source, target)
            driver.call("cuModuleUnload", module)
        except DriverError as error:
            log.write(f"fail {case.name} {json.dumps(str(error))}\n")
            return 3  # such errors stick to the context
        if first != second:
            log.write(f"fail {case.name} {json.dumps('two runs answered differently')}\n")
            continue
        offset = blob.tell()
        blob.write(first)
        log.write(f"done {case.name} {case.digest} {offset} {len(first)}\n")
    log.write("end\n")
    return 0


class Worker:
    """A process over one part of the cases, started again behind a case that broke it."""

    def __init__(self, options: list[str], part: int, parts: int, out: Path) -> None:
        self.options, self.part, self.parts, self.out = options, part, parts, out
        self.path = out / f"part{part}.log"
        self.restarts = 0
        self.finished = False
        self.start(0)

    def start(self, at: int) -> None:
        command = [sys.executable, __file__, "--out", str(self.out)]
        command += ["--worker", str(self.part), str(self.parts), str(at)]
        command += self.options
        errors = open(self.out / f"part{self.part}.err", "a")
        self.process = subprocess.Popen(command, stderr=errors)
        self.size, self.since = -1, time.monotonic()

    def lines(self) -> list[str]:
        return self.path.read_text().splitlines() if self.path.exists() else []

    def poll(self) -> None:
        if self.finished:
            return
        size = self.path.stat().st_size if self.path.exists() else 0
        if size != self.size:
            self.size, self.since = size, time.monotonic()
        status = self.process.poll()
        hangs = time.monotonic() - self.since > HANG_SECONDS
        if status is None and not hangs:
            return
        if status is None:
            self.process.kill()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                pass
        lines = self.lines()
        started = [line for line in lines if line.startswith("start ")]
        if status == 0 or self.restarts > 60 or not started:
            self.finished = True
            return
        _, index, name = started[-1].split(" ")
        if lines[-1] == started[-1]:  # it ended without a word
            with open(self.path, "a") as log:
                why = "hangs" if hangs else f"the process ended with status {status}"
                log.write(f"fail {name} {json.dumps(why)}\n")
        self.restarts += 1
        self.start(int(index) + 1)


def collect(out: Path, parts: int) -> Answers:
    answers = Answers()
    if (out / "device.json").exists():
        answers.device = json.loads((out / "device.json").read_text())
    answers.device["date"] = datetime.date.today().isoformat()
    try:
        query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
        answers.device["driver"] = subprocess.run(
            query, capture_output=True, text=True, timeout=20
        ).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        pass
    for part in range(parts):
        log, blob = out / f"part{part}.log", out / f"part{part}.bin"
        data = blob.read_bytes() if blob.exists() else b""
        for line in log.read_text().splitlines() if log.exists() else []:
            word, _, rest = line.partition(" ")
            if word == "done":
                name, digest, offset, length = rest.split(" ")
                answers.cases[name] = (digest, data[int(offset) : int(offset) + int(length)])
            elif word == "fail":
                name, _, why = rest.partition(" ")
                answers.failed[name] = json.loads(why)
    return answers


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="where answers.z goes")
    parser.add_argument("--family", nargs="*", choices=list(FAMILIES), default=[])
    parser.add_argument("--missing", action="store_true", help="only cases without an answer")
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--seconds", type=int, default=400, help="stop after that long")
    parser.add_argument("--worker", nargs=3, type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        return work(options.family, options.missing, *options.worker, options.out)
    started = time.monotonic()
    options.out.mkdir(parents=True, exist_ok=True)
    scratch = options.out / "parts"
    scratch.mkdir(exist_ok=True)
    for old in scratch.iterdir():
        old.unlink()
    passed = ["--missing"] if options.missing else []
    passed += ["--family", *options.family] if options.family else []
    workers = [Worker(passed, i, options.jobs, scratch) for i in range(options.jobs)]
    while not all(worker.finished for worker in workers):
        time.sleep(0.2)
        for worker in workers:
            worker.poll()
        if time.monotonic() - started > options.seconds:
            print("run_hw: out of time; what was answered is kept")
            for worker in workers:
                worker.process.kill()
            break
    answers = collect(scratch, options.jobs)
    cases = choose(options.family, options.missing)
    for case in cases:
        if case.name not in answers.cases and case.name not in answers.failed:
            answers.failed[case.name] = "was not run"
    write(options.out / "answers.z", answers)
    errors = "".join(path.read_text() for path in sorted(scratch.glob("*.err")))
    for path in scratch.iterdir():
        path.unlink()
    scratch.rmdir()
    print(f"{answers.device}")
    for name, why in sorted(answers.failed.items())[:60]:
        print(f"no answer: {name}: {why}"[:300])
    if errors:
        print("errors of workers:\n" + errors[-3000:])
    size = (options.out / "answers.z").stat().st_size
    print(
        f"{len(answers.cases)} of {len(cases)} cases answered, {len(answers.failed)} not, "
        f"{size} bytes, {time.monotonic() - started:.0f} s"
    )
    return 0 if answers.cases else 1


if __name__ == "__main__":
    sys.exit(main())
