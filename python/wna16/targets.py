"""Names of the GPUs and CPUs that kernels are compiled for.

Only names: what they can do is the compiler's business (lib/Target). Of CPUs also how
this machine's is recognised, so that code for a better one is never run.
"""

from __future__ import annotations

import functools
import platform

from .errors import TargetError

#: (compute capability major, minor) -> target
_BY_CAPABILITY = {
    (8, 0): "sm_80",
    (8, 6): "sm_86",
    (8, 9): "sm_89",
    (9, 0): "sm_90a",
    (10, 0): "sm_100a",
    (12, 0): "sm_120a",
}

TARGETS: tuple[str, ...] = tuple(_BY_CAPABILITY.values())

#: The best level of this machine's CPU.
HOST_CPU = "cpu"

_LEVEL_3 = {"avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"}
#: Level -> what /proc/cpuinfo lists on a CPU that has it; rising.
_CPU_FLAGS = {
    "x86-64-v3": _LEVEL_3,
    "x86-64-v4": _LEVEL_3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
}

CPU_TARGETS: tuple[str, ...] = tuple(_CPU_FLAGS)

#: What is compiled when there is no GPU and none is named.
DEFAULT_TARGET = "sm_90a"


def check_target(target: str) -> str:
    """The name of a target, "cpu" resolved; raises TargetError if it is not known."""
    if target == HOST_CPU:
        host = host_cpu_target()
        if host is None:
            raise TargetError(
                f"no code for the CPU of this machine ({platform.machine()}); expected "
                "x86-64 with at least AVX2, FMA and F16C [TARGET1]"
            )
        return host
    if target not in TARGETS + CPU_TARGETS:
        known = ", ".join((*TARGETS, HOST_CPU, *CPU_TARGETS))
        raise TargetError(f"unknown target {target!r}; expected one of {known} [TARGET1]")
    return target


def is_cpu_target(target: str) -> bool:
    return target in CPU_TARGETS


@functools.cache
def host_cpu_target() -> str | None:
    """The best level that this machine's CPU has, or None."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            line = next((line for line in file if line.startswith("flags")), "")
    except OSError:
        return None
    flags = set(line.partition(":")[2].split())
    best = None
    for level, wanted in _CPU_FLAGS.items():
        if wanted <= flags:
            best = level
    return best


def is_cpu_code_for(target: str, host: str | None) -> bool:
    """Whether code for `target` runs on a CPU whose best level is `host`."""
    if host is None or target not in CPU_TARGETS:
        return False
    return CPU_TARGETS.index(target) <= CPU_TARGETS.index(host)


def target_of_capability(major: int, minor: int) -> str:
    """The target of a device; raises TargetError if there is no code for it."""
    try:
        return _BY_CAPABILITY[major, minor]
    except KeyError:
        known = ", ".join(f"{a}.{b}" for a, b in _BY_CAPABILITY)
        raise TargetError(
            f"no code for compute capability {major}.{minor}; expected one of {known} [TARGET2]"
        ) from None
