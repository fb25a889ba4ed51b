"""Randomised layers, in the emulator against fp64; randomised storage, by the plain unpackers.

Every run draws the same examples. WNA16_PROPERTY_EXAMPLES=1000 draws as many per test, and
other ones each time (`--hypothesis-seed=N` repeats them). A failure is shrunk to a small
example, and ends in the commands that show it.
"""

from __future__ import annotations

import os
from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, configuration, given, settings
from hypothesis import strategies as st

from property_cases import chosen_cases, outcome, scheduled_cases
from test_pack import random_codes, unpack_weights, unpack_zeros
from wna16 import reference
from wna16.pack import repack_scales, repack_weights, repack_zeros

EXAMPLES = os.environ.get("WNA16_PROPERTY_EXAMPLES")
PROFILE = settings(
    deadline=None,
    database=None,
    derandomize=EXAMPLES is None,
    phases=(Phase.generate, Phase.shrink),
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)


def examples(usual: int) -> settings:
    return settings(PROFILE, max_examples=int(EXAMPLES or usual))


@pytest.fixture(autouse=True, scope="module")
def hypothesis_home(tmp_path_factory):
    """Its files (tables of characters, mostly) do not go into the source tree."""
    configuration.set_hypothesis_home_dir(tmp_path_factory.mktemp("hypothesis"))


@pytest.mark.needs_tools("wna16-compile", "wna16-run")
def test_schedules_by_hand(tmp_path):
    """Every structure is right for every layer that it takes, or refused by a rule (G6)."""
    outcomes = Counter()

    @examples(200)
    @given(case=scheduled_cases())
    def check(case):
        outcomes[outcome(case, tmp_path)] += 1

    check()
    print(dict(outcomes))
    assert outcomes["right"] * 4 >= outcomes.total() * 3, outcomes


@pytest.mark.needs_tools("wna16-compile", "wna16-run")
def test_schedules_of_the_compiler(tmp_path):
    """What supports() takes compiles for every target and M, and is right."""

    @examples(150)
    @given(case=chosen_cases())
    def check(case):
        assert outcome(case, tmp_path) == "right", case

    check()


#: Rows and columns of which a layout stores whole multiples (LAY4).
WHOLE = {
    "row_major": (1, 1),
    "compressed_tensors": (1, 1),
    "gptq": (32, 1),
    "marlin": (16, 64),
    "awq": (1, 8),
    "compressed_tensors_zeros": (1, 1),
    "gptq_zeros": (1, 32),
    "marlin_zeros": (1, 64),
    "awq_zeros": (1, 8),
    "compressed_tensors_scales": (1, 1),
    "marlin_scales": (1, 64),
    "marlin_channel_scales": (1, 32),
}
WEIGHTS = ("row_major", "compressed_tensors", "gptq", "marlin")
ZEROS = tuple(f"{name}_zeros" if name != "row_major" else name for name in WEIGHTS)
SCALES = ("row_major", "compressed_tensors_scales", "marlin_scales", "marlin_channel_scales")


@st.composite
def repackings(draw, rows, layouts, awq=None):
    """(rows, columns), bits, and two layouts with the shapes of their storages."""
    shape = draw(st.tuples(st.integers(1, rows), st.integers(1, 200)))
    bits = draw(st.sampled_from((4, 8, 2, 3, 1, 5, 6, 7)))
    layouts += (awq,) * (awq is not None and bits == 4)
    sides = []
    for _ in ("source", "target"):
        layout = draw(st.sampled_from(layouts))
        stored = tuple(
            -(-extent // whole) * whole + whole * draw(st.integers(0, 2))
            for extent, whole in zip(shape, WHOLE[layout], strict=True)
        )
        sides.append((layout, stored))
    return shape, bits, *sides, draw(st.integers(0, 3))


def round_trip(repack, unpack, values, rest, source, target):
    """`values` to the layout `source`, beyond them `rest`, and from there to `target`."""
    (rows, columns), (layout, stored), (wanted, room) = values.shape, source, target
    whole = np.full(stored, rest, values.dtype)
    whole[:rows, :columns] = values
    there = repack(whole, *stored, "row_major", layout)
    np.testing.assert_array_equal(unpack(there, layout, *stored), whole)
    moved = repack(
        there, rows, columns, layout, wanted, source_shape=stored, target_shape=room
    )
    expected = np.zeros(room, values.dtype)
    expected[:rows, :columns] = values
    np.testing.assert_array_equal(unpack(moved, wanted, *room), expected)


@pytest.mark.needs_runtime
@examples(150)
@given(repackings(160, WEIGHTS, "awq"))
def test_weights_are_repacked(drawn):
    shape, bits, source, target, threads = drawn

    def repack(words, k, n, source, target, **shapes):
        options = dict(bits=bits, threads=threads, **shapes)
        return repack_weights(words, k, n, source=source, target=target, **options)

    def unpack(words, layout, k, n):
        return unpack_weights(words, layout, k, n, bits)

    round_trip(repack, unpack, random_codes(*shape, bits), 2**bits - 1, source, target)


@pytest.mark.needs_runtime
@examples(150)
@given(repackings(8, ZEROS, "awq_zeros"))
def test_zeros_are_repacked(drawn):
    shape, bits, source, target, threads = drawn

    def repack(words, groups, n, source, target, **shapes):
        options = dict(bits=bits, threads=threads, **shapes)
        return repack_zeros(words, groups, n, source=source, target=target, **options)

    def unpack(words, layout, groups, n):
        return unpack_zeros(words, layout, groups, n, bits)

    round_trip(repack, unpack, random_codes(*shape, bits), 2**bits - 1, source, target)


@pytest.mark.needs_runtime
@examples(100)
@given(repackings(8, SCALES))
def test_scales_are_repacked(drawn):
    shape, _, source, target, threads = drawn

    def repack(scales, groups, n, source, target, **shapes):
        options = dict(threads=threads, **shapes)
        return repack_scales(scales, groups, n, source=source, target=target, **options)

    def unpack(scales, layout, groups, n):
        if layout == "compressed_tensors_scales":
            return scales.reshape(n, groups).T
        if layout == "row_major":
            return scales.reshape(groups, n)
        return getattr(reference, f"unpack_{layout}")(scales, groups, n)

    values = np.random.default_rng(sum(shape)).random(shape).astype(np.float16)
    round_trip(repack, unpack, values, np.nan, source, target)
