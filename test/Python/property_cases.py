"""Random layers, schedules and launches, and what it means that one is right."""

from __future__ import annotations

import shlex
import subprocess
import zlib
from dataclasses import dataclass
from pathlib import Path

from hypothesis import strategies as st

from wna16 import emit, toolchain
from wna16.problem import MAX_M, Problem, supports
from wna16.targets import TARGETS

#: Longer than any case takes on a busy machine; a hang is reported as such.
SECONDS = 300
#: One of so many kernels is assembled too, if there is a ptxas.
ASSEMBLED = 5
#: What a block of every target has for its stages, and somewhat more to spare.
SHARED_BYTES = 80 << 10
#: Rows of stored weights, and of x, that the emulator gets through in a moment.
MOST_K, MOST_M = 1024, 80

GROUPS = (128, 64, 32, 16, 48, 96, 256, -1)

#: What a family of schedules runs on, and a target that must refuse it.
COPYING = TARGETS
CLUSTERS = ("sm_90a", "sm_100a", "sm_120a") * 3 + ("sm_80",)
WARPGROUPS = ("sm_90a",) * 9 + ("sm_120a",)


@dataclass(frozen=True)
class Case:
    """One layer, compiled one way, launched once."""

    problem: Problem
    target: str
    max_m: int
    m: int
    #: Elements by which a row of x is longer than K, beyond the multiple of 8.
    padding: int
    data: str
    #: The schedule; None leaves it to the compiler.
    schedule: str | None = None
    compile_options: tuple[str, ...] = ()
    run_options: tuple[str, ...] = ()


def powers(low: int, high: int):
    """Powers of two, small ones first: that is the way in which examples shrink."""
    return st.sampled_from([1 << i for i in range(low.bit_length() - 1, high.bit_length())])


@st.composite
def problems(draw) -> Problem:
    """Any layer of the scope that is small enough for the emulator."""
    bits = draw(st.sampled_from((4, 8, 2, 3, 1, 5, 6, 7)))
    symmetric = 1 << (bits - 1)
    offset = draw(
        st.one_of(st.just(symmetric), st.none(), st.integers(0, (1 << bits) - 1))
    )
    group = draw(st.sampled_from(GROUPS))
    # Half of the layers fill their tiles of 64 columns and, without groups, of rows.
    edge = draw(st.booleans())
    n = 64 * draw(st.integers(1, 4)) - (draw(st.integers(0, 63)) if edge else 0)
    if group == -1:
        k = 128 * draw(st.integers(1, 4)) - (draw(st.integers(0, 127)) if edge else 0)
    else:
        k = group * draw(st.integers(1, MOST_K // 2 // group))
    dtype = draw(st.sampled_from(("f16", "bf16")))
    return Problem(
        n=n,
        k=k,
        bits=bits,
        offset=offset,
        group=group,
        dtype=dtype,
        scale_dtype=draw(st.sampled_from((dtype, "f16", "bf16"))),
        out_dtype=draw(st.sampled_from((dtype, "f16", "bf16", "f32"))),
        bias_dtype=draw(st.sampled_from((None, "f16", "bf16", "f32"))),
    )


@st.composite
def steps_of_k(draw, p: Problem, least: int) -> tuple[int, str]:
    """A step of K and a place of the scales that go with the group, mostly."""
    group = p.stored_k if p.group == -1 else p.group
    sizes = [s for s in (16, 32, 64, 128, 256) if least <= s <= p.stored_k]
    fits = [s for s in sizes if p.stored_k % s == 0 and (group % s == 0 or s % group == 0)]
    step = draw(st.sampled_from(fits or sizes or [least]))
    places = ("accumulator", "weights") if group % step == 0 else ("weights",)
    return step, draw(st.sampled_from(places))


@st.composite
def schedules(draw, p: Problem) -> tuple[str, str, int]:
    """A schedule of any family as text, a target for it, and its rows of a tile."""
    family = draw(st.sampled_from(("copies", "cluster", "tickets", "ring", "warpgroups")))
    wide = [s for s in (64, 128, 256) if p.stored_n % s == 0]
    tile_n = draw(st.sampled_from(wide))
    blocks, multicast, warps_m = 1, 1, 1
    if family == "warpgroups":
        copy = draw(st.sampled_from(("cp_async", "bulk", "tensor")))
        target = draw(st.sampled_from(WARPGROUPS))
        tile_m, least_k = draw(powers(8, 128)), 64
        warps_n, warps_k = 4 * draw(powers(1, tile_n // 64)), draw(powers(1, 2))
    else:
        copy = draw(st.sampled_from(("bulk", "tensor"))) if family == "ring" else "cp_async"
        target = draw(st.sampled_from(COPYING if family in ("copies", "tickets") else CLUSTERS))
        tile_m, least_k = draw(powers(8, 64)), 16
        warps_n, warps_k = draw(powers(1, tile_n // 64)), draw(powers(1, 4))
        if tile_m >= 16:
            warps_m = draw(powers(1, min(4, tile_m // 8, 32 // (warps_n * warps_k))))
    step, place = draw(steps_of_k(p, least_k))
    # Now and then more than there are, or than fit: that has to be refused.
    careless = draw(st.integers(0, 9)) == 9
    split = {"cluster": "cluster", "tickets": "ticket"}.get(family, "none")
    if family in ("ring", "warpgroups") and draw(st.integers(0, 2)) == 2:
        split = "ticket" if family == "warpgroups" else draw(st.sampled_from(("cluster", "ticket")))
    if split != "none":
        most = min(8, 8 if careless else -(-p.k // step))
        blocks = draw(powers(min(2, most), most))
        split = split if blocks > 1 else "none"
    elif copy != "cp_async" and (careless or (tile_m > 8 and p.stored_n // tile_n % 2 == 0)):
        multicast = draw(powers(1, 2))
    persistent = 0
    if copy != "cp_async" and split == "none" and multicast == 1:
        persistent = draw(st.sampled_from((0, 0, 1, 3)))
    least_stages = 2 if family == "warpgroups" else 1
    stage = warps_k * step * (2 * tile_m + max(4, p.bits) * tile_n // 8)
    most_stages = 4 if careless else min(4, max(least_stages, SHARED_BYTES // stage))
    dependent = target not in ("sm_80", "sm_86", "sm_89") and draw(st.booleans())
    optional = [
        f"{key} = {value}"
        for key, value in (("warps_m", warps_m), ("blocks", blocks), ("multicast", multicast))
        if value != 1
    ]
    if persistent:
        optional.append(f"persistent = {persistent}")
    text = ", ".join(
        [
            f"tile = [{tile_n}, {tile_m}, {step}]",
            f"warps = [{warps_n}, {warps_k}]",
            f"stages = {draw(st.integers(1 if careless else least_stages, most_stages))}",
            f"copy = {copy}",
            f"math = {'wgmma' if family == 'warpgroups' else 'mma'}",
            f"scales = {place}",
            f"split = {split}",
            f"roles = {'uniform' if copy == 'cp_async' else 'producer_consumer'}",
            *optional,
            *["dependent"] * dependent,
        ]
    )
    return f"#wna16.schedule<{text}>", target, tile_m


def data_kinds():
    return st.sampled_from(("random", "adversarial", "onehot"))


@st.composite
def run_options(draw) -> tuple[str, ...]:
    """In which order warps, copies and blocks take their turns."""
    if not draw(st.booleans()):
        return ()
    return (
        *("--completion", draw(st.sampled_from(("early", "random")))),
        *("--block-order", draw(st.sampled_from(("forward", "reverse", "random")))),
        *("--seed", str(draw(st.integers(0, 99)))),
        "--check-order",
    )


@st.composite
def launches(draw, max_m: int) -> dict[str, object]:
    """What a launch of a kernel for up to `max_m` rows may be."""
    return dict(
        max_m=max_m,
        m=draw(st.integers(1, min(max_m, MOST_M))),
        padding=draw(st.sampled_from((0, 8, 24))),
        data=draw(data_kinds()),
        run_options=draw(run_options()),
    )


@st.composite
def scheduled_cases(draw) -> Case:
    """A layer under a schedule that somebody could have written by hand."""
    problem = draw(problems())
    schedule, target, tile_m = draw(schedules(problem))
    # Tickets need workspace for every row that there may be.
    most = () if "split = ticket" in schedule else (MAX_M,)
    max_m = draw(st.sampled_from((tile_m, 2 * tile_m, *most)))
    return Case(problem, target, schedule=schedule, **draw(launches(max_m)))


@st.composite
def chosen_cases(draw) -> Case:
    """A layer for which the compiler chooses."""
    problem = draw(problems())
    target = draw(st.sampled_from(TARGETS))
    max_m = draw(st.sampled_from((8, 16, 32, 64, 256, 1024, MAX_M)))
    invariant = ("--batch-invariant",) * draw(st.booleans())
    return Case(problem, target, compile_options=invariant, **draw(launches(max_m)))


def outcome(case: Case, folder: Path) -> str:
    """Compiles and runs: "right", or the label of the rule by which it is refused.

    Anything else is an AssertionError that ends in commands that show it again; their
    input is left in `folder`.
    """
    verdict = supports(case.problem)
    assert verdict, f"{case}\nsupports() says no: {verdict.reason}"
    module, out = folder / "module.mlir", folder / "out"
    text = emit.module_text(case.problem, case.max_m, case.schedule)
    module.write_text(text)
    # Assembling takes as long as all the rest: a part of the cases has to do.
    assemble = zlib.crc32(text.encode()) % ASSEMBLED == 0
    compile_ = [
        *(_program("wna16-compile"), str(module), "--target", case.target),
        *("-o", str(out), *case.compile_options, *["--no-cubin"] * (not assemble)),
    ]
    record = out / f"{emit.kernel_name(case.problem, case.max_m)}.json"
    row = -(-case.problem.k // 8) * 8 + case.padding
    run = [
        *(_program("wna16-run"), str(record), "--symbol", f"M={case.m}"),
        *("--symbol", f"ldx={row}", "--data", case.data, *case.run_options),
    ]
    done = _call(compile_, case, [compile_])
    if done.returncode != 0:
        label = _label(done.stderr)
        if done.returncode != 1 or not label:
            raise _failure(case, done, "no labelled error of the compiler", [compile_])
        return label
    done = _call(run, case, [compile_, run])
    # Exit status 0 alone would also be that of a run without a reference.
    if done.returncode != 0 or ": right\n" not in done.stdout:
        raise _failure(case, done, "not right", [compile_, run])
    return "right"


def _label(text: str) -> str | None:
    """The label at the end of the first error."""
    first = next((line for line in text.splitlines() if " error: " in line), "")
    return first[first.rindex("[") + 1 : -1] if first.endswith("]") else None


def _program(name: str) -> str:
    return str(toolchain.find_program(name))


def _call(command: list[str], case: Case, commands: list[list[str]]):
    try:
        return subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=SECONDS
        )
    except subprocess.TimeoutExpired as late:
        raise _failure(case, late, f"not over after {SECONDS} s", commands) from None


def _failure(case: Case, done, what: str, commands: list[list[str]]) -> AssertionError:
    status = getattr(done, "returncode", "none")
    printed = [text for text in (done.stdout, done.stderr) if text]
    lines = "\n".join(shlex.join(command) for command in commands)
    return AssertionError(
        f"{what} (exit status {status})\n{case}\n"
        + "\n".join(str(text)[:2000] for text in printed)
        + f"\nto reproduce:\n{lines}\n"
    )
