"""Compiles products of mixtures of experts by schedules written by hand and runs them.

usage: moe.py FOLDER

wna16-run makes the tables of a routing up, compares with fp64 and poisons what is not
written with NaN; rows that no segment covers are not compared. Prints how many runs were
right.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

from gemms import call

ROUTINGS = ("uniform", "skewed", "last", "dropped", "broken")


@dataclass
class Case:
    name: str
    experts: int
    top_k: int
    rows: int
    schedule: str
    #: Values of M, the number of slots.
    slots: tuple
    target: str = "sm_80"
    n: int = 128
    k: int = 256
    used_n: int = 0
    group: int = 128
    x_rows: str = "token"
    y_rows: str = "slot"
    code: str = "4, offset = 8"
    bias: bool = False
    dtype: str = "f16"

    def text(self):
        bits = int(self.code.split(",")[0])
        e, n, k, groups = self.experts, self.n, self.k, self.k // self.group
        y = f"tensor<?x{self.used_n or n}x{self.dtype}>"
        operands = {
            "x": f"tensor<?x{k}x{self.dtype}>",
            "w": f"tensor<{e}x{k}x{n}x!wna16.code<{self.code}>, #wna16.layout<marlin>>",
            "s": f"tensor<{e}x{groups}x{n}x{self.dtype}, #wna16.layout<marlin_scales>>",
            "segments": "tensor<?x4xi32>",
            "slots": "tensor<?xi32>",
        }
        clauses = ""
        if "offset" not in self.code:
            width = 4 if bits <= 4 else 8
            operands["z"] = (
                f"tensor<{e}x{groups}x{n}x!wna16.code<{width}>, #wna16.layout<marlin_zeros>>"
            )
            clauses += " zeros %z"
        if self.bias:
            operands["b"] = f"tensor<{e}x1x{n}xf32>"
            clauses += " bias %b"
        arguments = ", ".join(f"%{name}: {type}" for name, type in operands.items())
        return f"""\
func.func @{self.name}({arguments}) -> {y} {{
  %y = wna16.moe_gemm %x by {self.x_rows}, %w, %s segments %segments slots %slots{clauses} to {self.y_rows}
      {{segment_rows = {self.rows} : i64, top_k = {self.top_k} : i64, max_m = {max(self.slots)} : i64,
       schedule = #wna16.schedule<{self.schedule}>}}
      : ({", ".join(operands.values())}) -> {y}
  return %y : {y}
}}
"""


def mma(tile, warps, stages, scales="accumulator", more="", split="none"):
    return (
        f"tile = [{tile}], warps = [{warps}], stages = {stages}, copy = cp_async, math = mma, "
        f"scales = {scales}, split = {split}, roles = uniform{more}"
    )


DECODE = mma("64, 8, 128", "1, 2", 2)
CASES = [
    Case("plain", 3, 2, 8, DECODE, (1, 2, 7, 24, 65)),
    Case("sixty_experts", 60, 4, 8, DECODE, (4, 33), n=64),
    Case("one_expert", 1, 1, 16, mma("64, 16, 64", "1, 4", 3), (1, 16, 35)),
    Case("top_16", 5, 16, 16, mma("128, 16, 64", "2, 2", 2, "weights"), (16, 48)),
    Case("by_slot", 3, 2, 8, DECODE, (13,), x_rows="slot"),
    Case("by_position", 3, 2, 8, DECODE, (13,), x_rows="position"),
    Case("to_position", 3, 2, 8, DECODE, (13,), y_rows="position"),
    Case("half_tile", 3, 2, 5, mma("64, 16, 128", "1, 2", 2), (29,)),
    Case("tall", 2, 1, 64, mma("64, 64, 64", "1, 2", 2, "weights", ", warps_m = 2"), (100,)),
    Case("eight_bits", 3, 2, 8, DECODE, (13,), code="8, offset = 128"),
    Case("planes", 3, 2, 8, DECODE, (13,), code="3, offset = 4"),
    Case("zeros_bias", 3, 2, 16, mma("64, 16, 64", "1, 2", 2, "weights"), (21,), group=64,
         code="4", bias=True, dtype="bf16"),
    Case("padded", 3, 2, 8, DECODE, (13,), used_n=100),
    Case("chosen", 3, 2, 16, "", (13,), target="sm_90a"),
    Case("cluster", 3, 2, 8, mma("64, 8, 64", "1, 2", 2, more=", blocks = 2", split="cluster"),
         (13,), target="sm_90a"),
    Case("dependent", 3, 2, 8, mma("64, 8, 128", "1, 2", 2, more=", dependent"), (13,),
         target="sm_90a"),
    Case("wgmma", 3, 2, 16, "tile = [64, 16, 64], warps = [4, 1], stages = 3, copy = cp_async, "
         "math = wgmma, scales = weights, split = none, roles = uniform", (29,),
         target="sm_90a"),
    Case("tensor", 3, 2, 16, "tile = [128, 16, 64], warps = [8, 1], stages = 3, copy = tensor, "
         "math = wgmma, scales = weights, split = none, roles = producer_consumer", (29,),
         target="sm_90a", x_rows="position"),
    Case("tensor_planes", 3, 2, 16, "tile = [64, 16, 64], warps = [4, 1], stages = 3, "
         "copy = tensor, math = wgmma, scales = weights, split = none, "
         "roles = producer_consumer", (29,), target="sm_90a", x_rows="position",
         code="3, offset = 4"),
    Case("bulk", 3, 2, 8, "tile = [64, 8, 128], warps = [1, 2], stages = 2, copy = bulk, "
         "math = mma, scales = accumulator, split = none, roles = producer_consumer", (29,),
         target="sm_90a", x_rows="position"),
]  # fmt: skip


def main(folder, names):
    folder.mkdir(parents=True, exist_ok=True)
    runs = 0
    for case in CASES:
        if names and case.name not in names:
            continue
        source = folder / f"{case.name}.mlir"
        text = case.text()
        if not case.schedule:
            text = text.replace(",\n       schedule = #wna16.schedule<>", "")
        source.write_text(text)
        call("wna16-compile", source, "--target", case.target, "-o", folder, "--no-cubin")
        record = folder / f"{case.name}.json"
        for m in (0, *case.slots):
            for seed, routing in enumerate(ROUTINGS if m else ROUTINGS[:1]):
                out = call(
                    "wna16-run", record, "--symbol", f"M={m}", "--routing", routing,
                    "--seed", str(seed), "--check-order", "--symbol", f"ldx={case.k + 8}",
                    "--data", ("random", "onehot", "adversarial")[runs % 3],
                )  # fmt: skip
                # Exit status 0 alone would also be that of a run without a reference.
                wanted = ": right\n" if m else "nothing to launch"
                if wanted not in out:
                    sys.exit(f"expected '{wanted.strip()}' for M = {m} of {record}:\n{out}")
                runs += 1
    print(f"{runs} runs right")


main(Path(sys.argv[1]), sys.argv[2:])
