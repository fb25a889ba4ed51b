"""Runs a product on this machine's CPU: native code, all cores, no copies.

The code is a shared library with one C function, which computes any part of y whose
bounds are given (native.py calls it). Parts are dealt out to threads as these become free; the function
leaves Python's lock alone, so threads of Python are enough.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from . import settings
from .artifact import LaunchRecord
from .buffers import bind, describe, is_torch, torch_dtype, with_one
from .dtypes import numpy_dtype
from .errors import DTypeError, LaunchError, TargetError
from .native import Function, load_function, view
from .targets import host_cpu_target, is_cpu_code_for

#: Parts per thread: a thread that is held up leaves its parts to the others.
_PARTS_PER_THREAD = 4
#: Parts of fewer elements of w are not worth a thread.
_LEAST_WEIGHTS = 1 << 18


def as_host_array(array: Any, name: str) -> Any:
    """`array` as something that describe() reads, without a copy.

    NumPy arrays and PyTorch tensors pass through; others are read through DLPack or
    __array__. Raises DTypeError for what lies elsewhere or is no array.
    """
    if isinstance(array, np.ndarray) or is_torch(array):
        return array
    if hasattr(array, "__cuda_array_interface__"):
        raise DTypeError(
            f"expected {name} in host memory for the target cpu, found an array with "
            "__cuda_array_interface__; compile for a GPU [ARG5]"
        )
    try:
        if hasattr(array, "__dlpack__"):
            return np.from_dlpack(array)
        if hasattr(array, "__array__"):
            return np.asarray(array)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise DTypeError(
            f"cannot read {name} of type {type(array).__name__}: {error} [ARG1]"
        ) from None
    raise DTypeError(
        f"expected {name} to be a NumPy array, a PyTorch tensor or an array with "
        f"__dlpack__ or __array__, found {type(array).__name__} [ARG1]"
    )


def new_output(x: Any, shape: tuple[int, int], dtype: str) -> Any:
    """An array for y of the library that `x` is of."""
    if is_torch(x):
        return x.new_empty(shape, dtype=torch_dtype(dtype))
    return np.empty(shape, numpy_dtype(dtype))


def run(record: LaunchRecord, arrays: Mapping[str, Any], out: Any) -> None:
    """Writes the product of `arrays` into `out`; both lie in host memory.

    Raises the errors of a launch, and TargetError if this CPU cannot run the code.
    """
    buffers = {name: describe(array, name) for name, array in arrays.items()}
    buffers["y"] = describe(out, "out")
    for name, buffer in buffers.items():
        if buffer.device is not None:
            raise LaunchError(
                f"expected all arguments in host memory for the target {record.target}, "
                f"found {name} on CUDA device {buffer.device} [ARG5]"
            )
    symbols = bind(record, buffers)
    blocks = record.blocks(symbols)
    if 0 in blocks:
        return
    function = load(record)
    views = [view(a, with_one(a, buffers[a.name])) for a in record.arguments]
    m, n = buffers["y"].shape
    tiles = (record.grid[0][1], record.grid[1][1])
    parts = _parts(blocks, tiles, (m, n), buffers["x"].shape[1])
    _share(parts, lambda part: function(views, part))


def load(record: LaunchRecord) -> Function:
    """The function of a record, ready to be called."""
    if not is_cpu_code_for(record.target, host_cpu_target()):
        raise TargetError(
            f"kernel {record.kernel} was compiled for {record.target}, the CPU of this "
            f"machine has {host_cpu_target() or 'none of the known levels'}; compile it "
            "here with target='cpu' [TARGET4]"
        )
    assert record.library is not None
    return load_function(record.library, record.kernel)


def thread_count() -> int:
    """Threads that share a product: WNA16_THREADS, or all cores of this process."""
    return settings.current().threads or len(os.sched_getaffinity(0))


def _parts(
    blocks: tuple[int, ...], tiles: tuple[int, int], size: tuple[int, int], k: int
) -> list[tuple[int, int, int, int]]:
    """Bounds (m0, m1, n0, n1) of the parts of y, along whole blocks."""
    wanted = thread_count() * _PARTS_PER_THREAD
    if thread_count() == 1:
        wanted = 1
    # Columns first: every part of the rows expands the weights again.
    columns = min(blocks[1], wanted, max(1, size[1] * k // _LEAST_WEIGHTS))
    rows = min(blocks[0], -(-wanted // columns))
    return [
        (*row, *column)
        for row in _cut(blocks[0], rows, tiles[0], size[0])
        for column in _cut(blocks[1], columns, tiles[1], size[1])
    ]


def _cut(blocks: int, parts: int, tile: int, end: int) -> list[tuple[int, int]]:
    bounds = [min(blocks * i // parts * tile, end) for i in range(parts)] + [end]
    return list(itertools.pairwise(bounds))


class _Pool:
    """Threads beside the caller's; made when first needed, also after a fork."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._threads: ThreadPoolExecutor | None = None
        self._size = 0
        os.register_at_fork(after_in_child=self._forget)

    def _forget(self) -> None:
        self._lock = threading.Lock()
        self._threads, self._size = None, 0

    def get(self, size: int) -> ThreadPoolExecutor:
        with self._lock:
            if self._threads is None or self._size < size:
                self._threads = ThreadPoolExecutor(size, thread_name_prefix="wna16")
                self._size = size
            return self._threads


_pool = _Pool()


def _share(parts: list[tuple[int, int, int, int]], call: Any) -> None:
    """Calls `call` with every part, in this thread and others."""
    left = iter(parts)

    def work() -> None:
        for part in left:  # the next one is taken under Python's lock
            call(part)

    helpers = min(thread_count(), len(parts)) - 1
    if helpers < 1:
        return work()
    running = [_pool.get(helpers).submit(work) for _ in range(helpers)]
    work()
    for each in running:
        # One that has not begun has nothing left to do.
        if not each.cancel():
            each.result()
