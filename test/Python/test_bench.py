"""The benchmark's parts that need no GPU: points, statistics, tables, plans."""

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "bench"))

from benchmark import cli, elsewhere, output, plan, points, report, results, stats  # noqa: E402
from benchmark.method import Method, copies_of, launches_per_graph  # noqa: E402
from benchmark.points import Point  # noqa: E402
from benchmark.results import Measured, Results, Row  # noqa: E402

CALL = {"device": "NVIDIA H200", "driver": "13.0", "torch": "2.11", "peers": ["wna16", "cublas"]}


def point(m=8, shape="8b.o", n=4096, k=4096, dtype="f16"):
    return Point(shape, n, k, m, dtype)


def results_of(*measured):
    made = Results()
    made.calls = [CALL]
    for at, rows in measured:
        made.add(Measured(at, 0, [Row(name, us=us, error=1e-4) for name, us in rows.items()]))
    return made


# --- points and statistics -----------------------------------------------------


def test_m_lists_and_ranges():
    assert points.parse_ms(["1,8", "16"]) == (1, 8, 16)
    assert points.parse_ms(["16-128"]) == (16, 32, 64, 96, 128)
    assert points.parse_ms(["33"]) == (33,)
    with pytest.raises(ValueError, match="expected M"):
        points.parse_ms(["8-"])


def test_shapes_by_name_and_size():
    assert points.shape_named("8b.down") == ("8b.down", 4096, 14336)
    assert points.shape_named("4096x14336") == ("8b.down", 4096, 14336)
    assert points.shape_named("512x256") == ("512x256", 512, 256)
    with pytest.raises(ValueError, match="8b.qkv"):
        points.shape_named("9b.o")


def test_points_of_a_layer_lie_together():
    made = points.make_points(["8b.o", "8b.down"], [1, 64], ["f16", "bf16"])
    layers = [(p.n, p.k, p.dtype) for p in made]
    assert len(made) == 8
    assert sorted(set(layers), key=layers.index) == layers[::2]


def test_every_m_has_one_regime():
    for m in (0, 1, 16, 17, 128, 129, 8192):
        assert sum(m in r for r in points.REGIMES) == 1


def test_quantiles_and_means():
    assert stats.quantile([3, 1, 2], 0.5) == 2
    assert stats.quantile([1, 2, 3, 4], 0.5) == 2.5
    assert stats.quantile([0, 10], 0.9) == 9
    assert stats.geomean([1, 4, 16]) == pytest.approx(4)
    assert stats.geomean([]) is None


def test_summary_pools_rounds_and_shows_their_drift():
    summary = stats.summarize([[10, 11, 12], [20, 21, 22]])
    assert summary.us == 16
    assert summary.samples == 6
    assert summary.drift == pytest.approx(21 / 11)
    assert summary.p10 < summary.us < summary.p90


# --- method and plan -----------------------------------------------------------


def test_weights_are_cold():
    for size in (1 << 20, 9 << 20, 242 << 20, 4 << 30):
        copies = copies_of(size)
        assert copies >= 2
        assert copies * size >= 300 << 20 or copies == 40
        assert launches_per_graph(7.0, copies) % copies == 0
    assert launches_per_graph(1.0, 3) == 300


def test_pauses_only_where_power_matters():
    method = Method()
    assert method.for_m(16).pause_ms == 0
    assert method.for_m(17).pause_ms == 10
    assert method.heating(1e9) == 1
    assert method.replays(1e9) == method.min_replays
    assert method.replays(300) == method.max_replays


def test_plan_grows_with_work_and_fits_a_budget():
    some = points.make_points(["8b.o", "70b.down"], [1, 64, 4096], ["f16"])
    made = plan.make(some, 5, Method())
    assert made.seconds < plan.make(some, 10, Method()).seconds
    assert made.seconds < plan.make(some, 5, Method(rounds=6)).seconds
    costs = [s for _, s in made.entries]
    assert costs[2] > costs[1], "a larger M costs more"
    assert made.within(0) == 0
    assert made.within(sum(costs[:3])) == 3
    assert made.within(1e9) == 6
    assert some[3].key in made.text(sum(costs[:3]))


# --- results -------------------------------------------------------------------


def test_results_are_written_after_each_point_and_read_again(tmp_path):
    path = tmp_path / "bench.json"
    first = Results(path)
    first.begin_call(CALL)
    row = Row("wna16", us=5.5, p10=5.4, p90=5.6, error=2e-4, about={"schedule": "s"})
    first.add(Measured(point(), 0, [row, Row("humming", reason="not installed")]))
    again = results.read(path)
    assert again.calls == [CALL]
    assert again.points == first.points
    assert again.done(point(), ["wna16"])
    assert not again.done(point(), ["wna16", "humming"])
    assert not again.done(point(16), ["wna16"])
    again.add(Measured(point(16), 0, []))
    assert len(results.read(path).points) == 2


def test_a_file_of_something_else_is_refused(tmp_path):
    (tmp_path / "bench.json").write_text('{"format": "other"}')
    with pytest.raises(SystemExit, match="not a bench.json"):
        results.read(tmp_path / "bench.json")


def test_merge_keeps_the_last_time_and_its_call():
    old = results_of((point(), {"wna16": 9.0}), (point(16), {"wna16": 10.0}))
    new = results_of((point(), {"wna16": 8.0}))
    merged = results.merge([old, new])
    times = {m.point.m: (m.call, m.rows[0].us) for m in merged.points}
    assert times == {8: (1, 8.0), 16: (0, 10.0)}
    assert len(merged.calls) == 2


# --- times of elsewhere --------------------------------------------------------


@pytest.fixture
def marlin(tmp_path):
    path = tmp_path / "marlin.json"
    data = {
        "name": "marlin",
        "device": "NVIDIA H200",
        "provenance": "made up",
        "columns": ["dtype", "n", "k", "m", "us", "cublas_us"],
        "rows": [["f16", 4096, 4096, 8, 10.0, 20.0]],
    }
    path.write_text(json.dumps(data))
    return path


def test_times_of_elsewhere_are_scaled_by_cublas(marlin):
    times = elsewhere.Elsewhere(marlin)
    measured = results_of((point(), {"wna16": 5.0, "cublas": 24.0})).points[0]
    row = times.row(measured)
    assert (row.name, row.us) == ("marlin*", 12.0)
    assert times.row(results_of((point(), {"wna16": 5.0})).points[0]) is None
    assert times.row(results_of((point(16), {"cublas": 24.0})).points[0]) is None
    other_type = results_of((point(dtype="bf16"), {"cublas": 24.0}))
    assert times.row(other_type.points[0]) is None


def test_times_of_another_gpu_are_not_used(marlin):
    made = results_of((point(), {"wna16": 5.0, "cublas": 24.0}))
    assert output.times_of_elsewhere(made, marlin) is not None
    made.calls = [{**CALL, "device": "NVIDIA A100"}]
    assert output.times_of_elsewhere(made, marlin) is None


def test_the_times_that_are_in_the_tree_are_whole():
    data = json.loads(cli.MARLIN.read_text())
    assert "cuBLAS" in data["provenance"]
    for row in data["rows"]:
        entry = dict(zip(data["columns"], row, strict=True))
        points.shape_named(f"{entry['n']}x{entry['k']}")
        assert entry["dtype"] in points.DTYPES
        assert 1 <= entry["us"] < 2e4 and 1 <= entry["cublas_us"] < 2e4
    assert len({tuple(r[:4]) for r in data["rows"]}) == len(data["rows"]) == 112


# --- report --------------------------------------------------------------------


def goal(text, compared):
    return next(g for g in report.GOALS if g.text == text).value(compared)


def test_ratios_and_goals(marlin):
    made = results_of(
        (point(1), {"wna16": 5.0, "cublas": 20.0, "humming": 8.0}),
        (point(8), {"wna16": 6.0, "cublas": 20.0, "humming": 6.0}),
        (point(256), {"wna16": 20.0, "cublas": 19.0, "humming": 30.0}),
    )
    compared = report.compare(made, elsewhere.Elsewhere(marlin))
    assert [p.to_fastest for p in compared] == pytest.approx([1.6, 1.0, 0.95])
    assert compared[1].ratio("marlin*") == pytest.approx(10 / 6)
    assert goal("M <= 16: geomean to the fastest peer", compared) == pytest.approx(1.6**0.5)
    assert goal("M >= 256: geomean to cuBLAS", compared) == pytest.approx(0.95)
    assert goal("every point, to the fastest peer", compared) == pytest.approx(0.95)
    assert goal("geomean to gemlite", compared) is None
    text = report.markdown(made, elsewhere.Elsewhere(marlin))
    assert "Points below 1.0" in text and "made up" in text
    behind = text.split("Points below 1.0")[1].split("##")[0]
    assert "| 8b.o | 256 | 20.00 | cublas 19.00 | 0.95 |" in behind
    assert "| 8 |" not in behind


def test_only_peers_are_compared_with():
    at = point(1, "70b.o", 8192, 8192)
    made = results_of((at, {"wna16": 12.0, "cublas": 34.0, "read limit": 9.0}))
    rows = made.points[0].rows
    rows.append(Row("t64 s2", us=1.0, about={"schedule": "tile"}))
    rows.append(Row("wna16 +pdl", us=11.0, dependent=True))
    rows.append(Row("proto", us=12.6, about={"prototype": True, "config": "ring"}))
    rows.append(Row("proto +pdl", us=2.0, dependent=True, about={"prototype": True}))
    (compared,) = report.compare(made, None)
    assert compared.fastest[0] == "cublas"
    assert compared.dependent.us == 11.0
    assert compared.to_prototype == pytest.approx(1.05)
    assert goal("M <= 8, 30 MB and more: part of the read limit", [compared]) == 0.75
    assert "12.60 (ring)" in report.markdown(made, None)


def test_variants_have_a_table_of_their_own():
    made = results_of((point(), {"wna16": 6.0}), (point(16), {}))
    about = {"schedule": "tile", "registers": 90}
    made.points[0].rows.append(Row("slow", us=8.0, about=about))
    made.points[0].rows.append(Row("fast", us=5.0, about=about))
    made.points[1].rows.append(Row("alone", us=7.0, about=about))
    table = report.markdown(made, None).split("## Variants")[1]
    lines = [line for line in table.splitlines() if line.startswith("| 8b.o")]
    assert lines == [
        "| 8b.o | 8 | f16 | fast | 5.00 | 1.20 | 90 |",
        "| 8b.o | 8 | f16 | slow | 8.00 | 0.75 | 90 |",
        "| 8b.o | 16 | f16 | alone | 7.00 | - | 90 |",
    ]


def test_prototypes_above_16_are_compared_in_units_of_cublas():
    made = results_of((point(64), {"wna16": 10.0, "cublas": 12.0}))
    about = {"prototype": True, "config": "c", "cublas_us": 15.0}
    made.points[0].rows.append(Row("proto", us=15.0, about=about))
    (compared,) = report.compare(made, None)
    assert compared.to_prototype == pytest.approx(15 * 12 / 15 / 10)


def test_who_has_no_time_is_listed_with_the_reason():
    made = results_of((point(), {"wna16": 5.0}), (point(16), {"wna16": 5.0}))
    for measured in made.points:
        measured.rows.append(Row("tinygemm", reason="bf16 only"))
    text = report.markdown(made, None)
    assert "| tinygemm | bf16 only | 2, such as 8b.o m8 f16 |" in text


def test_joining_calls_writes_the_tables(tmp_path, monkeypatch, capsys):
    for name, us in (("a", 5.0), ("b", 4.0)):
        (tmp_path / name).mkdir()
        part = results_of((point(), {"wna16": us, "cublas": 8.0}))
        part.path = tmp_path / name / "bench.json"
        part.save()
    files = [str(tmp_path / n / "bench.json") for n in ("a", "b")]
    monkeypatch.setattr(sys, "argv", ["bench", "--merge", *files, "--out", str(tmp_path)])
    assert cli.main("text") == 0
    assert "**4.00**" in (tmp_path / "bench.md").read_text()
    assert len(results.read(tmp_path / "bench.json").calls) == 2


# --- command line --------------------------------------------------------------


def test_what_is_missing_is_one_line(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setattr(sys, "argv", ["bench", "--m", "8", "--wheels", "/no/such/folder"])
    assert cli.main("text") == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "PyTorch" in line and "/no/such/folder" in line


@pytest.mark.parametrize("arguments", [["--m", "x"], ["--shape", "y"], ["--peers", "z"]])
def test_bad_options_say_what_is_expected(monkeypatch, capsys, arguments):
    monkeypatch.setattr(sys, "argv", ["bench", *arguments])
    assert cli.main("text") == 2
    assert "expected" in capsys.readouterr().err
