"""The bytes that a kernel is passed: pointers, numbers, tensor maps, structs.

All but the addresses follows from the record and the symbols, so launches of one
shape share a template; each puts its own addresses and tensor maps in. Where the
parameters lie on the device is the driver's business: it is told where each begins
in these bytes.
"""

from __future__ import annotations

import operator
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from .arguments import MAP_TYPES, Argument, TensorMap, evaluate
from .artifact import LaunchRecord
from .errors import LaunchError, ShapeError
from .runtime import TENSOR_MAP_BYTES, Offsets, TensorMapValues, parameter_offsets

#: struct format of a scalar parameter; sizes are the GPU's.
_SCALAR_FORMAT = {
    "i8": "b",
    "i16": "h",
    "i32": "i",
    "i64": "q",
    "f16": "e",
    "f32": "f",
    "f64": "d",
}
_POINTER = struct.Struct("=Q")


@dataclass(frozen=True)
class Bound:
    """The parameters of launches with the same symbols, without addresses.

    Pointers are (place, buffer, byte offset); tensor maps are (place, argument,
    values with the byte offset as their address).
    """

    template: bytes
    #: Where each parameter begins; an array of C, so that a launch need not make one.
    offsets: Offsets
    pointers: tuple[tuple[int, str, int], ...]
    maps: tuple[tuple[int, Argument, bytes], ...]
    #: The common case in one call: buffers as they are, then only bytes that are the
    #: same in all launches. None for all else.
    _plain: Callable[[Mapping[str, int]], bytes] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        end = 8 * len(self.pointers)
        places = [place for place, _, _ in self.pointers]
        shifted = any(offset for _, _, offset in self.pointers)
        if self.maps or shifted or len(places) < 2 or places != list(range(0, end, 8)):
            return
        # Everything is looked up here, once: this runs in every launch.
        tail = self.template[end:]
        pack = struct.Struct(f"={len(places)}Q{len(tail)}s").pack
        pick = operator.itemgetter(*(buffer for _, buffer, _ in self.pointers))
        object.__setattr__(self, "_plain", lambda addresses: pack(*pick(addresses), tail))

    def fill(
        self,
        addresses: Mapping[str, int],
        encode: Callable[[TensorMapValues], bytes],
    ) -> bytes:
        """The parameters of one launch; `encode` makes the bytes of a tensor map."""
        if self._plain is not None:
            return self._plain(addresses)
        data = bytearray(self.template)
        for place, buffer, offset in self.pointers:
            _POINTER.pack_into(data, place, addresses[buffer] + offset)
        for place, argument, template in self.maps:
            values = TensorMapValues.from_buffer_copy(template)
            values.address += addresses[argument.buffer or ""]
            try:
                data[place : place + TENSOR_MAP_BYTES] = encode(values)
            except LaunchError as error:
                raise LaunchError(
                    f"argument {argument.name}: {error}", code=error.code
                ) from None
        return bytes(data)


def bind_parameters(record: LaunchRecord, symbols: Mapping[str, int]) -> Bound:
    """Lays the parameters out, each at its alignment; raises ShapeError."""
    template = bytearray()
    offsets: list[int] = []
    pointers: list[tuple[int, str, int]] = []
    maps: list[tuple[int, Argument, bytes]] = []

    def put(argument: Argument, place: int) -> None:
        if argument.kind == "struct":
            for field in argument.fields:
                put(field, place + field.offset)
        elif argument.kind == "scalar":
            number = _scalar(argument, symbols)
            template[place : place + len(number)] = number
        elif argument.tensor_map is not None:
            values = _map_values(argument, argument.tensor_map, symbols)
            maps.append((place, argument, bytes(values)))
        else:
            buffer = argument.name if argument.is_buffer else argument.buffer
            if buffer is not None:
                pointers.append((place, buffer, argument.byte_offset))

    for argument in record.arguments:
        size = argument.parameter_bytes
        if size:
            place = len(template) + -len(template) % argument.parameter_alignment
            template.extend(bytes(place + size - len(template)))
            offsets.append(place)
            put(argument, place)
    return Bound(
        bytes(template), parameter_offsets(offsets), tuple(pointers), tuple(maps)
    )


def _scalar(argument: Argument, symbols: Mapping[str, int]) -> bytes:
    value = argument.value
    number = value if isinstance(value, float) else evaluate(value or 0, symbols)
    try:
        if argument.dtype == "bf16":
            return _bfloat(float(number))
        code = _SCALAR_FORMAT[argument.dtype]
        if isinstance(value, int) and value > 0 and argument.dtype.startswith("i"):
            # Unsigned numbers have no dtype of their own; sizes are signed.
            code = code.upper()
        return struct.pack("=" + code, number)
    except (struct.error, OverflowError):
        bits = 8 * argument.parameter_bytes
        raise ShapeError(
            f"expected {argument.name} to fit {bits} bits, found {number} with "
            f"{dict(symbols)} [ARG2]"
        ) from None


def _bfloat(number: float) -> bytes:
    """The nearest bfloat16, ties to even."""
    (bits,) = struct.unpack("=I", struct.pack("=f", number))
    if number == number:
        bits += 0x7FFF + (bits >> 16 & 1)
    return struct.pack("=H", bits >> 16)


def _map_values(
    argument: Argument, tensor_map: TensorMap, symbols: Mapping[str, int]
) -> TensorMapValues:
    """All but the base address, which the byte offset stands for."""
    rank = len(tensor_map.dims)
    size = MAP_TYPES[argument.dtype]
    values = TensorMapValues()
    values.address = argument.byte_offset
    values.dims[:rank] = [evaluate(e, symbols) for e in tensor_map.dims]
    values.strides[: rank - 1] = [size * evaluate(e, symbols) for e in tensor_map.strides]
    values.box[:rank] = tensor_map.box
    values.element_strides[:rank] = tensor_map.element_strides
    values.rank = rank
    values.type = list(MAP_TYPES).index(argument.dtype)
    values.swizzle = tensor_map.swizzle
    values.l2_promotion = tensor_map.l2_promotion
    values.fill_nan = tensor_map.fill_nan
    return values
