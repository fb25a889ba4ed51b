"""Products of mixtures of experts from Python, with chosen schedules, in the emulator."""

import sys
from dataclasses import replace

import numpy as np
import pytest

import wna16
from wna16 import DTypeError, MoeKernel, MoeProblem, ShapeError, TargetError
from wna16 import emit, moe, plan, supports

from conftest import ROOT

sys.path.insert(0, str(ROOT / "test" / "GPU"))
import moe_layers  # noqa: E402
from moe_layers import MoeLayer, routing, tables  # noqa: E402

needs_compiler = pytest.mark.needs_tools("wna16-compile")


def needs_all(test):
    tools = pytest.mark.needs_tools("wna16-compile", "wna16-run")
    return tools(pytest.mark.needs_runtime(test))


def problem(**fields):
    return MoeProblem(**{**dict(n=128, k=256, experts=3, top_k=2, max_m=64), **fields})


def check(kernel, layer, x, ids):
    """Every row that a segment covers is right, and no other one was asked for."""
    segments, slots = tables(ids, layer.problem)
    exact, bound = layer.bound(x, segments, slots)
    y = kernel(x, *layer.arrays[:2], segments, slots, *layer.arrays[2:]).astype(np.float64)
    assert y.shape == (ids.size, layer.problem.n)
    covered = ~np.isnan(exact).any(axis=1)
    assert covered.sum() == (ids >= 0).sum()
    error = np.abs(y - exact)[covered]
    assert (error <= bound[covered]).all(), f"{error.max()} off"


CASES = {
    "59 of 60 experts empty": (problem(n=64, experts=60, top_k=1), np.full((9, 1), 17)),
    "all tokens to the last expert": (problem(experts=5, top_k=1), np.full((20, 1), 4)),
    "E is no power of two (F9)": (problem(n=64, experts=9, top_k=6, x_rows="slot"), 5),
    "one expert": (problem(experts=1, top_k=1, segment_rows=16), 19),
    "no expert for a third (F5)": (problem(), "dropped"),
    "no expert for all": (problem(), np.full((4, 2), -1)),
    "no tokens": (problem(), np.zeros((0, 2), int)),
    "one token": (problem(experts=8), 1),
    "partly filled": (problem(segment_rows=32, experts=4), 21),
    "tall segments": (problem(segment_rows=64, top_k=1, max_m=128), 70),
    "odd segments": (problem(segment_rows=5), 11),
    "x by position": (problem(x_rows="position"), 9),
    "y by position, bf16": (problem(y_rows="position", dtype="bf16"), 9),
    "zero points, a bias, padding": (
        problem(n=100, k=320, group=64, offset=None, bias_dtype="f32", dtype="bf16"), 7),
    "8 bits, other types": (
        problem(bits=8, group=-1, scale_dtype="bf16", out_dtype="f32", bias_dtype="f16"), 7),
    "3 bits": (problem(bits=3, offset=None, group=32, segment_rows=16), 11),
}  # fmt: skip


@needs_all
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
def test_right(name, target):
    p, wanted = CASES[name]
    if isinstance(wanted, (int, str)):
        kind, tokens = ("uniform", wanted) if isinstance(wanted, int) else (wanted, 11)
        wanted = routing(kind, tokens, p)
    layer = MoeLayer(p, data="adversarial" if len(name) % 2 else "random")
    check(wna16.compile(p, target), layer, layer.rows(len(wanted)), wanted)


@needs_all
@pytest.mark.parametrize("problem", moe_layers.PROBLEMS[::3], ids=moe_layers.name_of)
def test_layers_of_the_gpu_tests(problem):
    """They have to be right here first."""
    layer, kernel = MoeLayer(problem), wna16.compile(problem, "sm_90a")
    for tokens, kind in ((1, "uniform"), (7, "last"), (7, "dropped")):
        check(kernel, layer, layer.rows(tokens), routing(kind, tokens, problem))


@needs_all
def test_a_layer_of_two_products():
    """w13 by token to position, w2 by position to slot, and the sum: what a layer does."""
    first = problem(experts=4, n=128, k=128, y_rows="position", out_dtype="f16")
    second = replace(first, n=64, k=128, x_rows="position", y_rows="slot", out_dtype="f32")
    w13, w2 = MoeLayer(first, seed=1), MoeLayer(second, seed=2)
    x, ids = w13.rows(9), routing("dropped", 9, first)
    segments, slots = tables(ids, first)
    h = wna16.compile(first, "sm_90a")(x, *w13.arrays[:2], segments, slots)
    exact, _ = w2.bound(h, segments, slots)
    y = wna16.compile(second, "sm_90a")(h, *w2.arrays[:2], segments, slots)
    weights = np.random.default_rng(3).random(ids.shape, np.float32)
    given = moe.sum_slots(y, ids, experts=4, router_weights=weights)
    wanted = moe.sum_slots(exact, ids, experts=4, router_weights=weights)
    assert np.isfinite(wanted).all()
    assert np.abs(given - wanted).max() < 2e-3 * np.abs(wanted).max()


@needs_all
def test_smaller_tables_and_a_saved_kernel(tmp_path):
    p = problem()
    layer, ids = MoeLayer(p), routing("uniform", 7, p)
    kernel = wna16.compile(p, "sm_90a")
    kernel.save(tmp_path / "kernel")
    loaded = wna16.load(tmp_path / "kernel")
    assert isinstance(loaded, MoeKernel) and loaded.problem == p
    x = layer.rows(7)
    segments, slots = tables(ids, p)
    used = segments[segments[:, 2] > 0]
    out = np.zeros((14, p.n), np.float16)
    given = loaded(x, *layer.arrays[:2], used, slots, out=out)
    assert given is out
    assert (out == kernel(x, *layer.arrays[:2], segments, slots)).all()


@needs_all
def test_batch_invariant():
    """A token's row has the same bits alone and among others."""
    p = problem(k=1024, max_m=64)
    layer, kernel = MoeLayer(p), wna16.compile(p, "sm_90a", batch_invariant=True)
    x, ids = layer.rows(30), routing("uniform", 30, p)
    many = kernel(x, *layer.arrays[:2], *tables(ids, p))
    alone = kernel(x[7:8], *layer.arrays[:2], *tables(ids[7:8], p))
    assert (many[14:16] == alone).all()


@needs_compiler
def test_arguments_are_checked():
    p = problem(bias_dtype="f32")
    layer, x = MoeLayer(p), MoeLayer(p).rows(4)
    kernel = wna16.compile(p, "sm_90a")
    segments, slots = tables(routing("uniform", 4, p), p)
    w, s, _, bias = layer.arrays
    good = dict(x=x, w=w, s=s, segments=segments, slots=slots, bias=bias)
    many = np.zeros((moe.segment_bound(2**20, 3, 8) + 1, 4), np.int32)
    for error, label, changed in (
        (DTypeError, "ARG1", dict(slots=None)),
        (DTypeError, "ARG1", dict(slots=slots[:, None])),
        (DTypeError, "ARG1", dict(segments=segments[0])),
        (DTypeError, "ARG1", dict(segments=segments.astype(np.int64))),
        (DTypeError, "ARG1", dict(slots=slots.astype(np.float32))),
        (DTypeError, "ARG1", dict(bias=None)),
        (ShapeError, "ARG2", dict(segments=segments[:, :3])),
        (ShapeError, "ARG2", dict(segments=many)),
        (ShapeError, "ARG2", dict(w=w[:2])),
        (ShapeError, "ARG2", dict(s=s[0])),
        (ShapeError, "ARG2", dict(bias=bias[:2])),
        (ShapeError, "ARG2", dict(x=x[:, :-8])),
        (DTypeError, "ARG1", dict(out=np.zeros((8, 128), np.float32))),
        (ShapeError, "ARG2", dict(out=np.zeros((4, 128), np.float16))),
        (ShapeError, "ARG3", dict(slots=np.repeat(slots, 2)[::2])),
        (ShapeError, "ARG7", dict(slots=slots[:-1])),
        (ShapeError, "ARG7", dict(x=x[:3])),
    ):
        with pytest.raises(error, match=rf"\[{label}\]"):
            kernel(**{**good, **changed})


@pytest.mark.parametrize(
    "change, label",
    [
        (dict(experts=0), "PROB8"),
        (dict(experts=1025), "PROB8"),
        (dict(top_k=17), "PROB9"),
        (dict(segment_rows=0), "PROB10"),
        (dict(segment_rows=257), "PROB10"),
        (dict(x_rows="row"), "PROB11"),
        (dict(y_rows="token"), "PROB11"),
        (dict(k=0), "PROB6"),
    ],
)
def test_refused(change, label):
    p = problem(**change)
    with pytest.raises(ShapeError, match=rf"\[{label}\]"):
        p.check()
    assert not supports(p)


def test_types_of_fields():
    with pytest.raises(DTypeError, match="experts to be an integer, found '3'"):
        problem(experts="3")
    with pytest.raises(DTypeError, match="x_rows to be a string, found 1"):
        problem(x_rows=1)
    assert problem() != problem(experts=4) and hash(problem()) == hash(problem(offset=8))


def test_no_kernels_for_cpus():
    with pytest.raises(TargetError, match=r"no such kernels for CPUs \[TARGET5\]"):
        wna16.compile(problem(), "cpu")


@needs_compiler
def test_names_tell_problems_apart():
    """The entry point is what a loaded kernel is found by."""
    different = [
        problem(), problem(experts=4), problem(top_k=1), problem(segment_rows=16),
        problem(x_rows="slot"), problem(x_rows="position"), problem(y_rows="position"),
        problem(bits=8), problem(bias_dtype="f32"), problem(dtype="bf16"),
    ]  # fmt: skip
    assert len({emit.kernel_name(p, 64) for p in different}) == len(different)


@needs_compiler
@pytest.mark.parametrize("rows", [8, 16, 32, 64])
def test_a_plan_knows_segments(rows):
    """Tiles hold a segment, every slot count has a kernel, and time follows busy experts."""
    p = problem(n=4096, k=7168, experts=256, top_k=8, segment_rows=rows, dtype="bf16")
    ranges = plan.plan(p, "sm_90a")
    assert ranges[-1].max_m == 2**20
    assert all(f", {rows}, " in r.schedule.split("]")[0] for r in ranges)
    # 4096 slots read the weights of 256 experts, or of 8 of them again and again.
    few = plan.plan(replace(p, experts=8), "sm_90a")
    assert ranges[-1].at_m == few[-1].at_m == 4096
    assert ranges[-1].predicted_us > few[-1].predicted_us


def test_proposed_rows_of_segments():
    assert moe.segment_rows(8, 128, 8) == 8
    assert moe.segment_rows(64 * 8, 128, 8) == 8
    assert moe.segment_rows(256 * 8, 256, 8) == 16
    assert moe.segment_rows(256 * 8, 128, 8) == 32
    assert moe.segment_rows(1024 * 8, 128, 8) == 64
    assert moe.segment_rows(2**20, 1, 16) == 64 and moe.segment_rows(0, 8, 2) == 8
    assert moe.busy_experts(16, 128, 16) == pytest.approx(16)
    # As many as random routings have.
    p = problem(experts=128, top_k=8)
    found = [np.unique(routing("uniform", 16, p, seed)).size for seed in range(20)]
    assert moe.busy_experts(128, 128, 8) == pytest.approx(np.mean(found), rel=0.05)
