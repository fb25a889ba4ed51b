"""What the benchmark takes from others: schedules files, tables of programs, wheels."""

import json
import sys
import zipfile
from pathlib import Path

import pytest
from conftest import FAKE_COMPILER

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "bench"))

from benchmark import build, prototypes, variants, wheels  # noqa: E402
from benchmark.points import Point  # noqa: E402

SCHEDULE = (
    "tile = [64, 8, 128], warps = [1, 8], stages = 2, copy = cp_async, math = mma, "
    "scales = accumulator, split = none, roles = uniform"
)

# --- schedules files -----------------------------------------------------------


def test_names_hold_what_is_not_usual():
    assert variants.short_name(SCHEDULE) == "t64x8x128 w1x8 s2"
    text = SCHEDULE.replace("copy = cp_async", "copy = bulk") + ", blocks = 2, dependent"
    name = variants.short_name(f"#wna16.schedule<{text}>")
    assert name == "t64x8x128 w1x8 s2 copy=bulk b2 dependent"


def test_entries_are_expanded():
    several = {"shape": ["8b.o", "256x128"], "m": [9, 16], "dtype": ["f16", "bf16"]}
    own = {"shape": "8b.o", "m": 16, "name": "own", "module": "{n}_{k}.mlir"}
    listed = variants.expand([{**several, "schedule": SCHEDULE}, own], Path("/base"))
    assert len(listed) == 5
    assert {(v.n, v.k, v.dtype) for v in listed[:4]} == {
        (n, k, d) for n, k in ((4096, 4096), (256, 128)) for d in ("f16", "bf16")
    }
    assert listed[0].fits(4096, 4096, 9, "f16")
    assert not listed[0].fits(4096, 4096, 8, "f16")
    assert not listed[0].fits(4096, 4096, 9, "bf16")
    assert listed[4].module == "/base/4096_4096.mlir"


def test_names_are_told_apart():
    two = [SCHEDULE, SCHEDULE + ", dependent"]
    entry = {"shape": "8b.o", "m": 8, "name": "same", "schedule": two}
    assert [v.name for v in variants.expand([entry])] == ["same", "same #2"]


@pytest.mark.parametrize(
    "entry, message",
    [
        ({"shape": "8b.o", "m": 8}, "one of schedule"),
        ({"shape": "8b.o", "m": 8, "schedule": "", "module": ""}, "one of schedule"),
        ({"shape": "8b.o", "m": [16, 8], "schedule": ""}, "low, high"),
        ({"shape": "8b.x", "m": 8, "schedule": ""}, "expected a shape"),
        ({"shape": "8b.o", "m": 8, "schedule": "", "dtype": "f32"}, "f16 or bf16"),
        ({"shape": "8b.o", "m": 8, "schedules": ""}, "unknown keys"),
    ],
)
def test_bad_entries_are_named(entry, message):
    with pytest.raises(ValueError, match=rf"entry 0 .*{message}"):
        variants.expand([entry])


def test_the_schedule_is_in_the_module():
    entry = {"shape": "8b.o", "m": 8, "schedule": f"#wna16.schedule<{SCHEDULE}>"}
    (variant,) = variants.expand([entry])
    text = variants.module_text(variant)
    assert f"{{max_m = 8 : i64, schedule = #wna16.schedule<{SCHEDULE}>}}" in text


def test_refused_variants_stay_with_their_reason(tmp_path, fake_tools):
    refusal = "\n    if 'stages = 99' in text: sys.exit('error: too many stages')\n"
    marker = "    out = pathlib.Path"
    fake_tools("wna16-compile", FAKE_COMPILER.replace(marker, refusal + marker, 1))
    two = [SCHEDULE, SCHEDULE.replace("stages = 2", "stages = 99")]
    listed = variants.expand([{"shape": "8b.o", "m": 8, "schedule": two}])
    variants.compile_all(listed, tmp_path / "variants", "sm_90a")
    good, bad = variants.read_index(tmp_path / "variants")
    assert Path(good.record).exists() and not good.error
    assert "too many stages" in bad.error and not bad.record


@pytest.mark.needs_tools("wna16-compile")
def test_a_given_record_is_taken_along(tmp_path):
    entry = {"shape": "8b.o", "m": 8, "schedule": SCHEDULE}
    variants.compile_all(variants.expand([entry]), tmp_path / "first", "sm_90a")
    (made,) = variants.read_index(tmp_path / "first")
    assert json.loads(Path(made.record).read_text())["schedule"] == f"#wna16.schedule<{SCHEDULE}>"
    again = {"shape": "8b.o", "m": 8, "record": made.record, "name": "taken"}
    variants.compile_all(variants.expand([again]), tmp_path / "second", "sm_90a")
    (taken,) = variants.read_index(tmp_path / "second")
    assert taken.name == "taken" and not taken.error
    ptx = Path(taken.record).with_suffix(".ptx")
    assert ptx.read_text() == Path(made.record).with_suffix(".ptx").read_text()


def test_kernels_are_made_for_as_many_rows_as_there_can_be(tmp_path, monkeypatch):
    asked = []

    class Kernel:
        def save(self, folder):
            folder.mkdir(parents=True)
            (folder / "artifact.json").write_text("{}")

    def compile(problem, target):
        asked.append(problem.max_m)
        if problem.dtype == "bf16" or problem.max_m > 64:
            raise build.wna16.ShapeError(f"M = {problem.max_m} is too much")
        return Kernel()

    monkeypatch.setattr(build.wna16, "compile", compile)
    monkeypatch.setattr(build.wna16, "load", lambda folder: folder.name)
    most = build.compile_widest(64, 128, "f16")
    assert asked[0] == 8192 and asked[-1] == 64
    assert isinstance(most.kernel, Kernel) and most.refusal == "M = 8192 is too much"
    none = build.compile_widest(64, 128, "bf16")
    assert none.kernel is None and asked[-1] == 1
    build.save(most, tmp_path, 64, 128, "f16")
    build.save(none, tmp_path, 64, 128, "bf16")
    assert build.load(tmp_path, 64, 128, "f16") == build.Built("n64_k128_f16", most.refusal)
    assert build.load(tmp_path, 64, 128, "bf16") == build.Built(None, most.refusal)


# --- tables of programs --------------------------------------------------------

DECODE = """\
empty kernel, 128 CTAs, cluster 1: 0.66 us per graph node, 0.55 with PDL
N 4096 K 4096: 8.7 MB, 32 copies, read kernel 3.50 us (2471 GB/s)
  M 1  warp wk8 d3            C2 128 CTAs    5.59 us  1548 GB/s  0.63  0.35  \
err 2.08e-04; PDL   4.27; x>=0 2.5e-04; bf16   5.75 \
1.7e-03; fp16 zp   5.87 2.1e-04; bf16 zp   5.98 1.7e-03
  M 16 ring n2 wn4 wk2 ns8    C4  96 CTAs    8.12 us  1598 GB/s  0.55  0.36  \
err 2.08e-04; PDL   7.15; x>=0 2.5e-04; bf16   8.49 \
1.7e-03; fp16 zp   8.53 2.1e-04; bf16 zp   8.90 1.7e-03
ALL OK
"""
RANKED = """\
fp16 12288 2048 M 31: 5 configurations checked
bf16  4096  4096 M32  floor   2.0 cuBLAS  13.2 | pdl 8.30 err 1.6e-03 |128x32 wg2 c2 acc \
S4 8.81;256x32 wg4 c1 acc S8 9.10
fp16 57344  8192 M128 floor 152.0 cuBLAS   0.0 | pdl 162.20 err 2.7e-04 |\
256x128 wg4 c2 kb4 sk S1 163.30
bad 0, worst relative error against fp64 2.10e-03
"""
RATIO = """\
check: 0 bad, worst relative error against fp64 2.70e-04

     N      K     M   (fp16)
  4096   4096   256 | cuBLAS     16.9 us  510 TF | BEST 128x128 18.0 us 478 TF x0.94; \
128x128s4 18.9 us 450 TF x0.89
bf16
  8192   8192  8192 | cuBLAS   1600.0 us  687 TF | BEST 256x128 1571.2 us 700 TF x1.02
done, 0 bad
"""


def entries(text):
    return [
        (e.n, e.k, e.m, e.dtype, e.us, e.config, e.dependent, e.cublas_us)
        for e in prototypes.parse(text)
    ]


def test_tables_with_headings():
    assert entries(DECODE) == [
        (4096, 4096, 1, "f16", 5.59, "warp wk8 d3 C2", False, None),
        (4096, 4096, 1, "f16", 4.27, "warp wk8 d3 C2", True, None),
        (4096, 4096, 1, "bf16", 5.75, "warp wk8 d3 C2", False, None),
        (4096, 4096, 16, "f16", 8.12, "ring n2 wn4 wk2 ns8 C4", False, None),
        (4096, 4096, 16, "f16", 7.15, "ring n2 wn4 wk2 ns8 C4", True, None),
        (4096, 4096, 16, "bf16", 8.49, "ring n2 wn4 wk2 ns8 C4", False, None),
    ]


def test_tables_with_ranks():
    assert entries(RANKED) == [
        (4096, 4096, 32, "bf16", 8.81, "128x32 wg2 c2 acc S4", False, 13.2),
        (4096, 4096, 32, "bf16", 8.3, "128x32 wg2 c2 acc S4", True, 13.2),
        (57344, 8192, 128, "f16", 163.3, "256x128 wg4 c2 kb4 sk S1", False, None),
        (57344, 8192, 128, "f16", 162.2, "256x128 wg4 c2 kb4 sk S1", True, None),
    ]


def test_tables_with_ratios():
    assert entries(RATIO) == [
        (4096, 4096, 256, "f16", 18.0, "128x128", False, 16.9),
        (8192, 8192, 8192, "bf16", 1571.2, "256x128", False, 1600.0),
    ]


@pytest.fixture
def programs(tmp_path):
    """Programs that were compiled before: scripts that print a table."""

    def write(name, text, status=0):
        (tmp_path / f"{name}.cu").write_text("// source\n")
        program = tmp_path / name
        program.write_text(
            f"#!{sys.executable}\nimport sys\nprint({text!r})\nprint(sys.argv[1:])\n"
            f"sys.exit({status})\n"
        )
        program.chmod(0o755)

    return write


def test_programs_are_run_and_their_rows_found(tmp_path, programs):
    programs("decode", DECODE)
    programs("middle", RANKED + RANKED.replace("8.81;", "9.81;"))
    programs("broken", "N 4096 K 4096:", status=1)
    programs("unnamed", DECODE)
    named = {"decode": {"arguments": ["5", "2"]}, "middle": {}, "broken": {}}
    (tmp_path / "prototypes.json").write_text(json.dumps(named))
    said = []
    made = prototypes.Prototypes(tmp_path, said.append)
    out = tmp_path / "out"
    out.mkdir()
    made.run(made.build(tmp_path / "work"), out)
    assert "['5', '2']" in (out / "decode.txt").read_text()
    assert not (out / "unnamed.txt").exists()
    assert any("broken: failed" in line for line in said)
    rows = {r.name: r for r in made.rows(Point("8b.o", 4096, 4096, 32, "bf16"))}
    assert set(rows) == {"middle", "middle +pdl"}
    assert rows["middle"].us == 8.81 and rows["middle"].about["cublas_us"] == 13.2
    assert [r.us for r in made.rows(Point("8b.o", 4096, 4096, 1, "bf16"))] == [5.75]
    assert made.rows(Point("8b.o", 4096, 4096, 64, "f16")) == []


def test_a_folder_without_programs_is_an_error(tmp_path):
    with pytest.raises(SystemExit, match="NAME.cu"):
        prototypes.Prototypes(tmp_path)


# --- wheels --------------------------------------------------------------------


def test_wheels_are_unpacked_behind_what_is_there(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("PYTHONPATH", "/before")
    (tmp_path / "wheels").mkdir()
    with zipfile.ZipFile(tmp_path / "wheels" / "made_up-1-py3-none-any.whl", "w") as wheel:
        wheel.writestr("made_up_package/__init__.py", "answer = 42\n")
        tool = zipfile.ZipInfo("made_up_package/tool")
        tool.external_attr = 0o755 << 16
        wheel.writestr(tool, "#!/bin/sh\n")
    site = tmp_path / "site"
    assert wheels.add_to_path(tmp_path / "wheels", site) == ["made_up-1-py3-none-any.whl"]
    assert sys.path[-1] == str(site)
    assert (site / "made_up_package" / "tool").stat().st_mode & 0o111
    import made_up_package

    assert made_up_package.answer == 42


def test_a_folder_without_wheels_is_an_error(tmp_path):
    with pytest.raises(SystemExit, match="NAME.whl"):
        wheels.add_to_path(tmp_path, tmp_path / "site")
