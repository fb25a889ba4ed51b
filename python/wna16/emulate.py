"""Runs a kernel without a GPU: the emulator executes the very PTX text.

The emulator is a program; arrays travel as raw files in a temporary folder.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from . import toolchain
from .arguments import evaluate
from .artifact import LaunchRecord
from .buffers import bind, describe
from .dtypes import numpy_dtype
from .errors import LaunchError


def run(record: LaunchRecord, arrays: Mapping[str, np.ndarray]) -> np.ndarray:
    """Runs one launch on host arrays; returns the written argument, newly allocated.

    `arrays` has every argument that is read. Raises the same errors as a launch on
    a GPU, and CompileError if the emulator finds a fault in the kernel.
    """
    written = [a for a in record.arguments if a.access == "write" and a.is_buffer]
    if len(written) != 1:
        raise LaunchError(
            f"{record.path}: expected one written argument, found "
            f"{[a.name for a in written]}"
        )
    result = written[0]
    rows = {
        a.shape[0]: arrays[a.name].shape[0]
        for a in record.arguments
        if a.name in arrays and a.shape and isinstance(a.shape[0], str)
    }
    shape = tuple(rows[e] if isinstance(e, str) else e for e in result.shape)
    output = np.empty(shape, numpy_dtype(result.dtype))
    described = {name: describe(array, name) for name, array in arrays.items()}
    symbols = bind(record, {**described, result.name: describe(output, result.name)})
    if 0 in record.blocks(symbols):
        return output

    folder = Path(tempfile.mkdtemp(prefix="wna16-run-"))
    inputs = _write_inputs(record, arrays, symbols, folder)
    out = folder / f"{result.name}.out.bin"
    # After an error the files stay: its last line is a command that reads them.
    toolchain.run_kernel(record.path, symbols, inputs, {result.name: out})
    data = np.fromfile(out, output.dtype)
    shutil.rmtree(folder, ignore_errors=True)
    return data[: output.size].reshape(shape)


def _write_inputs(
    record: LaunchRecord,
    arrays: Mapping[str, np.ndarray],
    symbols: Mapping[str, int],
    folder: Path,
) -> dict[str, Path]:
    """One raw file per array, laid out as the kernel will find it in memory."""
    files = {}
    for argument in record.arguments:
        if argument.is_buffer and argument.name in arrays:
            array = arrays[argument.name]
            pitch = argument.strides[0] if argument.strides else None
            if isinstance(pitch, str):
                array = _with_pitch(np.atleast_2d(array), evaluate(pitch, symbols))
            files[argument.name] = folder / f"{argument.name}.bin"
            files[argument.name].write_bytes(np.ascontiguousarray(array).tobytes())
    return files


def _with_pitch(array: np.ndarray, pitch: int) -> np.ndarray:
    """A 2-D array whose rows lie `pitch` elements apart, as whole memory."""
    rows, columns = array.shape
    if pitch == columns:
        return array
    # What lies between rows must not matter: it is filled with NaN.
    memory = np.full((rows, pitch), np.nan, array.dtype)
    memory[:, :columns] = array
    return memory
