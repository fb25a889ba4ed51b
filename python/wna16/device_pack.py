"""Repacks arrays that lie on a GPU, by a kernel that is compiled for their shape.

One launch per array, without a copy to the host. The kernel is that of wna16.repack, so
what it writes is what the packer for CPUs writes, bit for bit.
"""

from __future__ import annotations

import functools
import sys
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from . import build
from .artifact import LaunchRecord
from .buffers import Buffer, current_stream, describe, is_torch, torch_dtype
from .errors import DTypeError, ShapeError
from .launch import DeviceKernels
from .runtime import Storage, runtime
from .targets import target_of_capability

_CUDA = 2  # kDLCUDA

_TEMPLATE = """\
func.func @{name}(%x: {source}) -> {target} {{
  %y = wna16.repack %x : {source} to {target}
  return %y : {target}
}}
"""


def on_device(array: Any) -> Any:
    """`array` if CUDA can read it, as something that describe() takes; else None."""
    if isinstance(array, np.ndarray):
        return None
    if is_torch(array):
        return array if array.device.type == "cuda" else None
    if hasattr(array, "__cuda_array_interface__"):
        return array
    where = getattr(array, "__dlpack_device__", None)
    if where is None or where()[0] != _CUDA:
        return None
    torch = sys.modules.get("torch")
    if torch is None:
        raise DTypeError(
            f"an array of type {type(array).__name__} on a GPU is read through PyTorch, "
            "which has not been imported; import torch, or pass an array with "
            "__cuda_array_interface__ [PACK1]"
        )
    return torch.from_dlpack(array)


def repack(
    array: Any, dtype: str, source: Storage, target: Storage, shape: tuple[int, int], out: Any
) -> Any:
    """Puts the launch on PyTorch's current stream and does not wait.

    `dtype` is that of both arrays; `out` is made if None, which needs PyTorch.
    """
    _check(source, target, shape)
    if is_torch(array):
        array = array.contiguous()
    if out is None:
        if not is_torch(array):
            raise DTypeError(
                f"pass out=: an output of type {type(array).__name__} cannot be made "
                "here [PACK1]"
            )
        out = array.new_empty(item_count(target), dtype=torch_dtype(dtype))
    buffers = {
        "x": _in_rows(describe(array, "x"), source),
        "y": _in_rows(describe(out, "y"), target),
    }
    device = buffers["x"].device
    assert device is not None  # on_device() has seen it
    chip = target_of_capability(*runtime().device(device).capability)
    record, kernels = _kernels(source, target, dtype, chip)
    stream = current_stream(array)
    kernels.get(record, device, stream).launch(buffers, stream)
    return out


def kernel_name(source: Storage, target: Storage, dtype: str) -> str:
    """The entry point's name; it is what profilers show."""
    what = dtype if source.bits == 16 else f"w{source.bits}"
    parts = ["wna16_repack", source.layout, "to", target.layout, what]
    parts.append("x".join(map(str, source.shape)))
    if target.bits != source.bits:
        parts.append(f"w{target.bits}")
    if target.shape != source.shape:
        parts.append("x".join(map(str, target.shape)))
    return "_".join(parts)


def module_text(source: Storage, target: Storage, dtype: str) -> str:
    return _TEMPLATE.format(
        name=kernel_name(source, target, dtype),
        source=_type(source, dtype),
        target=_type(target, dtype),
    )


def _type(storage: Storage, dtype: str) -> str:
    rows, columns = storage.shape
    element = dtype if storage.bits == 16 else f"!wna16.code<{storage.bits}>"
    if storage.layout == "row_major":
        return f"tensor<{rows}x{columns}x{element}>"
    return f"tensor<{rows}x{columns}x{element}, #wna16.layout<{storage.layout}>>"


@functools.cache
def _kernels(
    source: Storage, target: Storage, dtype: str, chip: str
) -> tuple[LaunchRecord, DeviceKernels]:
    text = module_text(source, target, dtype)
    record = build.compiled(text, kernel_name(source, target, dtype), chip)
    return record, DeviceKernels(lambda: (record,))


def _check(source: Storage, target: Storage, shape: tuple[int, int]) -> None:
    """What the packer for CPUs can and a kernel cannot."""
    for storage in (source, target):
        runtime().storage_bytes(storage)  # raises if there is none of this shape
        if storage.layout == "row_major" and storage.bits != 16:
            raise DTypeError(
                "expected codes on a GPU to be words of a packed layout, found row_major; "
                "plain codes are packed as a NumPy array [PACK3]"
            )
    if target.bits < source.bits:
        raise ShapeError(
            f"expected codes on a GPU to keep their width or become wider, found "
            f"{source.bits} to {target.bits} bits; a code that does not fit would not be "
            "noticed there, repack them as a NumPy array [PACK3]"
        )
    common = tuple(map(min, source.shape, target.shape))
    if shape != common:
        raise ShapeError(
            f"expected a matrix on a GPU to fill the smaller one of its two storages, "
            f"{common[0]} x {common[1]}, found {shape[0]} x {shape[1]} [PACK3]"
        )


def item_count(storage: Storage) -> int:
    """Words of codes, or elements of scales."""
    if storage.bits == 16:
        return prod(storage.shape)
    return runtime().storage_bytes(storage) // 4


def _in_rows(buffer: Buffer, storage: Storage) -> Buffer:
    """A contiguous array of any shape as the matrix that the kernel takes, if it is one."""
    rows, columns = storage.shape
    flat = len(buffer.shape) == 1 and (buffer.strides[0] == 1 or buffer.shape[0] == 1)
    if storage.layout != "row_major" or not flat or buffer.shape[0] != rows * columns:
        return buffer
    return replace(buffer, shape=(rows, columns), strides=(columns, 1))
