"""Compiles what goes around the products of a mixture of experts, and runs it.

usage: moe_tables.py FOLDER [NAME...]

wna16-run makes router ids and maps up, fills outputs with NaN and, for a sum, the rows of
slots without an expert; tables must be right in every bit, sums are compared with fp64.
Prints how many runs were right.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

from gemms import call

ROUTINGS = ("uniform", "skewed", "last", "dropped", "broken")


@dataclass
class Sum:
    name: str
    experts: int
    top_k: int
    #: Global experts; 0: no map.
    mapped: int = 0
    n: int = 64
    dtype: str = "f16"
    out: str = ""
    weights: bool = True
    tokens: tuple = (1, 7, 33)
    target: str = "sm_80"

    def text(self):
        out = self.out or self.dtype
        h, y = f"tensor<?x{self.n}x{self.dtype}>", f"tensor<?x{self.n}x{out}>"
        operands, clauses = {"h": h, "ids": f"tensor<?x{self.top_k}xi32>"}, ""
        if self.mapped:
            operands["map"] = f"tensor<{self.mapped}xi32>"
            clauses += " map %map"
        if self.weights:
            operands["v"] = f"tensor<?x{self.top_k}xf32>"
            clauses += " weights %v"
        arguments = ", ".join(f"%{name}: {type}" for name, type in operands.items())
        return f"""\
func.func @{self.name}({arguments}) -> {y} {{
  %y = wna16.moe_sum %h ids %ids{clauses} {{experts = {self.experts} : i64}}
      : ({", ".join(operands.values())}) -> {y}
  return %y : {y}
}}
"""


@dataclass
class Route:
    name: str
    experts: int
    top_k: int
    rows: int
    mapped: int = 0
    tokens: tuple = (1, 7, 64)
    target: str = "sm_80"

    def text(self):
        operands, clauses = {"ids": f"tensor<?x{self.top_k}xi32>"}, ""
        if self.mapped:
            operands["map"] = f"tensor<{self.mapped}xi32>"
            clauses = " map %map"
        arguments = ", ".join(f"%{name}: {type}" for name, type in operands.items())
        tables = "tensor<?x4xi32>, tensor<?xi32>"
        return f"""\
func.func @{self.name}({arguments}) -> ({tables}) {{
  %segments, %slots = wna16.moe_route %ids{clauses}
      {{experts = {self.experts} : i64, segment_rows = {self.rows} : i64}}
      : ({", ".join(operands.values())}) -> ({tables})
  return %segments, %slots : {tables}
}}
"""


CASES = [
    Route("route", 8, 2, 16, tokens=(1, 7, 64, 300)),
    Route("route_one", 1, 1, 8, tokens=(1, 7, 64, 300)),
    Route("route_three", 3, 8, 5, tokens=(1, 7, 300)),
    Route("route_sixty", 60, 4, 8, target="sm_90a", tokens=(1, 7, 64, 300)),
    Route("route_top_16", 256, 16, 64, tokens=(1, 7, 64, 300)),
    Route("route_f4_remote_experts", 16, 8, 1, mapped=64, tokens=(1, 7, 300)),
    Route("route_f5_small_map", 60, 2, 32, mapped=3),
    Route("route_f6_experts", 1024, 8, 16, mapped=1500, tokens=(1, 7, 64, 300)),
    Route("route_f6_no_map", 1024, 2, 1048576),
    *[Route(f"route_f6_{e}", e, 1, 8, tokens=(1, 64)) for e in (257, 512, 1023)],
    *[Route(f"route_f9_{e}", e, 4, 16, tokens=(1, 64)) for e in (60, 144, 160)],
    Route("route_odd", 300, 3, 7, tokens=(1, 7, 300)),
    Sum("sum", 8, 2),
    Sum("sum_one", 1, 1, weights=False),
    Sum("sum_f3_no_weights", 32, 8, weights=False),
    Sum("sum_f2_input_weighed_before", 4, 1, weights=False, dtype="bf16"),
    Sum("sum_f4_remote_experts", 16, 8, mapped=64, n=40, dtype="bf16"),
    Sum("sum_top_16", 60, 16, n=2880, target="sm_90a", tokens=(1, 3)),
    Sum("sum_f6_experts", 1024, 8, n=98, out="f32"),
    Sum("sum_odd", 3, 2, mapped=5, n=63, dtype="f32"),
    Sum("sum_narrow", 3, 3, n=1, dtype="f32", out="f16"),
]  # fmt: skip


def main(folder, names):
    folder.mkdir(parents=True, exist_ok=True)
    runs = 0
    for case in CASES:
        if names and case.name not in names:
            continue
        source = folder / f"{case.name}.mlir"
        source.write_text(case.text())
        call("wna16-compile", source, "--target", case.target, "-o", folder, "--no-cubin")
        record = folder / f"{case.name}.json"
        for tokens in (0, *case.tokens):
            for seed, routing in enumerate(ROUTINGS if tokens else ROUTINGS[:1]):
                out = call(
                    "wna16-run", record, "--symbol", f"T={tokens}", "--routing", routing,
                    "--seed", str(seed), "--check-order",
                    "--data", ("random", "adversarial")[runs % 2],
                )  # fmt: skip
                # Exit status 0 alone would also be that of a run without a reference.
                wanted = ": right\n"
                if not tokens and isinstance(case, Sum):
                    wanted = "nothing to launch"
                if wanted not in out:
                    sys.exit(f"expected '{wanted.strip()}', T = {tokens} of {record}:\n{out}")
                runs += 1
    print(f"{runs} runs right")


main(Path(sys.argv[1]), sys.argv[2:])
