"""Problem -> module text of the wna16 dialect: one function, one wna16.gemm."""

from __future__ import annotations

from .problem import Problem

_TEMPLATE = """\
func.func @{name}(
    %x: tensor<?x{k}x{dtype}>,
    %w: tensor<{k}x{n}x!wna16.code<{bits}{offset}>, #wna16.layout<{layout}>>,
    %s: tensor<{groups}x{n}x{dtype}, #wna16.layout<{scale_layout}>>)
    -> tensor<?x{n}x{dtype}> {{
  %y = wna16.gemm %x, %w, %s {{max_m = {max_m} : i64{schedule}}}
      : (tensor<?x{k}x{dtype}>,
         tensor<{k}x{n}x!wna16.code<{bits}{offset}>, #wna16.layout<{layout}>>,
         tensor<{groups}x{n}x{dtype}, #wna16.layout<{scale_layout}>>)
      -> tensor<?x{n}x{dtype}>
  return %y : tensor<?x{n}x{dtype}>
}}
"""


def kernel_name(problem: Problem, max_m: int) -> str:
    """The entry point's name; it is what profilers show."""
    dtype = "" if problem.dtype == "f16" else f"_{problem.dtype}"
    return f"wna16_gemm{dtype}_m{max_m}_n{problem.n}_k{problem.k}_g{problem.group}"


def module_text(problem: Problem, max_m: int, schedule: str | None = None) -> str:
    """The module for launches with M <= `max_m`; without a schedule one is chosen."""
    return _TEMPLATE.format(
        name=kernel_name(problem, max_m),
        k=problem.k,
        n=problem.n,
        groups=problem.groups,
        bits=problem.bits,
        offset="" if problem.offset is None else f", offset = {problem.offset}",
        dtype=problem.dtype,
        layout=problem.layout,
        scale_layout=problem.scale_layout,
        max_m=max_m,
        schedule="" if schedule is None else f", schedule = {schedule}",
    )
