"""The rules of tensor maps are those of the driver: thousands of maps, asked of both.

One value of a good map after the other becomes one at or past a limit; pairs and
random maps follow. The driver and lib/Runtime must agree on every map, and on the
128 bytes of those that are good.
"""

from __future__ import annotations

import ctypes
import itertools
import random

import pytest

from wna16.errors import LaunchError
from wna16.runtime import TensorMapValues, runtime

PTX = b".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry wna16_none() { ret; }\n"

#: Values at and around the limits, by field; an index is one of an array.
EDGES = {
    "address": [0, 8, 16, 32, 1 << 20, (1 << 20) + 4],
    "type": range(13),
    "rank": range(0, 7),
    ("dims", 0): [0, 1, 7, 1 << 31, 1 << 32, (1 << 32) + 1],
    ("dims", 1): [0, 1, 1 << 32, (1 << 32) + 1],
    ("strides", 0): [0, 8, 16, 48, 1 << 20, (1 << 40) - 16, 1 << 40],
    ("strides", 1): [0, 8, 16, 4096, (1 << 40) - 16, 1 << 40],
    ("box", 0): [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 257],
    ("box", 1): [0, 1, 255, 256, 257],
    ("element_strides", 0): [0, 1, 2, 8, 9],
    ("element_strides", 1): [0, 1, 2, 8, 9],
    "swizzle": [0, 32, 64, 128],
    "l2_promotion": [0, 64, 128, 256],
    "fill_nan": [0, 1],
}


def good() -> TensorMapValues:
    values = TensorMapValues(address=1 << 20, rank=3, type=6, swizzle=128, l2_promotion=256)
    values.dims[:] = [4096, 64, 8, 1, 1]
    values.strides[:] = [8192, 524288, 4194304, 4194304]
    values.box[:] = [64, 8, 1, 1, 1]
    values.element_strides[:] = [1, 1, 1, 1, 1]
    return values


def put(values: TensorMapValues, field, value: int) -> None:
    if isinstance(field, tuple):
        getattr(values, field[0])[field[1]] = value
    else:
        setattr(values, field, value)


def cases():
    yield good()
    for field, edges in EDGES.items():
        for value in edges:
            values = good()
            put(values, field, value)
            yield values
    for (one, ones), (two, twos) in itertools.combinations(EDGES.items(), 2):
        for a, b in itertools.product(ones, twos):
            values = good()
            put(values, one, a)
            put(values, two, b)
            yield values
    chosen = random.Random(1)
    for _ in range(5000):
        values = good()
        for field, edges in EDGES.items():
            if chosen.random() < 0.4:
                put(values, field, chosen.choice(list(edges)))
        yield values


def ask_driver(driver, values: TensorMapValues) -> tuple[int, bytes]:
    """CUresult and bytes of cuTensorMapEncodeTiled itself."""
    memory = ctypes.create_string_buffer(128 + 128)
    place = -ctypes.addressof(memory) % 128
    code = driver.cuTensorMapEncodeTiled(
        ctypes.byref(memory, place),
        values.type,
        values.rank,
        ctypes.c_void_p(values.address),
        values.dims,
        values.strides,
        values.box,
        values.element_strides,
        0,
        (0, 32, 64, 128).index(values.swizzle),
        (0, 64, 128, 256).index(values.l2_promotion),
        values.fill_nan,
    )
    return code, memory.raw[place : place + 128]


def shown(values: TensorMapValues) -> str:
    read = [(name, getattr(values, name)) for name, _ in values._fields_]
    return str({n: v if isinstance(v, int) else list(v) for n, v in read})


def test_rules_are_the_drivers():
    ours = runtime()
    if ours.device(0).capability < (9, 0):
        pytest.skip("tensor maps need compute capability 9.0")
    driver = ctypes.CDLL("libcuda.so.1")
    context = ctypes.c_void_p()
    assert driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
    assert driver.cuCtxSetCurrent(context) == 0
    module = ours.load_module(0, PTX)
    try:
        function = ours.module_function(module, "wna16_none", 0)
        wrong, passed, total = [], 0, 0
        for values in cases():
            total += 1
            try:
                made, reason = ours.encode_tensor_map(function, values), ""
            except LaunchError as error:
                made, reason = None, str(error)
            code, expected = ask_driver(driver, values)
            passed += code == 0
            if (made is not None) != (code == 0) or (made is not None and made != expected):
                wrong.append(f"driver {code}, we: {reason or 'good'}: {shown(values)}")
        assert not wrong, f"{len(wrong)} of {total} differ:\n" + "\n".join(wrong[:40])
        assert passed > 1000 and total - passed > 1000, (passed, total)
    finally:
        ours.unload(module)
        driver.cuDevicePrimaryCtxRelease_v2(0)
