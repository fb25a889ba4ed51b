"""Compiles and runs products whose activations stay in shared memory.

    warpgroups.py DIR CASE...

A case is N x K x M @ tile n, m, k / warps n, k / stages / scales / element type / copy. Every
kernel is compiled for sm_90a, assembled where ptxas is there (a note about products
that it serialises, or a spill, is an error), and run for several M, kinds of data and
orders of events, each compared with fp64 by all checks.
"""

import json
import pathlib
import re
import subprocess
import sys

MODULE = """\
func.func @{name}(%x: tensor<?x{k}x{type}>,
    %w: tensor<{k}x{n}x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
    %s: tensor<{groups}x{n}x{type}, #wna16.layout<marlin_scales>>) -> tensor<?x{n}x{type}> {{
  %y = wna16.gemm %x, %w, %s {{max_m = {m} : i64, schedule = #wna16.schedule<
      tile = [{tn}, {tm}, {tk}], warps = [{wn}, {wk}], stages = {stages}, copy = {copy},
      math = wgmma, scales = {scales}, split = none, roles = {roles}>}} :
      (tensor<?x{k}x{type}>, tensor<{k}x{n}x!wna16.code<4, offset = 8>, #wna16.layout<marlin>>,
       tensor<{groups}x{n}x{type}, #wna16.layout<marlin_scales>>) -> tensor<?x{n}x{type}>
  return %y : tensor<?x{n}x{type}>
}}
"""
CASE = re.compile(
    r"(?P<n>\d+)x(?P<k>\d+)x(?P<m>\d+)@(?P<tn>\d+),(?P<tm>\d+),(?P<tk>\d+)"
    r"/(?P<wn>\d+),(?P<wk>\d+)/(?P<stages>\d+)/(?P<scales>\w+)/(?P<type>\w+)/(?P<copy>\w+)"
)


def run(command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def compile_case(folder, case):
    facts = CASE.fullmatch(case).groupdict()
    name = "k_" + re.sub(r"\W", "_", case)
    source = folder / f"{name}.mlir"
    facts["groups"] = int(facts["k"]) // 128
    facts["roles"] = "uniform" if facts["copy"] == "cp_async" else "producer_consumer"
    source.write_text(MODULE.format(name=name, **facts))
    status, text = run(["wna16-compile", source, "--target", "sm_90a", "-o", folder])
    if status or re.search(r"C75\d\d", text):
        sys.exit(f"{case}: {text}")
    record = json.loads((folder / f"{name}.json").read_text())
    if record.get("resources", {}).get("spill_bytes", 0):
        sys.exit(f"{case}: spills {record['resources']}")
    return folder / f"{name}.json", int(facts["m"])


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for case in sys.argv[2:]:
        record, max_m = compile_case(folder, case)
        for m, options in (
            (max_m, ["--schedules", "2"]),
            (1, ["--completion", "early", "--data", "adversarial"]),
            (max_m - 3, ["--completion", "random", "--data", "onehot", "--check-order"]),
        ):
            status, text = run(["wna16-run", record, "--symbol", f"M={m}", *options])
            if status or ": right" not in text or "nothing found" not in text:
                sys.exit(f"{case}, M = {m}, {options}: {text}")
            count += 1
        status, text = run(["wna16-run", record, "--symbol", f"M={max_m}", "--counters"])
        if "bank conflicts in loops: none" not in text:
            sys.exit(f"{case}: {text}")
    print(f"{count} runs right, without bank conflicts in loops")


if __name__ == "__main__":
    main()
