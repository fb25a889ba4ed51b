"""Repacks weights and scales between storage layouts, on all cores.

Which element goes where is known to lib/Layout alone; this is a typed call into
libwna16rt.so.
"""

from __future__ import annotations

import numpy as np

from .errors import DTypeError, ShapeError
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
        DTypeError: the words are not int32.
        ShapeError: wrong number of words, or a layout that does not allow this shape.
    """
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

    `scales` has 16-bit elements (float16) in layout `source`, of any shape; the
    result is one-dimensional and of the same dtype. Raises like repack_weights.
    """
    if scales.dtype != np.float16:
        raise DTypeError(f"expected float16 scales, found {scales.dtype} [PACK1]")
    return _repack(scales, (groups, n), 16, source, target, threads)


def _repack(
    array: np.ndarray,
    shape: tuple[int, int],
    bits: int,
    source: str,
    target: str,
    threads: int,
) -> np.ndarray:
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
