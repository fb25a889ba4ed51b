"""Arrays of any library, seen as a pointer with a shape; and their checks.

describe() reads NumPy arrays, PyTorch tensors and whatever else has
__cuda_array_interface__ (CuPy, Numba). It imports none of these libraries: an
array of theirs can only exist if they are already there. bind() compares
described arrays with a launch record and solves for its symbols.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .arguments import ITEM_BYTES, Argument, Extent
from .artifact import LaunchRecord
from .dtypes import dtype_name
from .errors import DTypeError, ShapeError

_TYPESTR = {
    "<f2": "f16",
    "<f4": "f32",
    "<f8": "f64",
    "|i1": "i8",
    "<i2": "i16",
    "<i4": "i32",
    "<i8": "i64",
}
_TORCH = {
    "torch.float16": "f16",
    "torch.bfloat16": "bf16",
    "torch.float32": "f32",
    "torch.float64": "f64",
    "torch.int8": "i8",
    "torch.int16": "i16",
    "torch.int32": "i32",
    "torch.int64": "i64",
}


@dataclass(frozen=True)
class Buffer:
    """An array: address, shape and strides in elements, where it lies.

    `device` is the CUDA device number, or None for host memory.
    """

    pointer: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    device: int | None


def is_torch(array: Any) -> bool:
    """Whether `array` is a PyTorch tensor, without importing PyTorch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(array, torch.Tensor)


def torch_dtype(name: str) -> Any:
    """PyTorch's type of that name; PyTorch has been imported by somebody."""
    text = next(text for text, known in _TORCH.items() if known == name)
    return getattr(sys.modules["torch"], text.removeprefix("torch."))


def current_stream(array: Any) -> int:
    """The CUstream that PyTorch works on where `array` is; 0 for other libraries."""
    if not is_torch(array):
        return 0
    torch = sys.modules["torch"]
    return int(torch.cuda.current_stream(array.device).cuda_stream)


def describe(array: Any, name: str) -> Buffer:
    """Reads an array; raises DTypeError if `array` is not one. `name` is for errors."""
    if is_torch(array):
        return _describe_torch(array, name)
    if isinstance(array, np.ndarray):
        if np.ma.isMaskedArray(array):
            raise DTypeError(
                f"expected {name} without a mask, found a masked array; fill it, for "
                f"example with {name}.filled(0) [ARG1]"
            )
        if not array.dtype.isnative:
            raise DTypeError(f"expected {name} in native byte order [ARG1]")
        interface = dict(array.__array_interface__, typestr=dtype_name(array.dtype))
        return _describe_interface(interface, name, None)
    interface = getattr(array, "__cuda_array_interface__", None)
    if interface is not None:
        device = getattr(array, "device", 0)
        try:
            number = int(getattr(device, "id", device))
            return _describe_interface(interface, name, number)
        except (KeyError, IndexError, AttributeError, TypeError) as error:
            raise DTypeError(
                f"{name}: __cuda_array_interface__ of {type(array).__name__} is "
                f"incomplete: {error!r} [ARG1]"
            ) from None
    raise DTypeError(
        f"expected {name} to be a NumPy array, a PyTorch tensor or an array with "
        f"__cuda_array_interface__, found {type(array).__name__} [ARG1]"
    )


def _describe_torch(tensor: Any, name: str) -> Buffer:
    kind = tensor.device.type
    if kind not in ("cuda", "cpu"):
        raise DTypeError(f"expected {name} on a CUDA device, found {tensor.device} [ARG5]")
    dtype = str(tensor.dtype)
    return Buffer(
        pointer=tensor.data_ptr(),
        shape=tuple(tensor.shape),
        strides=tuple(tensor.stride()),
        dtype=_TORCH.get(dtype, dtype),
        device=(tensor.device.index or 0) if kind == "cuda" else None,
    )


def _describe_interface(
    interface: Mapping[str, Any], name: str, device: int | None
) -> Buffer:
    shape = tuple(interface["shape"])
    dtype = _TYPESTR.get(interface["typestr"], interface["typestr"])
    strides = _contiguous(shape)
    if interface.get("strides") is not None:
        size = ITEM_BYTES.get(dtype, 1)
        if any(s % size for s in interface["strides"]):
            raise ShapeError(
                f"expected strides of {name} in whole elements, found "
                f"{interface['strides']} bytes [ARG3]"
            )
        strides = tuple(s // size for s in interface["strides"])
    return Buffer(interface["data"][0], shape, strides, dtype, device)


def bind(record: LaunchRecord, buffers: Mapping[str, Buffer]) -> dict[str, int]:
    """Checks buffers against a record; returns the value of every symbol.

    Raises DTypeError or ShapeError naming the first argument that does not fit.
    """
    symbols: dict[str, int] = {}
    buffers = dict(buffers)
    for argument in record.arguments:
        if not argument.is_given:
            continue
        if argument.name not in buffers:
            raise ShapeError(f"argument {argument.name} is missing [ARG6]")
        buffer = buffers[argument.name] = with_one(argument, buffers[argument.name])
        _check_dtype(argument, buffer)
        if argument.layout == "row_major":
            _check_shape(argument, buffer, symbols)
        else:
            _check_packed(argument, buffer)
    # Strides come second: whether one matters depends on the shape.
    for argument in record.arguments:
        if argument.is_given:
            if argument.layout == "row_major":
                _check_strides(record, argument, buffers[argument.name], symbols)
            check_alignment(argument, buffers[argument.name])
    record.check_symbols(symbols)
    return symbols


def with_one(argument: Argument, buffer: Buffer) -> Buffer:
    """An array without a dimension that has one element for the kernel: a bias is the only
    row of a matrix, slots are the only column of one."""
    if len(buffer.shape) + 1 != len(argument.shape) or 1 not in argument.shape:
        return buffer
    at = argument.shape.index(1)
    shape, strides = list(buffer.shape), list(buffer.strides)
    shape.insert(at, 1)
    strides.insert(at, shape[at + 1] * strides[at] if at < len(strides) else 1)
    return replace(buffer, shape=tuple(shape), strides=tuple(strides))


def _check_dtype(argument: Argument, buffer: Buffer) -> None:
    if buffer.dtype != argument.dtype:
        raise DTypeError(
            f"expected {argument.name} of dtype {argument.dtype}, found "
            f"{buffer.dtype} [ARG1]"
        )


def _check_shape(argument: Argument, buffer: Buffer, symbols: dict[str, int]) -> None:
    if len(buffer.shape) == len(argument.shape) and all(
        _solve(wanted, found, symbols)
        for wanted, found in zip(argument.shape, buffer.shape)
    ):
        return
    known = [f"{e} = {symbols[e]}" for e in argument.shape if e in symbols]
    raise ShapeError(
        f"expected {argument.name} of shape {_text(argument.shape)}"
        f"{' with ' + ', '.join(known) if known else ''}, found "
        f"{_text(buffer.shape)} [ARG2]"
    )


def _check_packed(argument: Argument, buffer: Buffer) -> None:
    wanted = 1
    for extent in argument.shape:
        wanted *= int(extent)
    found = 1
    for extent in buffer.shape:
        found *= extent
    if wanted != found:
        raise ShapeError(
            f"expected {argument.name} to hold {wanted} elements ({argument.layout} "
            f"storage of a {_text(argument.logical_shape)} matrix), found "
            f"{found} in shape {_text(buffer.shape)} [ARG2]"
        )
    if not _same_strides(buffer.shape, buffer.strides, _contiguous(buffer.shape)):
        raise ShapeError(
            f"expected {argument.name} to be contiguous, found strides "
            f"{_text(buffer.strides)} [ARG3]"
        )


def _check_strides(
    record: LaunchRecord, argument: Argument, buffer: Buffer, symbols: dict[str, int]
) -> None:
    wanted = argument.strides
    if wanted is None:
        wanted = _contiguous(buffer.shape)
    empty = 0 in buffer.shape
    for extent, size, found in zip(wanted, buffer.shape, buffer.strides):
        if size <= 1 or empty:
            # Never stepped along, so any value the kernel takes will do.
            if isinstance(extent, str) and extent not in symbols:
                rule = record.symbols[extent]
                symbols[extent] = -(-rule.min // rule.multiple_of) * rule.multiple_of
        elif not _solve(extent, found, symbols):
            raise ShapeError(
                f"expected {argument.name} with strides {_text(wanted)}, found "
                f"{_text(buffer.strides)} (elements); make it contiguous [ARG3]"
            )


def check_alignment(argument: Argument, buffer: Buffer) -> None:
    """Raises ShapeError if the address is not a multiple of what the record says."""
    if buffer.pointer % argument.alignment:
        raise ShapeError(
            f"expected {argument.name} at an address that is a multiple of "
            f"{argument.alignment} bytes, found {buffer.pointer:#x}; copy it into a "
            "new array [ARG4]"
        )


def _solve(wanted: Extent, found: int, symbols: dict[str, int]) -> bool:
    if isinstance(wanted, str):
        return symbols.setdefault(wanted, found) == found
    return wanted == found


def _same_strides(
    shape: tuple[int, ...], found: tuple[int, ...], wanted: tuple[int, ...]
) -> bool:
    return all(f == w for size, f, w in zip(shape, found, wanted) if size > 1)


def _contiguous(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


def _text(extents: tuple[Extent, ...]) -> str:
    return "[" + ", ".join(str(e) for e in extents) + "]"
