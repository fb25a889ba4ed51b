"""Repacks weights, zero points and scales between storage layouts, where they lie.

NumPy arrays are repacked on all cores. Arrays on a GPU (PyTorch's, and what has
__cuda_array_interface__ or __dlpack__) are repacked there, by a kernel that is compiled
for their shape, on PyTorch's current stream; the call does not wait. Which element goes
where is known to lib/Layout alone. In all of the functions:

- the layout `row_major` means plain elements: codes as uint8, scales as they are;
- `source_shape` and `target_shape` are the logical shapes of storages that are
  larger than the matrix (padded). What the source has beyond the matrix is not
  read, what the target has beyond it is 0;
- `threads` = 0 uses all cores;
- `out` takes the result of an array on a GPU. It is made if None, as a PyTorch tensor.

On a GPU there are no plain codes, none that become narrower, and the matrix fills the
smaller of its two storages.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import device_pack
from .buffers import describe
from .dtypes import FLOAT16, dtype_name
from .errors import DTypeError, ShapeError
from .problem import as_int, zero_bits
from .runtime import Storage, runtime

Shape = tuple[int, int]


def repack_weights(
    words: Any,
    k: int,
    n: int,
    *,
    source: str,
    target: str = "marlin",
    bits: int = 4,
    source_shape: Shape | None = None,
    target_shape: Shape | None = None,
    threads: int = 0,
    out: Any = None,
) -> Any:
    """Codes of a [K, N] weight from one layout to another.

    Args:
        words: int32 words in layout `source` ("compressed_tensors", "gptq", "awq",
            "marlin"), or uint8 codes ("row_major"), of any shape.
        k, n: logical shape, in codes.
        bits: of a code, 1 to 8.

    Returns:
        One-dimensional int32 words in layout `target`, or uint8 codes [K, N].

    Raises:
        DTypeError: the words are not an array of that type, or a size is not an
            integer.
        ShapeError: wrong number of words, a layout that does not allow this shape, or
            a code that does not fit `bits`.
    """
    bits = _bits(bits)
    widths = (8 if source == "row_major" else bits, 8 if target == "row_major" else bits)
    shapes = ((k, n), source_shape, target_shape)
    return _repack_codes(words, "words", (source, target), widths, shapes, threads, out)


def repack_zeros(
    words: Any,
    groups: int,
    n: int,
    *,
    source: str,
    target: str = "marlin_zeros",
    bits: int = 4,
    source_shape: Shape | None = None,
    target_shape: Shape | None = None,
    threads: int = 0,
    out: Any = None,
) -> Any:
    """Zero points of a [K / group, N] matrix from one layout to another.

    `bits` is the width of the weights. Checkpoints store zero points with as many;
    those of "marlin_zeros" have 4 or 8 (`zero_bits`). Otherwise like repack_weights.
    """
    bits = _bits(bits)

    def width(layout: object) -> int:
        return {"row_major": 8, "marlin_zeros": zero_bits(bits)}.get(str(layout), bits)

    widths = (width(source), width(target))
    shapes = ((groups, n), source_shape, target_shape)
    return _repack_codes(words, "zeros", (source, target), widths, shapes, threads, out)


def repack_scales(
    scales: Any,
    groups: int,
    n: int,
    *,
    source: str = "compressed_tensors_scales",
    target: str = "marlin_scales",
    source_shape: Shape | None = None,
    target_shape: Shape | None = None,
    threads: int = 0,
    out: Any = None,
) -> Any:
    """Scales of a [K / group, N] matrix, or a bias (one row), to another layout.

    Layers that vLLM has repacked for Marlin have grouped scales in "marlin_scales";
    scales of one group, and the bias, are in "marlin_channel_scales".

    `scales` is float16 or bfloat16 (of ml_dtypes) in layout `source`, of any shape;
    the result is one-dimensional and of the same dtype. Raises like repack_weights.
    """
    shapes = ((groups, n), source_shape, target_shape)
    on_device = device_pack.on_device(scales)
    if on_device is not None:
        dtype = describe(on_device, "scales").dtype
        if dtype not in FLOAT16:
            raise DTypeError(f"expected f16 or bf16 scales, found {dtype} [PACK1]")
        storages = _storages((source, target), (16, 16), shapes)
        return device_pack.repack(on_device, dtype, *storages, out)
    _check_array(scales, "scales", out)
    if dtype_name(scales.dtype) not in FLOAT16:
        raise DTypeError(
            f"expected float16 or bfloat16 scales, found {scales.dtype} [PACK1]"
        )
    return _repack(scales, (source, target), (16, 16), shapes, scales.dtype, threads)


def _repack_codes(
    words: np.ndarray,
    name: str,
    layouts: tuple[str, str],
    widths: tuple[int, int],
    shapes: tuple[Shape, Shape | None, Shape | None],
    threads: int,
    out: Any,
) -> Any:
    on_device = device_pack.on_device(words)
    if on_device is not None:
        storages = _storages(layouts, widths, shapes)
        return device_pack.repack(on_device, "i32", *storages, out)
    _check_array(words, name, out)
    wanted = np.uint8 if layouts[0] == "row_major" else np.int32
    if words.dtype != wanted:
        raise DTypeError(
            f"expected {np.dtype(wanted)} {name}, found {words.dtype} [PACK1]"
        )
    plain = layouts[1] == "row_major"
    dtype = np.dtype(np.uint8 if plain else np.int32)
    result = _repack(words, layouts, widths, shapes, dtype, threads)
    return result.reshape(shapes[2] or shapes[0]) if plain else result


def _repack(
    array: np.ndarray,
    layouts: tuple[str, str],
    widths: tuple[int, int],
    shapes: tuple[Shape, Shape | None, Shape | None],
    dtype: np.dtype,
    threads: int,
) -> np.ndarray:
    source, target, shape = _storages(layouts, widths, shapes)
    threads = _integer(threads, "threads")
    if not 0 <= threads < 2**31:
        raise ShapeError(f"expected threads from 0, found {threads} threads [PACK2]")
    library = runtime()
    # The library's buffers are whole words; single elements may leave a rest.
    size = library.storage_bytes(source)
    wanted = _bytes(source, size)
    if array.nbytes != wanted:
        raise ShapeError(
            f"expected {wanted} bytes for a {source.shape[0]} x {source.shape[1]} matrix "
            f"in layout {source.layout}, found {array.nbytes} bytes [PACK2]"
        )
    given = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    if given.nbytes != size or given.ctypes.data % 4:
        given = np.resize(given, size)
    size = library.storage_bytes(target)
    result = np.empty(size, np.uint8)
    library.repack(
        source,
        (given.ctypes.data, given.nbytes),
        target,
        (result.ctypes.data, result.nbytes),
        shape,
        threads,
    )
    return result[: _bytes(target, size)].view(dtype)


def _storages(
    layouts: tuple[str, str],
    widths: tuple[int, int],
    shapes: tuple[Shape, Shape | None, Shape | None],
) -> tuple[Storage, Storage, Shape]:
    """Source, target and the matrix in both."""
    shape = _shape(shapes[0])
    for name, layout in zip(("source", "target"), layouts, strict=True):
        if not isinstance(layout, str):
            raise DTypeError(
                f"expected {name} to be the name of a layout, found {layout!r} [PACK1]"
            )
    source, target = (
        Storage(layout, shape if padded is None else _shape(padded), bits)
        for layout, padded, bits in zip(layouts, shapes[1:], widths, strict=True)
    )
    return source, target, shape


def _bytes(storage: Storage, words: int) -> int:
    """Bytes of an array in this storage, whose words have `words` bytes."""
    if storage.bits in (8, 16) and storage.layout in _UNPACKED:
        return storage.shape[0] * storage.shape[1] * storage.bits // 8
    return words


#: Layouts of plain elements, not of words.
_UNPACKED = frozenset(
    {"row_major", "marlin_scales", "marlin_channel_scales", "compressed_tensors_scales"}
)


def _check_array(array: object, name: str, out: object) -> None:
    if out is not None:
        raise DTypeError("expected out= with an array on a GPU only [PACK1]")
    if not isinstance(array, np.ndarray) or np.ma.isMaskedArray(array):
        raise DTypeError(
            f"expected {name} to be a NumPy array without a mask, found "
            f"{type(array).__name__} [PACK1]"
        )


def _bits(value: object) -> int:
    bits = _integer(value, "bits")
    if not 1 <= bits <= 8:
        raise ShapeError(f"expected codes of 1 to 8 bits, found {bits} bits [PACK2]")
    return bits


def _shape(value: object) -> Shape:
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise DTypeError(f"expected a shape to be two integers, found {value!r} [PACK1]")
    rows, columns = _integer(value[0], "rows"), _integer(value[1], "columns")
    # Below this, every number of bytes and bits fits the library's 64-bit integers.
    if min(rows, columns) <= 0 or max(rows, columns) >= 2**31:
        raise ShapeError(
            f"expected a matrix of 1 to 2^31 - 1 rows and columns, found "
            f"{rows} x {columns} [PACK2]"
        )
    return rows, columns


def _integer(value: object, name: str) -> int:
    number = as_int(value)
    if number is None:
        raise DTypeError(f"expected {name} to be an integer, found {value!r} [PACK1]")
    return number
