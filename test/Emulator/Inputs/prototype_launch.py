"""Launch records of the Hopper prototypes, and what a run of one is."""

import dataclasses
import re
from typing import Callable


@dataclasses.dataclass
class Case:
    entry: str
    record: dict
    inputs: dict[str, bytes]
    expected: dict[str, bytes]
    dtype: str
    tolerance: float = 0.0  # relative to the largest number; 0: bit for bit
    known: str = ""  # the check that reports a known fault of the prototype
    constants: dict[str, bytes] = dataclasses.field(default_factory=dict)

    def edit(self, header: str) -> str:
        """Sets module constants, which a host program would copy."""
        for name, content in self.constants.items():
            values = ", ".join(map(str, content))
            header, count = re.subn(
                rf"\b{name}\[\d+\];", f"{name}[{len(content)}] = {{{values}}};", header
            )
            assert count == 1, name
        return header


@dataclasses.dataclass
class Plan:
    """A case that is made when it is its turn."""

    name: str
    make: Callable[[], Case]


def buffer(name: str, dtype: str, size: int, access: str = "read", **more) -> dict:
    return {
        "name": name,
        "kind": "buffer",
        "parameter": False,
        "access": access,
        "dtype": dtype,
        "shape": [size],
        "alignment": 256,
        "layout": "row_major",
        **more,
    }


def pointer(name: str, offset: int) -> dict:
    return {"name": f"{name}_pointer", "offset": offset, "kind": "pointer", "buffer": name}


def numbers(offset: int, **values: int) -> list[dict]:
    return [
        {"name": name, "offset": offset + 4 * i, "kind": "scalar", "dtype": "i32", "value": value}
        for i, (name, value) in enumerate(values.items())
    ]


def struct_argument(size: int, fields: list[dict]) -> dict:
    return {"name": "args", "kind": "struct", "size": size, "alignment": 8, "fields": fields}


def tensor_map(target: str, dtype: str, dims: list[int], box: list[int], swizzle: int) -> dict:
    return {
        "name": f"{target}_map",
        "kind": "tensor_map",
        "dtype": dtype,
        "buffer": target,
        "dims": dims,
        "strides": [dims[0]],
        "box": box,
        "swizzle": swizzle,
        "alignment": 128,
    }


def make_record(entry: str, arguments: list[dict], grid: list[int], block: int, **more) -> dict:
    return {
        "format": "wna16-launch",
        "version": 2,
        "kernel": entry,
        "target": "sm_90a",
        "ptx": None,
        "cubin": None,
        "arguments": arguments,
        "symbols": {},
        "grid": [{"size": size, "tile": 1} for size in (grid + [1, 1])[:3]],
        "block": [block, 1, 1],
        "cluster": [1, 1, 1],
        "shared_bytes": 0,
        "workspace_bytes": 0,
        "problem": None,
        "schedule": "",
        "resources": None,
        **more,
    }
