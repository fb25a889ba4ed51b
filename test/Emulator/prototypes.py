"""Runs the Hopper prototypes, compiled by nvcc, in the emulator: right results and
no report.

    prototypes.py FOLDER [--ptx FOLDER] [--filter TEXT] [--all] [--list] [OPTION ...]

FOLDER has the CUDA files *_proto.cu; --ptx keeps what nvcc makes of them. Without
--all a few variants of every kernel run. Other options go to wna16-run. The
prototypes are not part of this repository.
"""

import argparse
import concurrent.futures
import functools
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))

import gemm_data
import prototype_cases

ENTRY = re.compile(r"^\.visible \.entry (\w+)\(", re.M)


def compile_all(folder: str, out: str) -> None:
    os.makedirs(out, exist_ok=True)
    for path in sorted(glob.glob(os.path.join(folder, "*_proto.cu"))):
        target = os.path.join(out, os.path.basename(path).replace("_proto.cu", ".ptx"))
        if not os.path.exists(target) or os.path.getmtime(target) < os.path.getmtime(path):
            command = ["nvcc", "-O3", "-std=c++17", "-arch=sm_90a", "-ptx", "-o", target, path]
            subprocess.run(command, check=True)


@functools.cache
def module(path: str) -> tuple[str, dict[str, str]]:
    """The text in front of the first entry, and every entry."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    starts = [found.start() for found in ENTRY.finditer(text)]
    entries = {}
    for start, end in zip(starts, starts[1:] + [len(text)]):
        body = text[start:end]
        # Inline assembly has braces at the start of lines too.
        entries[ENTRY.match(body)[1]] = body[: body.rindex("\n}") + 3]
    return text[: starts[0]], entries


def compare(case: prototype_cases.Case, folder: str) -> str:
    for name, expected in case.expected.items():
        with open(os.path.join(folder, name) + ".out", "rb") as file:
            found = file.read()
        if found == expected:
            continue
        if case.tolerance:
            wanted = gemm_data.unpack16(expected, case.dtype)
            values = gemm_data.unpack16(found, case.dtype)
            most = max(map(abs, wanted))
            if all(abs(a - b) <= case.tolerance * most for a, b in zip(values, wanted)):
                continue
        wrong = sum(found[i : i + 2] != expected[i : i + 2] for i in range(0, len(found), 2))
        return f"{wrong} of {len(found) // 2} numbers of {name} are wrong"
    return ""


def failure(path: str, plan: prototype_cases.Plan, options: list[str]) -> str:
    case = plan.make()
    header, entries = module(path)
    with tempfile.TemporaryDirectory() as folder:
        ptx, record = os.path.join(folder, "k.ptx"), os.path.join(folder, "k.json")
        with open(ptx, "w", encoding="utf-8") as file:
            file.write(case.edit(header) + entries[case.entry])
        with open(record, "w", encoding="utf-8") as file:
            json.dump(case.record, file)
        command = ["wna16-run", ptx, "--launch", record, "--threads", "1", *options]
        for name, content in case.inputs.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)
            command += ["--arg", f"{name}={os.path.join(folder, name)}"]
        for name in case.expected:
            command += ["--out", f"{name}={os.path.join(folder, name)}.out"]
        done = subprocess.run(command, capture_output=True, text=True)
        if keep := os.environ.get("WNA16_KEEP"):
            subprocess.run(["cp", "-r", folder, keep], check=True)
        log = done.stdout + done.stderr
        what = ""
        if case.known:
            checks = set(re.findall(r"error \[([\w-]+)\]", log))
            if case.known not in checks:
                what = f"expected a report of {case.known}"
        elif done.returncode:
            what = f"status {done.returncode}"
        elif "nothing found" not in log:
            what = "there are reports"
        else:
            what = compare(case, folder)
        return f"{plan.name}: {what}\n{log}" if what else ""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--ptx")
    parser.add_argument("--filter", default="")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--list", action="store_true")
    arguments, options = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as scratch:
        out = arguments.ptx or scratch
        compile_all(arguments.folder, out)
        jobs = []
        with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
            for path in sorted(glob.glob(os.path.join(out, "*.ptx"))):
                for entry in module(path)[1]:
                    for plan in prototype_cases.plans_of(entry, arguments.all):
                        if arguments.filter not in plan.name:
                            continue
                        if arguments.list:
                            print(plan.name)
                            continue
                        job = pool.submit(failure, path, plan, options)
                        jobs.append((plan.name, job))
            failures = 0
            for name, job in jobs:
                text = job.result()
                failures += bool(text)
                print(text or f"{name}: right", flush=True)
    print(f"{len(jobs)} runs, {failures} wrong")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
