"""Reads config.json and safetensors files; knows no quantization format.

Files are opened lazily: the headers say which tensors there are, and a tensor's
bytes are read only when it is asked for. Nothing here trusts a file: sizes are
bounded, names cannot leave the folder, and pickles are never opened.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable, Iterator
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

#: Files that Python's pickle made; opening one can run any program.
_PICKLES = (".bin", ".pt", ".pth", ".pkl", ".ckpt")

#: Larger JSON files than this are no configuration and no index.
_MAX_JSON_BYTES = 64 << 20
#: The limit of the safetensors package.
_MAX_HEADER_BYTES = 100_000_000

#: safetensors' names of the element types that NumPy has.
_NUMPY_DTYPES = {"F16", "BF16", "F32", "F64", "I8", "I16", "I32", "I64", "U8", "BOOL"}


@dataclass(frozen=True)
class TensorInfo:
    """What the header of a file says about one tensor; dtype as safetensors names it."""

    name: str
    file: Path
    shape: tuple[int, ...]
    dtype: str

    def __str__(self) -> str:
        return f"{self.name} {self.dtype}{list(self.shape)} in {self.file.name}"


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object; raises CheckpointError if the file is missing or not one."""
    try:
        _check_regular(path)
        if path.stat().st_size > _MAX_JSON_BYTES:
            raise CheckpointError(
                f"{path} has {path.stat().st_size} bytes; expected at most "
                f"{_MAX_JSON_BYTES} [CKPT1]"
            )
        data = _parse_json(path.read_bytes())
    except FileNotFoundError:
        raise CheckpointError(f"{path} does not exist [CKPT1]") from None
    except (OSError, ValueError, RecursionError) as error:
        if isinstance(error, CheckpointError):
            raise
        raise CheckpointError(f"cannot read {path}: {error} [CKPT1]") from None
    if not isinstance(data, dict):
        raise CheckpointError(f"{path} is not a JSON object [CKPT1]")
    return data


def _parse_json(text: bytes) -> Any:
    """JSON as its standard has it; a key that stands twice or a NaN is a ValueError."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) != len(pairs):
            seen: set[str] = set()
            twice = next(k for k, _ in pairs if k in seen or seen.add(k))  # type: ignore
            raise ValueError(f"key {twice!r} stands twice in one object")
        return result

    def constant(name: str) -> Any:
        raise ValueError(f"{name} is not a JSON number")

    return json.loads(
        text.decode("utf-8"), object_pairs_hook=unique, parse_constant=constant
    )


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
        try:
            if path.is_dir():
                return Checkpoint(path, None)
            exists = path.exists()
        except (OSError, ValueError) as error:
            raise CheckpointError(f"{path} cannot be opened: {error} [CKPT1]") from None
        if not exists:
            raise CheckpointError(f"{path} does not exist [CKPT1]")
        if path.suffix in _PICKLES:
            raise CheckpointError(_pickle_text([path]))
        return Checkpoint(path.parent, path)

    def config(self) -> dict[str, Any]:
        """The content of config.json."""
        return read_json(self.folder / _CONFIG)

    def files(self) -> dict[str, Path]:
        """Tensor name -> file that holds it, as the index says or else the headers."""
        index = self.folder / _INDEX
        if self.file is None and index.is_file():
            return self._indexed(index)
        file = self._only_file()
        with _open(file) as handle:
            return {name: file for name in handle.keys()}

    def tensors(self) -> dict[str, TensorInfo]:
        """Every tensor, by name, from the headers; reads no tensor.

        Raises CheckpointError if the index and the files do not agree.
        """
        files = self.files()
        found: dict[str, TensorInfo] = {}
        for file in sorted(set(files.values())):
            for info in read_header(file):
                if files.get(info.name, file) != file or info.name in found:
                    raise CheckpointError(
                        f"{file} holds tensor {info.name}, which another file of the "
                        "checkpoint holds too [CKPT1]"
                    )
                if info.name in files:
                    found[info.name] = info
        for name, file in files.items():
            if name not in found:
                raise CheckpointError(
                    f"{self.folder / _INDEX}: expected tensor {name} in {file.name}, "
                    "which has none of that name [CKPT2]"
                )
        return found

    def _indexed(self, index: Path) -> dict[str, Path]:
        weight_map = read_json(index).get("weight_map")
        if not isinstance(weight_map, dict):
            raise CheckpointError(f"{index} has no weight_map [CKPT1]")
        for name, file in weight_map.items():
            if not isinstance(file, str):
                raise CheckpointError(
                    f"{index}: expected the file name of tensor {name}, found "
                    f"{file!r} [CKPT1]"
                )
            if Path(file).name != file or "\0" in file or file == "..":
                raise CheckpointError(
                    f"{index}: expected tensor {name} in a file of the same folder, "
                    f"found {file!r} [CKPT1]"
                )
            if Path(file).suffix in _PICKLES:
                raise CheckpointError(_pickle_text([self.folder / file]))
        return {name: self.folder / file for name, file in weight_map.items()}

    def _only_file(self) -> Path:
        """The file of a checkpoint without an index."""
        single = self.folder / _SINGLE
        if self.file is not None or single.exists():
            return self.file or single
        try:
            names = sorted(self.folder.iterdir())
        except OSError as error:
            raise CheckpointError(f"cannot read {self.folder}: {error} [CKPT1]") from None
        others = [path for path in names if path.suffix == ".safetensors"]
        if len(others) == 1:
            return others[0]
        if others:
            raise CheckpointError(
                f"{self.folder} has {len(others)} safetensors files and no {_INDEX}; "
                "copy the index too, or name one of the files [CKPT1]"
            )
        pickles = [path for path in names if path.suffix in _PICKLES]
        raise CheckpointError(
            _pickle_text(pickles) if pickles else f"{single} does not exist [CKPT1]"
        )


def read_header(file: Path) -> list[TensorInfo]:
    """The tensors of a safetensors file, which is checked as a whole, without data."""
    with _open(file) as handle:
        names = set(handle.keys())
    # The package has checked offsets and sizes; a name that stands twice it lets pass.
    try:
        with open(file, "rb") as data:
            size = int.from_bytes(data.read(8), "little")
            header = _parse_json(data.read(min(size, _MAX_HEADER_BYTES)))
        return [
            TensorInfo(name, file, tuple(header[name]["shape"]), header[name]["dtype"])
            for name in sorted(names)
        ]
    except (OSError, ValueError, RecursionError, KeyError, TypeError) as error:
        raise CheckpointError(_damaged(file, error)) from None


def read_tensor(file: Path, name: str) -> np.ndarray:
    """One tensor; raises CheckpointError, or DTypeError if NumPy has no such type."""
    [(_, tensor)] = read_tensors(file, [name])
    return tensor


def read_tensors(file: Path, names: Iterable[str]) -> Iterator[tuple[str, np.ndarray]]:
    """Several tensors of one file, one after the other; raises like read_tensor."""
    with _open(file) as handle:
        known = set(handle.keys())
        for name in names:
            if name not in known:
                raise CheckpointError(f"{file} has no tensor {name} [CKPT2]")
            dtype = handle.get_slice(name).get_dtype()
            if dtype not in _NUMPY_DTYPES:
                raise DTypeError(
                    f"{name} has dtype {dtype}; expected one of F16, BF16 (scales), I32 "
                    "(words) or I64 (shapes) [CKPT3]"
                )
            if dtype == "BF16":
                numpy_dtype("bf16")  # safetensors looks it up among NumPy's registered types
            yield name, handle.get_tensor(name)


def _open(file: Path) -> Any:
    try:
        _check_regular(file)
        return safe_open(file, framework="numpy")
    except FileNotFoundError:
        raise CheckpointError(f"{file} does not exist [CKPT1]") from None
    except (OSError, SafetensorError, ValueError, OverflowError) as error:
        raise CheckpointError(_damaged(file, error)) from None


def _check_regular(path: Path) -> None:
    """A pipe or a device would block, or never end."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError("not a regular file")


def _damaged(file: Path, error: Exception) -> str:
    return (
        f"{file} is not a whole safetensors file: {error}; copy or download it again [CKPT1]"
    )


def _pickle_text(files: list[Path]) -> str:
    shown = ", ".join(path.name for path in files[:3])
    return (
        f"{files[0].parent} holds its weights as pickles ({shown}), which are never opened: "
        "a pickle can run any program. Convert them to safetensors where they came from: "
        "model.save_pretrained(folder, safe_serialization=True) [CKPT1]"
    )
