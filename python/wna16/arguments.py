"""The arguments of a launch record: buffers, numbers, tensor maps, structs.

Pointers and tensor maps name the buffer that they lead to; a struct has fields of
these kinds. Sizes may be symbols, whose values are known at launch.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any

from .problem import as_int

#: Bytes of an element.
ITEM_BYTES = {
    "f16": 2,
    "bf16": 2,
    "f32": 4,
    "f64": 8,
    "i8": 1,
    "i16": 2,
    "i32": 4,
    "i64": 8,
}

#: A number, or the name of a symbol that is known at launch.
Extent = int | str


#: Element types of tensor maps, by value of CUtensorMapDataType, and their bytes.
MAP_TYPES = {
    "u8": 1,
    "u16": 2,
    "u32": 4,
    "s32": 4,
    "u64": 8,
    "s64": 8,
    "f16": 2,
    "f32": 4,
    "f64": 8,
    "bf16": 2,
    "f32_ftz": 4,
    "tf32": 4,
    "tf32_ftz": 4,
}


@dataclass(frozen=True)
class TensorMap:
    """What cuTensorMapEncodeTiled is told; dimension 0 is the innermost one.

    `strides` are those of dimensions 1, 2, ..., in elements; `swizzle` and
    `l2_promotion` are bytes, 0 for none.
    """

    dims: tuple[Extent, ...]
    strides: tuple[Extent, ...]
    box: tuple[int, ...]
    element_strides: tuple[int, ...]
    swizzle: int
    l2_promotion: int
    fill_nan: bool


@dataclass(frozen=True)
class Argument:
    """One kernel parameter, a buffer that others lead to, or a field of a struct.

    Shapes and strides are in elements; `alignment` is in bytes.
    """

    name: str
    kind: str
    dtype: str = ""
    access: str = "read"
    shape: tuple[Extent, ...] = ()
    strides: tuple[Extent, ...] | None = None
    alignment: int = 1
    layout: str = "row_major"
    logical_shape: tuple[int, ...] = ()
    #: Whether the kernel gets a buffer's address as a parameter of its own.
    parameter: bool = True
    #: Whether the launcher provides a buffer, with `initial` contents.
    workspace: bool = False
    initial: str | None = None
    value: Extent | float | None = None
    #: Pointers and tensor maps: the buffer, or None for the null pointer.
    buffer: str | None = None
    byte_offset: int = 0
    tensor_map: TensorMap | None = None
    #: Structs: bytes and fields; `offset` is a field's place.
    size: int = 0
    fields: tuple[Argument, ...] = ()
    offset: int = 0

    @property
    def is_buffer(self) -> bool:
        return self.kind == "buffer"

    @property
    def is_given(self) -> bool:
        """Whether it is a buffer of the caller's."""
        return self.is_buffer and not self.workspace

    @property
    def parameter_bytes(self) -> int:
        """Bytes that are passed; 0 if none are."""
        if self.kind == "buffer":
            return 8 if self.parameter else 0
        if self.kind == "scalar":
            return ITEM_BYTES[self.dtype]
        return {"pointer": 8, "tensor_map": 128, "struct": self.size}[self.kind]

    @property
    def parameter_alignment(self) -> int:
        by_value = self.kind in ("tensor_map", "struct")
        return self.alignment if by_value else max(self.parameter_bytes, 1)


def evaluate(extent: Extent, symbols: Mapping[str, int]) -> int:
    """The number that an extent stands for at one launch."""
    return symbols[extent] if isinstance(extent, str) else extent


def parse_argument(
    data: dict[str, Any], symbols: Container[str], field: bool = False
) -> Argument:
    """Reads an argument or a struct's field; raises ValueError or the like."""
    kind, name = data["kind"], as_text(data["name"])
    offset = as_integer(data["offset"]) if field else 0
    if kind == "pointer":
        return Argument(name, kind, offset=offset, **_parse_target(data))
    if kind == "struct" and not field:
        return Argument(
            name,
            kind,
            alignment=as_positive(data["alignment"]),
            size=as_positive(data["size"]),
            fields=tuple(parse_argument(f, symbols, field=True) for f in data["fields"]),
        )
    if kind not in ("buffer", "scalar", "tensor_map") or (field and kind == "buffer"):
        raise ValueError(f"kind {kind!r} of an argument")
    dtype = data["dtype"]
    if dtype not in (MAP_TYPES if kind == "tensor_map" else ITEM_BYTES):
        raise ValueError(f"dtype {dtype!r} of an argument")
    if kind == "scalar":
        value = data["value"]
        if not isinstance(value, float) or dtype.startswith("i"):
            value = as_extent(value, symbols)
        return Argument(name, kind, dtype, value=value, offset=offset)
    if kind == "tensor_map":
        return Argument(
            name,
            kind,
            dtype,
            alignment=as_positive(data.get("alignment", 64)),
            tensor_map=_parse_map(data, symbols),
            offset=offset,
            **_parse_target(data),
        )
    return _parse_buffer(data, symbols)


def _parse_target(data: dict[str, Any]) -> dict[str, Any]:
    buffer = data["buffer"]
    return {
        "buffer": None if buffer is None else as_text(buffer),
        "byte_offset": as_integer(data.get("byte_offset", 0)),
    }


def _parse_map(data: dict[str, Any], symbols: Container[str]) -> TensorMap:
    dims = tuple(as_extent(e, symbols) for e in data["dims"])
    strides = tuple(as_extent(e, symbols) for e in data["strides"])
    box = tuple(as_integer(e) for e in data["box"])
    steps = tuple(as_integer(e) for e in data.get("element_strides", [1] * len(dims)))
    if not 1 <= len(dims) <= 5:
        raise ValueError(f"a tensor map of {len(dims)} dimensions")
    if (len(strides) + 1, len(box), len(steps)) != (len(dims),) * 3:
        raise ValueError(f"strides or box of a tensor map of {len(dims)} dimensions")
    outside = data.get("out_of_bounds", "zero")
    if outside not in ("zero", "nan"):
        raise ValueError(f"out_of_bounds {outside!r}")
    return TensorMap(
        dims,
        strides,
        box,
        steps,
        as_integer(data.get("swizzle", 0)),
        as_integer(data.get("l2_promotion", 0)),
        outside == "nan",
    )


def _parse_buffer(data: dict[str, Any], symbols: Container[str]) -> Argument:
    strides = data.get("strides")
    layout = as_text(data.get("layout", "row_major"))
    shape = tuple(as_extent(e, symbols) for e in data.get("shape", ()))
    if layout != "row_major" and any(isinstance(e, str) for e in shape):
        raise ValueError(f"layout {layout} with a shape that is not known")
    workspace = as_flag(data.get("workspace", False))
    if workspace and any(isinstance(e, str) for e in shape):
        raise ValueError("workspace with a shape that is not known")
    return Argument(
        name=as_text(data["name"]),
        kind="buffer",
        dtype=data["dtype"],
        access=as_text(data.get("access", "read")),
        shape=shape,
        strides=tuple(as_extent(e, symbols) for e in strides) if strides else None,
        alignment=as_positive(data.get("alignment", 1)),
        layout=layout,
        logical_shape=tuple(as_integer(e) for e in data.get("logical_shape", ())),
        parameter=as_flag(data.get("parameter", True)),
        workspace=workspace,
        initial=None if data.get("initial") is None else as_text(data["initial"]),
    )


def check_targets(arguments: tuple[Argument, ...]) -> None:
    """Raises ValueError if a pointer or tensor map leads to no buffer."""
    buffers = {a.name for a in arguments if a.is_buffer}
    for argument in arguments:
        for each in (argument, *argument.fields):
            null = each.kind == "pointer" and each.buffer is None
            if each.kind in ("pointer", "tensor_map") and not null:
                if each.buffer not in buffers:
                    raise ValueError(f"{each.buffer!r} is not a buffer of this record")
        if any(f.offset < 0 or f.offset + f.parameter_bytes > argument.size
               for f in argument.fields):
            raise ValueError(f"a field outside of struct {argument.name}")


def as_integer(value: object) -> int:
    """A number of a JSON file that must be an integer; raises TypeError if not."""
    number = as_int(value)
    if number is None:
        raise TypeError(f"expected an integer, found {value!r}")
    return number


def as_positive(value: object) -> int:
    number = as_integer(value)
    if number <= 0:
        raise ValueError(f"expected a positive integer, found {number}")
    return number


def as_flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"expected true or false, found {value!r}")
    return value


def as_text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected a string, found {value!r}")
    return value


def as_extent(value: object, symbols: Container[str]) -> Extent:
    """A number, or the name of one of `symbols`."""
    if not isinstance(value, str):
        return as_integer(value)
    if value not in symbols:
        raise ValueError(f"{value!r} is not a symbol of this record")
    return value
