"""Workspace of kernels whose blocks take tickets: one per device and stream."""

import pytest

from conftest import record_json, write_record
from test_launch import run

pytestmark = pytest.mark.needs_runtime

HELPERS = """
    def addresses():
        '''Of shares and tickets in the last launch: the last two parameters.'''
        return struct.unpack("=2Q", bytes(last()[1].arguments[:last()[1].bytes])[-16:])
    def counters(address):
        return list((ctypes.c_int * 12).from_address(address))
"""


@pytest.fixture
def record(tmp_path):
    data = record_json()
    # 8-byte parameters behind two of 4 bytes.
    buffer = {"kind": "buffer", "access": "read_write", "alignment": 16,
              "layout": "row_major", "workspace": True}
    data["arguments"] += [
        {**buffer, "name": "shares", "dtype": "f32", "shape": [16, 768]},
        {**buffer, "name": "tickets", "dtype": "i32", "shape": [2, 6], "initial": "zero"},
    ]
    data["workspace_bytes"] = 16 * 768 * 4 + 12 * 4
    return write_record(tmp_path, data)


def test_streams_have_their_own_and_keep_it(record):
    run(
        record,
        HELPERS
        + """
    call(stream=0x55)
    first = addresses()
    assert first[0] % 256 == 0 and counters(first[1]) == [0] * 12
    call(stream=0x66)
    second = addresses()
    assert not set(first) & set(second), (first, second)
    call(stream=0x55)
    assert addresses() == first
    """,
    )


def test_kernels_of_a_stream_share_it(record):
    run(
        record,
        HELPERS
        + """
    call()
    first = addresses()
    kernel = Kernel(kernel.artifact)
    call()
    assert addresses() == first
    """,
    )


def test_devices_have_their_own(record):
    run(
        record,
        HELPERS
        + """
    call()
    first = addresses()
    on = [Array((24576,), "<i4", 1), Array((4, 384), "<f2", 1)]
    call(x=Array((7, 512), "<f2", 1), out=Array((7, 384), "<f2", 1), w=on[0], s=on[1])
    assert not set(first) & set(addresses())
    """,
    )


def test_the_default_stream_of_each_thread(record):
    run(
        record,
        HELPERS
        + """
    import threading
    found = []
    def one():
        call(stream=2)
        found.append(addresses())
    call(stream=2)
    found.append(addresses())
    thread = threading.Thread(target=one)
    thread.start()
    thread.join()
    assert not set(found[0]) & set(found[1])
    """,
    )


def test_capture_allocates_nothing(record):
    run(
        record,
        HELPERS
        + """
    def refused(stream):
        try:
            call(stream=stream)
        except wna16.LaunchError as error:
            assert "kernel.prepare()" in str(error), error
            return True
        return False
    kernel.prepare(device=0)
    driver().fakeSetCapturing(1)
    assert not refused(0x77)
    first = addresses()
    assert refused(0x88), "a second stream had nothing prepared"
    assert not refused(0x77)
    assert addresses() == first
    driver().fakeSetCapturing(0)
    kernel.prepare(device=0)
    driver().fakeSetCapturing(1)
    assert not refused(0x88)
    assert not set(first) & set(addresses())
    """,
    )


def test_a_larger_kernel_leaves_the_old_workspace_to_graphs(record):
    run(
        record,
        HELPERS
        + """
    import dataclasses
    from wna16.workspace import Layout, workspaces
    call()
    first = addresses()
    shares, tickets = record.arguments[-2:]
    larger = dataclasses.replace(shares, shape=(64, 768))
    found = workspaces.get(Layout.of([larger, tickets]), 0, 0x55)
    assert found["shares"] != first[0]
    call()
    assert addresses() == (found["shares"], found["tickets"])
    """,
    )


def test_a_spare_that_is_too_small_is_freed(record):
    run(
        record,
        HELPERS
        + """
    import dataclasses
    from wna16.workspace import Layout, workspaces
    kernel.prepare(device=0)
    held = driver().fakeRetained()
    shares, tickets = record.arguments[-2:]
    larger = Layout.of([dataclasses.replace(shares, shape=(64, 768)), tickets])
    workspaces.prepare(larger, 0)
    assert driver().fakeRetained() == held
    driver().fakeSetCapturing(1)
    found = workspaces.get(larger, 0, 0x99)
    assert counters(found["tickets"]) == [0] * 12
    """,
    )
