"""Layers that users of such kernels reported as crashing, wrong or refused without a reason.

Named by field report: D (shapes), E (shards of a layer), and B8, G, I2 and M9, which are seen
there; test/GPU/test_large.py has G1 to G3 for kernels of a GPU. What decides is kept, mostly
what K and N leave when divided; where a full size would take the emulator long, the CPU's code
computes it and the emulator fewer columns.
"""

import mmap
import sys

import numpy as np
import pytest

import wna16
from wna16 import Problem, ShapeError, supports
from wna16.pack import repack_weights
from wna16.targets import host_cpu_target

from conftest import ROOT

sys.path.insert(0, str(ROOT / "test" / "GPU"))
import formats  # noqa: E402

pytestmark = [
    pytest.mark.needs_tools("wna16-compile", "wna16-run"),
    pytest.mark.needs_runtime,
]
needs_cpu = pytest.mark.skipif(host_cpu_target() is None, reason="no code for this CPU")

#: Linux's MAP_NORESERVE, which this Python may not name.
NO_RESERVE = 0x4000
#: (report, n, k, group, bits, m); sizes that an emulator gets through.
SMALL = [
    ("D1: N of whole 64 but not 256", 320, 512, 128, 4, 16),
    ("D2: groups smaller than a tile", 128, 1024, 64, 4, 16),
    ("D2: groups smaller than a tile", 128, 1024, 32, 4, 16),
    ("D3: K of 45 tiles", 64, 2880, 32, 4, 3),
    ("D4: K of a rank that no tile divides", 64, 232, -1, 4, 5),
    ("D4: K of a rank that no tile divides", 64, 704, 32, 4, 5),
    ("D4: K of a rank that no tile divides", 64, 352, 32, 4, 5),
    ("D5: K of one and a half tiles", 128, 192, 64, 4, 9),
    ("D8: groups of 256", 192, 1280, 256, 4, 16),
    ("D9: a vector, N and K no powers of two", 192, 1152, 128, 4, 1),
    ("D10: smaller than every tile", 16, 16, 16, 4, 6),
    ("D10: few rows", 64, 4096, 128, 4, 6),
    ("D11: K that ends inside a block of 32", 64, 4304, -1, 4, 2),
    ("E2: half of 768", 64, 384, 128, 4, 4),
    ("E6: 19 groups", 64, 2432, 128, 4, 2),
    ("E6: 14 groups of 32", 64, 448, 32, 4, 2),
]  # fmt: skip
#: Sizes as they were reported.
WHOLE = [
    ("D1", 11072, 512, 128, 4, 3),
    ("D3", 2880, 2880, 32, 4, 7),
    ("D8", 3456, 5120, 256, 4, 2),
    ("D9", 1152, 1152, 128, 4, 1),
    ("D10", 1024, 4096, 128, 4, 6),
    ("D11", 1152, 4304, -1, 4, 3),
    ("N3: 8 bits", 1024, 1024, 128, 8, 5),
]  # fmt: skip


def right(target, n, k, group, bits, m):
    problem = Problem(n=n, k=k, group=group, bits=bits, max_m=m)
    layer = formats.FormatLayer(problem, seed=k)
    x = layer.rows(m)
    exact, bound = layer.bound(x.astype(np.float64))
    y = wna16.compile(problem, target)(x, *layer.arrays).astype(np.float64)
    return bool((np.abs(y - exact) <= bound).all())


@pytest.mark.parametrize("report, n, k, group, bits, m", SMALL)
def test_small(report, n, k, group, bits, m):
    target = wna16.targets.TARGETS[(n + k) // 16 % len(wna16.targets.TARGETS)]
    assert right(target, n, k, group, bits, m), report


@needs_cpu
@pytest.mark.parametrize("report, n, k, group, bits, m", WHOLE)
def test_whole(report, n, k, group, bits, m):
    assert right("cpu", n, k, group, bits, m), report


@pytest.mark.parametrize("target", ["sm_80", "sm_90a", pytest.param("cpu", marks=needs_cpu)])
def test_ones(target):
    """M9: where all numbers are 1, a result is K, unless a part of K is lost."""
    problem = Problem(n=96, k=2044, group=-1, bits=8, offset=0, max_m=12, out_dtype="f32")
    size = (problem.stored_k, problem.stored_n)
    w = repack_weights(np.ones(size, np.uint8), *size, source="row_major", bits=8)
    memory = np.full((12, 2048), np.nan, np.float16)
    x = memory[:, :2044]
    x[...] = 1
    y = wna16.compile(problem, target)(x, w, np.ones((1, size[1]), np.float16))
    assert (y == 2044).all()


@needs_cpu
def test_rows_that_lie_far_apart():
    """G1, G3: row 8 begins past 2^32 elements; so few rows are all that is touched."""
    m, row = 9, (1 << 29) + 8
    layer = formats.FormatLayer(Problem(n=64, k=128, out_dtype="f32"))
    memory = mmap.mmap(-1, 2 * m * row, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NO_RESERVE)
    x = np.frombuffer(memory, np.float16).reshape(m, row)[:, :128]
    x[...] = layer.rows(m)
    exact, bound = layer.bound(x.astype(np.float64))
    y = wna16.compile(layer.problem, "cpu")(x, *layer.arrays)
    assert (np.abs(y - exact) <= bound).all()


@pytest.mark.parametrize(
    "report, k, group",
    [
        ("B8: 640 of two ranks", 320, 128),
        ("D5", 192, 128),
        ("D6: 134 groups and a half", 4304, 32),
        ("D7: more than half of K", 768, 512),
        ("E2: a quarter of 768", 192, 128),
        ("E2: an eighth of 768", 96, 128),
        ("E3: half of 231 groups", 14784, 128),
        ("E4: no group of 344 is inferred", 2752, 128),
        ("E6: half of 7 groups", 448, 128),
    ],
)
def test_groups_that_do_not_divide_k(report, k, group):
    """Refused before anything is compiled, with both numbers, the rule and a way out."""
    verdict = supports(Problem(n=128, k=k, group=group))
    assert not verdict, report
    for part in (f"K ({k})", f"found {group}", "with a group_size such as", "[PROB3]"):
        assert part in verdict.reason, report
    with pytest.raises(ShapeError, match="PROB3"):
        wna16.compile(Problem(n=128, k=k, group=group))


@pytest.mark.parametrize("group", [-1, 128, 32])
@pytest.mark.parametrize("offset", [8, None])
def test_shards(group, offset):
    """E1, E5, E7, I2: results of ranks along K add up, those along N lie side by side.

    Partial results are f32, and so are the sums of a kernel that splits K itself.
    """
    problem = Problem(n=128, k=512, group=group, offset=offset, out_dtype="f32")
    whole = formats.FormatLayer(problem, seed=7)
    x = whole.rows(5)
    exact, bound = whole.bound(x.astype(np.float64))
    for rank_n in range(2):
        columns = slice(64 * rank_n, 64 * rank_n + 64)
        total = np.zeros((5, 64))
        for rank_k in range(2):
            rows = slice(256 * rank_k, 256 * rank_k + 256)
            part = whole.shard(rows, columns)
            kernel = wna16.compile(part.problem, "sm_90a")
            total += kernel(np.ascontiguousarray(x[:, rows]), *part.arrays)
        assert (np.abs(total - exact[:, columns]) <= bound[:, columns]).all()


def test_scales_that_are_not_those_of_the_shard():
    """E5, G8: of all of K, or none; nothing runs."""
    whole = formats.FormatLayer(Problem(n=64, k=512, group=64))
    part = whole.shard(slice(0, 256), slice(0, 64))
    kernel = wna16.compile(part.problem, "sm_90a")
    w, s, _, _ = part.arrays
    x = part.rows(2)
    for scales in (whole.arrays[1], s[:0], s[:-1]):
        with pytest.raises(ShapeError, match=r"expected s to hold .*\[ARG2\]"):
            kernel(x, w, scales)
