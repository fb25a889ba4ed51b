"""Problem -> module text of the wna16 dialect: one function, one wna16.gemm."""

from __future__ import annotations

from .problem import Problem

_TEMPLATE = """\
func.func @{name}(
    {parameters})
    -> {y} {{
  %y = wna16.gemm {operands} {{max_m = {max_m} : i64{schedule}}}
      : ({types})
      -> {y}
  return %y : {y}
}}
"""


def kernel_name(problem: Problem, max_m: int) -> str:
    """The entry point's name; it is what profilers show."""
    p = problem
    parts = ["wna16_gemm"]
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
    operands = [
        ("", "x", f"tensor<?x{p.k}x{p.dtype}>"),
        (", ", "w", _tensor(k, n, f"!wna16.code<{p.bits}{offset}>", p.layout)),
        (", ", "s", _tensor(p.groups, n, p.scale_dtype, p.scale_layout)),
    ]
    if p.has_zeros:
        zeros = _tensor(p.groups, n, f"!wna16.code<{p.zero_bits}>", p.zero_layout)
        operands.append((" zeros ", "z", zeros))
    if p.bias_dtype is not None:
        operands.append((" bias ", "b", f"tensor<1x{n}x{p.bias_dtype}>"))
    return _TEMPLATE.format(
        name=kernel_name(p, max_m),
        parameters=",\n    ".join(f"%{name}: {type_}" for _, name, type_ in operands),
        operands="".join(f"{before}%{name}" for before, name, _ in operands),
        types=",\n         ".join(type_ for _, _, type_ in operands),
        y=f"tensor<?x{p.n}x{p.out_dtype}>",
        max_m=max_m,
        schedule="" if schedule is None else f", schedule = {schedule}",
    )


def _tensor(rows: int, columns: int, element: str | None, layout: str) -> str:
    return f"tensor<{rows}x{columns}x{element}, #wna16.layout<{layout}>>"
