"""Names of the GPUs that kernels are compiled for.

Only names: what a GPU can do is the compiler's business (lib/Target).
"""

from __future__ import annotations

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

#: What is compiled when there is no GPU and none is named.
DEFAULT_TARGET = "sm_90a"


def check_target(target: str) -> str:
    """Returns `target`; raises TargetError if it is not a known one."""
    if target not in TARGETS:
        raise TargetError(
            f"unknown target {target!r}; expected one of {', '.join(TARGETS)} [TARGET1]"
        )
    return target


def target_of_capability(major: int, minor: int) -> str:
    """The target of a device; raises TargetError if there is no code for it."""
    try:
        return _BY_CAPABILITY[major, minor]
    except KeyError:
        known = ", ".join(f"{a}.{b}" for a, b in _BY_CAPABILITY)
        raise TargetError(
            f"no code for compute capability {major}.{minor}; expected one of {known} [TARGET2]"
        ) from None
