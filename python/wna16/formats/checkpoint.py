"""Reads config.json and safetensors files; knows no quantization format.

safetensors files are opened lazily: a tensor is read only when it is asked for.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open

from ..dtypes import numpy_dtype
from ..errors import CheckpointError, DTypeError

_CONFIG = "config.json"
_INDEX = "model.safetensors.index.json"
_SINGLE = "model.safetensors"

#: safetensors' names of the element types that NumPy has.
_NUMPY_DTYPES = {"F16", "BF16", "F32", "F64", "I8", "I16", "I32", "I64", "U8", "BOOL"}


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object; raises CheckpointError if the file is missing or not one."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CheckpointError(f"{path} does not exist [CKPT1]") from None
    except (OSError, ValueError, RecursionError) as error:
        raise CheckpointError(f"cannot read {path}: {error} [CKPT1]") from None
    if not isinstance(data, dict):
        raise CheckpointError(f"{path} is not a JSON object [CKPT1]")
    return data


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint folder, or one safetensors file with config.json beside it."""

    folder: Path
    #: The file that was named, if it was a file.
    file: Path | None

    @staticmethod
    def at(path: str | Path) -> "Checkpoint":
        if not isinstance(path, (str, os.PathLike)):
            raise CheckpointError(
                f"expected the path of a checkpoint, found {path!r} of type "
                f"{type(path).__name__} [CKPT1]"
            )
        path = Path(path)
        if path.is_dir():
            return Checkpoint(path, None)
        if not path.exists():
            raise CheckpointError(f"{path} does not exist [CKPT1]")
        return Checkpoint(path.parent, path)

    def config(self) -> dict[str, Any]:
        """The content of config.json."""
        return read_json(self.folder / _CONFIG)

    def files(self) -> dict[str, Path]:
        """Tensor name -> file that holds it."""
        index = self.folder / _INDEX
        if self.file is None and index.is_file():
            weight_map = read_json(index).get("weight_map")
            if not isinstance(weight_map, dict):
                raise CheckpointError(f"{index} has no weight_map [CKPT1]")
            for name, file in weight_map.items():
                if not isinstance(file, str):
                    raise CheckpointError(
                        f"{index}: expected the file name of tensor {name}, found "
                        f"{file!r} [CKPT1]"
                    )
            return {name: self.folder / file for name, file in weight_map.items()}
        file = self.file or self.folder / _SINGLE
        with _open(file) as handle:
            return {name: file for name in handle.keys()}


def read_tensor(file: Path, name: str) -> np.ndarray:
    """One tensor; raises CheckpointError, or DTypeError if NumPy has no such type."""
    with _open(file) as handle:
        if name not in handle.keys():
            raise CheckpointError(f"{file} has no tensor {name} [CKPT2]")
        dtype = handle.get_slice(name).get_dtype()
        if dtype not in _NUMPY_DTYPES:
            raise DTypeError(
                f"{name} has dtype {dtype}; expected one of F16, BF16 (scales), I32 (words) "
                "or I64 (shapes) [CKPT3]"
            )
        if dtype == "BF16":
            numpy_dtype("bf16")  # safetensors looks it up among NumPy's registered types
        return handle.get_tensor(name)


def _open(file: Path) -> Any:
    try:
        return safe_open(file, framework="numpy")
    except FileNotFoundError:
        raise CheckpointError(f"{file} does not exist [CKPT1]") from None
    except (OSError, SafetensorError) as error:
        raise CheckpointError(
            f"{file} is not a whole safetensors file: {error}; copy or download it "
            "again [CKPT1]"
        ) from None
