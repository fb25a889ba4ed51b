"""Tensor maps, structs and flags of a launch record, and the bytes that come of them."""

import struct

import pytest

from wna16.errors import LaunchError, ShapeError
from wna16.parameters import bind_parameters

from conftest import record_json, write_record
from test_launch import run

#: Arguments of a kernel that takes x by a tensor map and the rest in a struct.
MAP = {
    "name": "map", "kind": "tensor_map", "dtype": "f16", "buffer": "x",
    "dims": [512, "M"], "strides": ["ldx"], "box": [64, 8], "element_strides": [1, 2],
    "swizzle": 128, "l2_promotion": 256, "out_of_bounds": "nan", "alignment": 128,
}  # fmt: skip
FIELDS = [
    {"name": "w", "offset": 0, "kind": "pointer", "buffer": "w", "byte_offset": 64},
    {"name": "bias", "offset": 8, "kind": "pointer", "buffer": None},
    {"name": "M", "offset": 16, "kind": "scalar", "dtype": "i32", "value": "M"},
    {"name": "scale", "offset": 20, "kind": "scalar", "dtype": "bf16", "value": 0.1},
    {"name": "mask", "offset": 22, "kind": "scalar", "dtype": "i16", "value": 65535},
]


def by_value_json(**changes):
    data = record_json()
    x, w, s, y, m, ldx = data["arguments"]
    x["parameter"] = w["parameter"] = False
    args = {"name": "args", "kind": "struct", "size": 24, "alignment": 8, "fields": FIELDS}
    data["arguments"] = [s, MAP, x, w, y, args]
    return {**data, "cooperative": True, "dependent_launch": True, **changes}


@pytest.fixture
def by_value(tmp_path):
    return write_record(tmp_path, by_value_json())


def test_every_byte_has_its_place(by_value):
    bound = bind_parameters(by_value, {"M": 7, "ldx": 520})
    addresses = {"x": 0x1000, "w": 0x2000, "s": 0x3000, "y": 0x4000}
    seen = []

    def encode(values):
        seen.append(values)
        return bytes(range(128))

    data = bound.fill(addresses, encode)
    # s, 120 bytes of padding, the map, y, the struct.
    expected = struct.pack("=Q120x", 0x3000) + bytes(range(128))
    expected += struct.pack("=QQQiHH", 0x4000, 0x2040, 0, 7, 0x3DCD, 0xFFFF)
    assert data == expected
    assert list(bound.offsets) == [0, 128, 256, 264]
    (values,) = seen
    assert values.address == 0x1000 and values.rank == 2 and values.type == 6
    assert list(values.dims)[:2] == [512, 7] and values.strides[0] == 1040
    assert list(values.box)[:2] == [64, 8] and list(values.element_strides)[:2] == [1, 2]
    assert (values.swizzle, values.l2_promotion, values.fill_nan) == (128, 256, 1)


def test_plain_parameters_are_packed_in_one_call(record, by_value):
    """Without structs and tensor maps; the bytes are those of the general way."""
    bound = bind_parameters(record, {"M": 7, "ldx": 520})
    addresses = {"x": 0x1000, "w": 0x2000, "s": 2**64 - 16, "y": 0x4000}
    expected = struct.pack("=4Q2i", 0x1000, 0x2000, 2**64 - 16, 0x4000, 7, 520)
    assert bound._plain is not None and list(bound.offsets) == [0, 8, 16, 24, 32, 36]
    assert bound.fill(addresses, pytest.fail) == expected
    object.__setattr__(bound, "_plain", None)
    assert bound.fill(addresses, pytest.fail) == expected
    # A map between the pointers: no single format has it.
    assert bind_parameters(by_value, {"M": 7, "ldx": 520})._plain is None


def test_pointers_behind_a_number_are_not_packed_in_one_call(tmp_path):
    data = record_json()
    x, w, s, y, m, ldx = data["arguments"]
    record = write_record(tmp_path, {**data, "arguments": [m, x, w, s, y, ldx]})
    bound = bind_parameters(record, {"M": 7, "ldx": 520})
    addresses = {"x": 1, "w": 2, "s": 3, "y": 4}
    assert bound._plain is None and list(bound.offsets) == [0, 8, 16, 24, 32, 40]
    assert bound.fill(addresses, pytest.fail) == struct.pack("=i4x4Qi", 7, 1, 2, 3, 4, 520)


@pytest.mark.parametrize(
    "dtype, value, expected",
    [
        ("i8", -1, b"\xff"),
        ("i64", -2, struct.pack("=q", -2)),
        ("i32", 2**32 - 1, b"\xff\xff\xff\xff"),
        ("f16", 1.5, b"\x00\x3e"),
        ("f32", 3, struct.pack("=f", 3)),
        ("f64", 0.1, struct.pack("=d", 0.1)),
        ("bf16", 1.00390625, b"\x80\x3f"),  # halfway: to even
        ("bf16", float("nan"), b"\xc0\x7f"),
    ],
)
def test_scalars(tmp_path, dtype, value, expected):
    scalar = {"name": "v", "kind": "scalar", "dtype": dtype, "value": value}
    record = write_record(tmp_path, {**record_json(), "arguments": [scalar]})
    assert bind_parameters(record, {}).template == expected


@pytest.mark.parametrize(
    "dtype, value",
    [("i32", 2**32), ("i8", -129), ("i32", "M"), ("f16", 1e6), ("f32", 1e300)],
)
def test_scalars_that_do_not_fit(tmp_path, dtype, value):
    scalar = {"name": "v", "kind": "scalar", "dtype": dtype, "value": value}
    record = write_record(tmp_path, {**record_json(), "arguments": [scalar]})
    with pytest.raises(ShapeError, match=r"expected v to fit \d+ bits, found .* \[ARG2\]"):
        bind_parameters(record, {"M": 2**31})


def test_clusters_divide_the_grid(tmp_path):
    record = write_record(tmp_path, {**record_json(), "cluster": [1, 4, 1]})
    with pytest.raises(LaunchError, match=r"grid of \(1, 6, 1\) blocks .* clusters of \(1, 4"):
        record.blocks({"M": 1, "ldx": 512})


@pytest.mark.parametrize(
    "changes",
    [
        dict(cooperative=1),
        dict(dependent_launch="yes"),
        dict(arguments=[{**MAP, "buffer": "nothing"}]),
        dict(arguments=[{**MAP, "dims": []}]),
        dict(arguments=[{**MAP, "dims": ["K", 1]}]),
        dict(arguments=[{**MAP, "strides": []}]),
        dict(arguments=[{**MAP, "box": [64]}]),
        dict(arguments=[{**MAP, "dtype": "i16"}]),
        dict(arguments=[{**MAP, "out_of_bounds": "one"}]),
        dict(arguments=[{"name": "p", "kind": "pointer"}]),
        dict(arguments=[{"name": "p", "kind": "pointer", "buffer": "p"}]),
        dict(arguments=[{"name": "a", "kind": "struct", "size": 8, "alignment": 8,
                         "fields": [{**FIELDS[1], "offset": 4}]}]),
        dict(arguments=[{"name": "a", "kind": "struct", "size": 8, "alignment": 8,
                         "fields": [{"name": "b", "kind": "buffer", "offset": 0}]}]),
        dict(arguments=[{"name": "v", "kind": "scalar", "dtype": "i32", "value": 1.5}]),
    ],
)  # fmt: skip
def test_damaged_record(tmp_path, changes):
    data = by_value_json()
    if "arguments" in changes:
        buffer = data["arguments"][2]
        changes = dict(arguments=[buffer, *changes["arguments"]])
    with pytest.raises(LaunchError, match="incomplete"):
        write_record(tmp_path, {**data, **changes})


@pytest.mark.needs_runtime
def test_driver_gets_maps_attributes_and_struct(by_value):
    run(
        by_value,
        """
        class Map(ctypes.Structure):
            _fields_ = [("type", ctypes.c_int), ("rank", ctypes.c_uint),
                        ("dims", ctypes.c_ulonglong * 5), ("strides", ctypes.c_ulonglong * 4)]
        x, out = Array((7, 512), "<f2", strides=(1040, 2)), Array((7, 384), "<f2")
        call(x=x, out=out, overlap=True)
        count, launch = last()
        assert (launch.cooperative, launch.dependent) == (1, 1)
        px, pw, ps, py = [a.__cuda_array_interface__["data"][0] for a in (x, w, s, out)]
        # One after the other: the padding of the bytes that were passed is not there.
        expected = struct.pack("=QQ120xQQQiHH", ps, px, py, pw + 64, 0, 7, 0x3DCD, 0xFFFF)
        assert bytes(launch.arguments[:launch.bytes]) == expected
        made = (Map * 8)()
        assert driver().fakeTensorMaps(made) == 1
        assert made[0].type == 6 and list(made[0].dims)[:2] == [512, 7]
        assert made[0].strides[0] == 1040

        # The next launch of the shape has a map of its own; it did not ask to overlap.
        x = Array((7, 512), "<f2", strides=(1040, 2))
        call(x=x, out=out)
        assert (last()[1].cooperative, last()[1].dependent) == (1, 0)
        address, = struct.unpack("=Q", bytes(last()[1].arguments[8:16]))
        assert address == x.__cuda_array_interface__["data"][0]
        assert driver().fakeTensorMaps(None) == 2
        """,
    )


@pytest.mark.needs_runtime
def test_map_that_the_driver_would_refuse(tmp_path):
    data = by_value_json()
    data["arguments"][1] = {**MAP, "box": [128, 8]}
    run(
        write_record(tmp_path, data),
        """
        try:
            call()
        except wna16.LaunchError as error:
            expected = "argument map: box[0]: expected at most the 128 bytes of the swizzle"
            assert str(error).startswith(expected), error
        else:
            raise AssertionError("a tensor map of a wrong box was launched")
        assert last()[0] == 0
        """,
    )
