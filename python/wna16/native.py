"""Calls compiled products: shared libraries with MLIR's C interface.

docs/launch-record.md describes what is passed.
"""

from __future__ import annotations

import ctypes
import functools
import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from .arguments import Argument
from .buffers import Buffer
from .errors import LaunchError

#: Gets views of all arguments, and the bounds of the part to compute.
Function = Callable[[Sequence[ctypes.Structure], tuple[int, int, int, int]], None]


@functools.cache
def load_function(path: Path, kernel: str) -> Function:
    """The function of a library; stays loaded. Raises LaunchError if it cannot be had."""
    try:
        library = ctypes.CDLL(str(path), mode=os.RTLD_NOW | os.RTLD_LOCAL)
        function = getattr(library, f"_mlir_ciface_{kernel}")
    except (OSError, AttributeError) as error:
        raise LaunchError(f"cannot load {path}: {error}") from None
    function.restype = None

    def call(
        views: Sequence[ctypes.Structure], part: tuple[int, int, int, int]
    ) -> None:
        function(*map(ctypes.byref, views), *map(ctypes.c_int64, part))

    return call


@functools.cache
def _view_type(rank: int) -> type[ctypes.Structure]:
    """What MLIR passes for a memref: pointer twice, offset, sizes, strides."""

    class View(ctypes.Structure):
        _fields_ = [
            ("allocated", ctypes.c_void_p),
            ("aligned", ctypes.c_void_p),
            ("offset", ctypes.c_int64),
            ("sizes", ctypes.c_int64 * rank),
            ("strides", ctypes.c_int64 * rank),
        ]

    return View


def view(argument: Argument, buffer: Buffer) -> ctypes.Structure:
    shape, strides = buffer.shape, buffer.strides
    if argument.layout != "row_major":
        shape, strides = (math.prod(shape),), (1,)
    extents = ctypes.c_int64 * len(shape)
    return _view_type(len(shape))(
        buffer.pointer, buffer.pointer, 0, extents(*shape), extents(*strides)
    )
