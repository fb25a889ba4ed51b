"""Element types by name, as problems and launch records write them, and NumPy's.

NumPy has no bfloat16 of its own. That of ml_dtypes is used, and imported only when
one is asked for: on a GPU, PyTorch's tensors do without it.
"""

from __future__ import annotations

import numpy as np

from .errors import DTypeError

#: Element types of activations and scales.
FLOAT16 = ("f16", "bf16")
#: Element types of outputs and biases.
FLOATS = ("f16", "bf16", "f32")

_NUMPY = {
    "f16": np.dtype(np.float16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
}
_NAMES = {dtype: name for name, dtype in _NUMPY.items()}


def numpy_dtype(name: str) -> np.dtype:
    """NumPy's type of that name; raises DTypeError if there is none."""
    if name != "bf16":
        if name not in _NUMPY:
            raise DTypeError(f"expected one of {', '.join(_NUMPY)}, bf16, found {name!r}")
        return _NUMPY[name]
    try:
        from ml_dtypes import bfloat16
    except ImportError:
        raise DTypeError(
            "NumPy arrays of bf16 need the package ml_dtypes; install it (pip install "
            "ml_dtypes), or pass PyTorch tensors"
        ) from None
    return np.dtype(bfloat16)


def dtype_name(dtype: np.dtype) -> str:
    """The name of one of NumPy's types; NumPy's own text for all others."""
    # An array of ml_dtypes' type says so by name; there is no need to import it.
    if dtype.name == "bfloat16" and dtype.itemsize == 2:
        return "bf16"
    return _NAMES.get(dtype, str(dtype))
