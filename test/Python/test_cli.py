"""The commands of python -m wna16."""

import re

import pytest

from wna16.cli import main


def test_info_runs_with_nothing_there(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("WNA16_BIN", str(tmp_path))
    monkeypatch.setenv("WNA16_RUNTIME", str(tmp_path / "none.so"))
    assert main(["info"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"wna16-compile +missing: .*make build", out)
    assert re.search(r"runtime +missing", out)


def test_errors_of_this_package_are_one_line(capsys):
    assert main(["compile", "--n", "0", "--k", "128"]) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith("wna16: error: expected N") and "Traceback" not in captured.err


def test_demo_of_a_missing_checkpoint(capsys):
    assert main(["demo", "--checkpoint", "/nonexistent"]) == 1
    assert "/nonexistent does not exist" in capsys.readouterr().err


@pytest.mark.needs_tools("wna16-compile", "wna16-run")
@pytest.mark.needs_runtime
def test_demo(capsys):
    assert main(["demo", "--target", "sm_90a"]) == 0
    out = capsys.readouterr().out
    assert out.rstrip().endswith("ok")
    assert len(re.findall(r"M = \d+ +error against fp64 \d\.\d\de-0[4-9]", out)) == 3
    assert re.search(r"phases +M <= \d+ .*import \d.*lower \d.*total \d", out)


@pytest.mark.needs_tools("wna16-compile")
def test_compile(capsys):
    assert main(["compile", "--n", "64", "--k", "128", "--target", "sm_80"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"^M <= (\d+): wna16_gemm_m\1_n64_k128_g128$", out, re.M), out
