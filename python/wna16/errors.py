"""The exceptions of this package. All derive from Wna16Error.

A message says what was expected, what was found, where, and what to do. The label
in square brackets at the end of a message, for example [ORD6], is the rule in
docs/spec.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


class Wna16Error(Exception):
    """Base of all errors that this package raises on purpose."""


class ShapeError(Wna16Error, ValueError):
    """A shape, stride, address or group that a kernel cannot take."""


class DTypeError(Wna16Error, TypeError):
    """An element type or width outside the supported set, or an unfit object."""


class OrderError(Wna16Error, ValueError):
    """A checkpoint that needs activation ordering at run time."""


class CheckpointError(Wna16Error, ValueError):
    """A checkpoint that is damaged, incomplete or of an unsupported scheme."""


class TargetError(Wna16Error, ValueError):
    """A GPU that there is no code for, or that this kernel was not built for."""


class CacheError(Wna16Error, OSError):
    """The folder of compiled kernels cannot be used."""


class CompileError(Wna16Error, RuntimeError):
    """A tool is missing, or failed.

    Attributes:
        command: the command line, a list of strings; empty if the tool is missing.
        stderr: what it wrote to standard error.
        stage_dir: folder with the input (and the stage files written so far), or None.
    """

    def __init__(
        self,
        message: str,
        *,
        command: Sequence[str] = (),
        stderr: str = "",
        stage_dir: Path | None = None,
    ) -> None:
        super().__init__(message)
        self.command = list(command)
        self.stderr = stderr
        self.stage_dir = stage_dir


class LaunchError(Wna16Error, RuntimeError):
    """A kernel could not be loaded or launched.

    Attributes:
        code: the driver's CUresult, or 0 if the driver did not fail.
    """

    def __init__(self, message: str, *, code: int = 0) -> None:
        super().__init__(message)
        self.code = code
