"""Problems: which are refused, by which rule, and what is a cache key."""

import numpy as np
import pytest

from wna16 import DTypeError, Problem, ShapeError, supports

GOOD = dict(n=6144, k=4096)


@pytest.mark.parametrize(
    "change, error, label",
    [
        (dict(dtype="f32"), DTypeError, "PROB1"),
        (dict(scale_dtype="f32"), DTypeError, "PROB1"),
        (dict(out_dtype="f64"), DTypeError, "PROB1"),
        (dict(bias_dtype="i32"), DTypeError, "PROB1"),
        (dict(bits=0), DTypeError, "PROB2"),
        (dict(bits=9), DTypeError, "PROB2"),
        (dict(offset=16), DTypeError, "PROB2"),
        (dict(group=8), ShapeError, "PROB3"),
        (dict(group=0), ShapeError, "PROB3"),
        (dict(group=96), ShapeError, "PROB3"),
        (dict(group=-2), ShapeError, "PROB3"),
        (dict(layout="gptq"), ShapeError, "PROB4"),
        (dict(zero_layout="gptq_zeros"), ShapeError, "PROB4"),
        (dict(n=0), ShapeError, "PROB5"),
        (dict(k=0), ShapeError, "PROB6"),
        (dict(k=65535 * 64 + 16, group=16), ShapeError, "PROB6"),
        (dict(max_m=2**20 + 1), ShapeError, "PROB7"),
        (dict(max_m=0), ShapeError, "PROB7"),
    ],
)
def test_refused(change, error, label):
    problem = Problem(**{**GOOD, **change})
    with pytest.raises(error, match=rf"\[{label}\]"):
        problem.check()
    verdict = supports(problem)
    assert not verdict and f"[{label}]" in verdict.reason


def test_types_are_checked_at_construction():
    with pytest.raises(DTypeError, match="n to be an integer, found '64'"):
        Problem(n="64", k=128)
    with pytest.raises(DTypeError, match="max_m to be an integer, found True"):
        Problem(n=64, k=128, max_m=True)


def test_smallest_problem_is_supported():
    assert supports(Problem(n=64, k=128, max_m=1))
    assert supports(Problem(n=64, k=128, max_m=1, dtype="bf16"))


def test_what_is_supported():
    for bits in range(1, 9):
        for offset in (None, 0, 2**bits - 1):
            assert supports(Problem(n=1, k=48, bits=bits, offset=offset, group=16))
    for group in (16, 48, 256, -1):
        assert supports(Problem(n=40, k=768, group=group, out_dtype="f32", bias_dtype="bf16"))


def test_defaults_follow_from_the_rest():
    problem = Problem(n=64, k=128, bits=3, dtype="bf16")
    assert problem.offset == 4 and problem.scale_dtype == problem.out_dtype == "bf16"
    assert problem == Problem(n=64, k=128, bits=3, offset=4, dtype="bf16", out_dtype="bf16")
    assert not problem.has_zeros and Problem(n=1, k=16, group=16, offset=None).has_zeros


@pytest.mark.parametrize(
    "k, group, stored_k, groups",
    [(4096, 128, 4096, 32), (192, 64, 256, 4), (768, 256, 768, 3), (48, 48, 48, 1),
     (144, 48, 144, 3), (1000, -1, 1024, 1), (3, -1, 128, 1), (16, 16, 128, 8),
     (384, 384, 384, 1)],
)  # fmt: skip
def test_padding(k, group, stored_k, groups):
    problem = Problem(n=65, k=k, group=group)
    assert (problem.stored_n, problem.stored_k, problem.groups) == (128, stored_k, groups)


def test_is_a_key():
    assert len({Problem(**GOOD), Problem(**GOOD), Problem(**GOOD, max_m=8)}) == 2
    with pytest.raises(AttributeError):
        Problem(**GOOD).n = 1


def test_targets():
    from wna16 import TargetError
    from wna16.targets import TARGETS, check_target, target_of_capability

    assert [check_target(t) for t in TARGETS] == list(TARGETS)
    assert target_of_capability(9, 0) == "sm_90a"
    with pytest.raises(TargetError, match=r"sm_90'.*\[TARGET1\]"):
        check_target("sm_90")
    with pytest.raises(TargetError, match=r"compute capability 7.5.*\[TARGET2\]"):
        target_of_capability(7, 5)


def test_numpy_integers_are_integers():
    problem = Problem(n=np.int64(64), k=np.uint16(128), max_m=np.int8(8), offset=np.int32(8))
    assert problem == Problem(n=64, k=128, max_m=8)
    assert type(problem.n) is int and type(problem.offset) is int
    with pytest.raises(DTypeError, match="n to be an integer, found .*64.0"):
        Problem(n=np.float64(64), k=128)


@pytest.mark.parametrize("problem", [None, 5, {"n": 64}])
def test_compile_takes_problems_only(problem):
    from wna16 import compile

    with pytest.raises(DTypeError, match="expected a wna16.Problem"):
        compile(problem, "sm_80")
