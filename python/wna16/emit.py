"""Problem -> module text of the wna16 dialect: one function, one product."""

from __future__ import annotations

from .moe_problem import MoeProblem
from .problem import Problem

_TEMPLATE = """\
func.func @{name}(
    {parameters})
    -> {y} {{
  %y = {product} {{{attributes}max_m = {max_m} : i64{schedule}}}
      : ({types})
      -> {y}
  return %y : {y}
}}
"""


def kernel_name(problem: Problem, max_m: int) -> str:
    """The entry point's name; it is what profilers show."""
    p = problem
    parts = ["wna16_gemm"]
    if isinstance(p, MoeProblem):
        rows = f"{p.x_rows[0]}{p.y_rows[0]}{p.segment_rows}"
        parts = [f"wna16_moe_gemm_e{p.experts}_t{p.top_k}_{rows}"]
    if p.dtype != "f16":
        parts.append(p.dtype)
    if p.bits != 4 or p.has_zeros or p.offset != 8:
        zero = "z" if p.has_zeros else f"o{p.offset}"
        parts.append(f"w{p.bits}{zero}")
    for letter, dtype, usual in (
        ("s", p.scale_dtype, p.dtype),
        ("y", p.out_dtype, p.dtype),
        ("b", p.bias_dtype, None),
    ):
        if dtype != usual:
            parts.append(f"{letter}{dtype}")
    group = "c" if p.group == -1 else p.group
    return "_".join([*parts, f"m{max_m}", f"n{p.n}", f"k{p.k}", f"g{group}"])


def module_text(problem: Problem, max_m: int, schedule: str | None = None) -> str:
    """The module for launches with M <= `max_m`; without a schedule one is chosen."""
    p = problem
    n, k = p.stored_n, p.stored_k
    offset = "" if p.offset is None else f", offset = {p.offset}"
    is_moe = isinstance(p, MoeProblem)
    stack = f"{p.experts}x" if is_moe else ""
    operands = [
        ("", "x", f"tensor<?x{p.k}x{p.dtype}>"),
        (", ", "w", _tensor(f"{stack}{k}x{n}", f"!wna16.code<{p.bits}{offset}>", p.layout)),
        (", ", "s", _tensor(f"{stack}{p.groups}x{n}", p.scale_dtype, p.scale_layout)),
    ]
    if is_moe:
        operands[1] = (f" by {p.x_rows}, ", *operands[1][1:])
        operands.append((" segments ", "segments", "tensor<?x4xi32>"))
        operands.append((" slots ", "slots", "tensor<?xi32>"))
    if p.has_zeros:
        code = f"!wna16.code<{p.zero_bits}>"
        zeros = _tensor(f"{stack}{p.groups}x{n}", code, p.zero_layout)
        operands.append((" zeros ", "z", zeros))
    if p.bias_dtype is not None:
        operands.append((" bias ", "b", f"tensor<{stack}1x{n}x{p.bias_dtype}>"))
    product = "".join(f"{before}%{name}" for before, name, _ in operands)
    return _TEMPLATE.format(
        name=kernel_name(p, max_m),
        parameters=",\n    ".join(f"%{name}: {type_}" for _, name, type_ in operands),
        product=f"wna16.moe_gemm {product} to {p.y_rows}" if is_moe else f"wna16.gemm {product}",
        attributes=f"segment_rows = {p.segment_rows} : i64, top_k = {p.top_k} : i64, "
        if is_moe
        else "",
        types=",\n         ".join(type_ for _, _, type_ in operands),
        y=f"tensor<?x{p.n}x{p.out_dtype}>",
        max_m=max_m,
        schedule="" if schedule is None else f", schedule = {schedule}",
    )


def _tensor(shape: str, element: str | None, layout: str) -> str:
    return f"tensor<{shape}x{element}, #wna16.layout<{layout}>>"
