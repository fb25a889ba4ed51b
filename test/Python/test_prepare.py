"""Ranges of M: which are compiled when, by whom, and what a launch does without."""

import json
import logging
import textwrap
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from wna16 import CompileError, LaunchError, Problem, ShapeError, emulate, load
from wna16 import compile as compile_problem
from wna16.plan import plan
from wna16.problem import MAX_M

from conftest import FAKE_COMPILER
from test_launch import run

PROBLEM = Problem(n=384, k=512, max_m=16)


@pytest.fixture
def counted(fake_tools, tmp_path, monkeypatch):
    """The kernels (and plans) that the fake compiler was started for, so far."""
    monkeypatch.setenv("COUNT_FILE", str(tmp_path / "count"))
    fake_tools("wna16-compile", FAKE_COMPILER)

    def runs():
        names = (tmp_path / "count").read_text().split()
        return sorted(n.removesuffix("_n384_k512_g128").removeprefix("wna16_gemm_") for n in names)

    return runs


def bounds(kernel):
    return [max_m for max_m, _ in kernel.artifact.kernels]


@pytest.mark.parametrize(
    "max_m, expected",
    [(1, [8]), (8, [8]), (9, [8, 16]), (17, [8, 16, 64]), (MAX_M, [8, 16, 64, MAX_M])],
)
def test_compile_makes_the_ranges_up_to_max_m(counted, max_m, expected):
    kernel = compile_problem(Problem(n=384, k=512, max_m=max_m), "sm_90a")
    assert bounds(kernel) == expected
    assert [r.schedule for r in kernel.records] == [f"#wna16.schedule<{m}>" for m in expected]
    assert len(counted()) == 1 + len(expected)


def test_prepare_adds_what_is_missing(counted):
    kernel = compile_problem(PROBLEM, "sm_90a")
    kernel.prepare()
    assert bounds(kernel) == [8, 16]
    kernel.prepare(max_m=17)
    kernel.prepare(17)
    assert bounds(kernel) == [8, 16, 64]
    assert counted() == ["m16", "m64", "m8", "plan"]
    # From the cache, for another kernel of the problem.
    again = compile_problem(PROBLEM, "sm_90a")
    again.prepare(max_m=64)
    assert bounds(again) == [8, 16, 64] and len(counted()) == 4


@pytest.mark.parametrize("max_m", [0, -1, 1.5, "8", True, MAX_M + 1])
def test_prepare_for_what_cannot_be(counted, max_m):
    kernel = compile_problem(PROBLEM, "sm_90a")
    with pytest.raises(ShapeError, match="ARG2"):
        kernel.prepare(max_m=max_m)


def launch_on_host(kernel, m, monkeypatch):
    used = []

    def fake_run(record, arrays):
        used.append(record.kernel)
        return np.zeros((m, 384), np.float16)

    monkeypatch.setattr(emulate, "run", fake_run)
    w, s = np.zeros(24576, np.int32), np.zeros((4, 384), np.float16)
    kernel(np.zeros((m, 512), np.float16), w, s)
    return used[0]


def test_unprepared_m_compiles_once_and_says_so(counted, monkeypatch, caplog):
    kernel = compile_problem(PROBLEM, "sm_90a")
    with caplog.at_level(logging.WARNING, "wna16"):
        assert launch_on_host(kernel, 16, monkeypatch) == "wna16_gemm_m16_n384_k512_g128"
        assert caplog.records == []
        name = launch_on_host(kernel, 5000, monkeypatch)
        assert name == f"wna16_gemm_m{MAX_M}_n384_k512_g128"
        assert "M = 5000" in caplog.text and "prepare(max_m=5000)" in caplog.text
        launch_on_host(kernel, 65, monkeypatch)
        assert len(caplog.records) == 1
    # The range between is still missing, and its kernel is not the next larger one.
    assert bounds(kernel) == [8, 16, MAX_M]
    assert launch_on_host(kernel, 17, monkeypatch) == "wna16_gemm_m64_n384_k512_g128"
    assert counted() == [f"m{MAX_M}", "m16", "m64", "m8", "plan"]


def test_threads_compile_once(counted, monkeypatch):
    kernel = compile_problem(PROBLEM, "sm_90a")
    launch_on_host(kernel, 8, monkeypatch)  # from here on nothing runs
    x, w, s = np.zeros((8, 512), np.float16), np.zeros(24576, np.int32), np.zeros(1536, np.float16)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: kernel(np.repeat(x, 1 + i % 8, axis=0), w, s), range(32)))
    assert counted() == ["m16", "m64", "m8", "plan"]


def test_more_rows_than_there_can_be(counted):
    kernel = compile_problem(PROBLEM, "sm_90a")
    x = np.lib.stride_tricks.as_strided(np.zeros(512, np.float16), (MAX_M + 1, 512), (0, 2))
    with pytest.raises(ShapeError, match=f"at most {MAX_M} rows.*ARG2"):
        kernel(x, np.zeros(24576, np.int32), np.zeros((4, 384), np.float16))


def test_loaded_kernels_are_all_there_is(counted, tmp_path, monkeypatch):
    kernel = compile_problem(PROBLEM, "sm_90a", batch_invariant=True)
    kernel.prepare(max_m=64)
    kernel.save(tmp_path / "kernels")
    again = load(tmp_path / "kernels")
    assert bounds(again) == [8, 16, 64] and again.artifact.batch_invariant
    again.prepare(max_m=64)
    with pytest.raises(ShapeError, match="at most 64 rows.*ARG2"):
        again.prepare(max_m=65)
    with pytest.raises(ShapeError, match="at most 64 rows.*ARG2"):
        launch_on_host(again, 65, monkeypatch)


def test_batch_invariance_is_asked_for(counted):
    kernel = compile_problem(PROBLEM, "sm_90a", batch_invariant=True)
    assert "batch invariance costs 25 %" in kernel.explain()
    assert "batch invariance" not in compile_problem(PROBLEM, "sm_90a").explain()
    assert counted().count("plan") == 2


def test_explain_has_predictions(counted):
    text = compile_problem(PROBLEM, "sm_90a").explain()
    assert "predicted  2.0 us at M = 8, limited by memory" in text


@pytest.mark.parametrize(
    "change", [dict(version=2), dict(gemms=[]), dict(gemms=[dict(ranges=[])]), dict(format="x")]
)
def test_plan_that_cannot_be_read(fake_tools, change):
    answer = dict(format="wna16-plan", version=1, gemms=[dict(ranges=[
        dict(max_m=MAX_M, at_m=8, schedule="s", predicted_us=1, limit="memory",
             invariant_cost=1)])])  # fmt: skip
    fake_tools("wna16-compile", f"import json; print({json.dumps(json.dumps(answer))})")
    assert plan(PROBLEM, "sm_90a")[0].max_m == MAX_M
    bad = json.dumps(json.dumps({**answer, **change}))
    fake_tools("wna16-compile", f"import json; print({bad})")
    with pytest.raises(CompileError, match="same sources"):
        plan(PROBLEM, "sm_90a")


@pytest.mark.needs_runtime
def test_launches_on_a_device(counted, record, tmp_path):
    run(
        record,
        """
        import logging
        kernel = wna16.compile(wna16.Problem(n=384, k=512), "sm_90a")
        # Nothing prepared: an error under capture, which names the remedy.
        driver().fakeSetCapturing(1)
        for m, remedy in [(7, "kernel.prepare()"), (40, "kernel.prepare(max_m=40)")]:
            try:
                call(m=m)
            except wna16.LaunchError as error:
                assert remedy in str(error), error
            else:
                raise AssertionError("launched under capture")
        driver().fakeSetCapturing(0)
        kernel.prepare(max_m=40)
        driver().fakeSetCapturing(1)
        call(m=7); call(m=40)
        assert last()[0] == 2
        driver().fakeSetCapturing(0)
        # Without a capture it is compiled.
        call(m=100)
        assert last()[0] == 3
        assert [m for m, _ in kernel.artifact.kernels] == [8, 16, 64, 1 << 20]
        """,
    )


@pytest.mark.needs_runtime
def test_streams_and_threads_on_a_device(counted, record):
    run(
        record,
        """
        from concurrent.futures import ThreadPoolExecutor
        kernel = wna16.compile(wna16.Problem(n=384, k=512), "sm_90a")
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda i: call(m=1 + i, stream=i % 5), range(100)))
        assert last()[0] == 100
        """,
    )
    assert counted() == [f"m{MAX_M}", "m16", "m64", "m8", "plan"]
