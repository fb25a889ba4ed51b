"""Repacks weights and scales between storage layouts, on all cores.

Which element goes where is known to lib/Layout alone; this is a typed call into
libwna16rt.so.
"""

from __future__ import annotations

import numpy as np

from .dtypes import FLOAT16, dtype_name
from .errors import DTypeError, ShapeError
from .problem import as_int
from .runtime import runtime


def repack_weights(
    words: np.ndarray,
    k: int,
    n: int,
    *,
    source: str,
    target: str = "marlin",
    bits: int = 4,
    threads: int = 0,
) -> np.ndarray:
    """Codes of a [K, N] weight from one layout to another.

    Args:
        words: int32 words in layout `source` ("compressed_tensors", "gptq", ...), of
            any shape.
        k, n: logical shape, in codes.
        threads: 0 uses all cores.

    Returns:
        int32 words in layout `target`, one-dimensional.

    Raises:
        DTypeError: the words are not an int32 array, or a size is not an integer.
        ShapeError: wrong number of words, or a layout that does not allow this shape.
    """
    _check_array(words, "words")
    if words.dtype != np.int32:
        raise DTypeError(f"expected int32 words, found {words.dtype} [PACK1]")
    return _repack(words, (k, n), bits, source, target, threads)


def repack_scales(
    scales: np.ndarray,
    groups: int,
    n: int,
    *,
    source: str = "compressed_tensors_scales",
    target: str = "marlin_scales",
    threads: int = 0,
) -> np.ndarray:
    """Scales of a [K / group, N] matrix from one layout to another.

    `scales` is float16 or bfloat16 (of ml_dtypes) in layout `source`, of any shape;
    the result is one-dimensional and of the same dtype. Raises like repack_weights.
    """
    _check_array(scales, "scales")
    if dtype_name(scales.dtype) not in FLOAT16:
        raise DTypeError(
            f"expected float16 or bfloat16 scales, found {scales.dtype} [PACK1]"
        )
    return _repack(scales, (groups, n), 16, source, target, threads)


def _repack(
    array: np.ndarray,
    shape: tuple[int, int],
    bits: int,
    source: str,
    target: str,
    threads: int,
) -> np.ndarray:
    shape = (_integer(shape[0], "rows"), _integer(shape[1], "columns"))
    bits, threads = _integer(bits, "bits"), _integer(threads, "threads")
    for name, layout in (("source", source), ("target", target)):
        if not isinstance(layout, str):
            raise DTypeError(
                f"expected {name} to be the name of a layout, found {layout!r} [PACK1]"
            )
    # Below this, every number of bytes and bits fits the library's 64-bit integers.
    if min(shape) <= 0 or max(shape) >= 2**31 or not 0 <= threads < 2**31:
        raise ShapeError(
            f"expected a matrix of 1 to 2^31 - 1 rows and columns and threads from 0, "
            f"found {shape[0]} x {shape[1]} and {threads} threads [PACK2]"
        )
    library = runtime()
    array = np.ascontiguousarray(array)
    wanted = library.storage_bytes(source, *shape, bits)
    if array.nbytes != wanted:
        raise ShapeError(
            f"expected {wanted} bytes for a {shape[0]} x {shape[1]} matrix in layout "
            f"{source}, found {array.nbytes} bytes [PACK2]"
        )
    size = library.storage_bytes(target, *shape, bits)
    result = np.zeros(size // array.itemsize, array.dtype)
    library.repack(
        source,
        target,
        *shape,
        bits,
        (array.ctypes.data, array.nbytes),
        (result.ctypes.data, result.nbytes),
        threads,
    )
    return result


def _check_array(array: object, name: str) -> None:
    if not isinstance(array, np.ndarray) or np.ma.isMaskedArray(array):
        raise DTypeError(
            f"expected {name} to be a NumPy array without a mask, found "
            f"{type(array).__name__} [PACK1]"
        )


def _integer(value: object, name: str) -> int:
    number = as_int(value)
    if number is None:
        raise DTypeError(f"expected {name} to be an integer, found {value!r} [PACK1]")
    return number
