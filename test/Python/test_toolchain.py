"""Programs that are missing, fail or crash: one error, with a command to repeat it."""

import shlex
import subprocess

import pytest

from wna16 import CompileError, Problem, TargetError, toolchain
from wna16 import compile as compile_problem

from conftest import FAKE_COMPILER

PROBLEM = Problem(n=384, k=512, max_m=8)


def test_missing_program_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setenv("WNA16_BIN", str(tmp_path))
    with pytest.raises(CompileError, match="make build.*WNA16_BIN"):
        compile_problem(PROBLEM, "sm_90a")


def test_failure_ends_in_a_command_that_fails_the_same_way(fake_tools, private_cache):
    fake_tools("wna16-compile", "import sys; sys.exit('error: cannot schedule')")
    with pytest.raises(CompileError, match="error: cannot schedule") as info:
        compile_problem(PROBLEM, "sm_90a")
    command = shlex.split(str(info.value).splitlines()[-1])
    assert command == info.value.command
    again = subprocess.run(command, capture_output=True, text=True)
    assert again.returncode == 1 and again.stderr == info.value.stderr
    assert (info.value.stage_dir / "module.mlir").read_text().startswith("func.func")
    assert list(private_cache.rglob("*")) == []


def test_crash_names_the_signal(fake_tools):
    fake_tools("wna16-compile", "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    with pytest.raises(CompileError, match="ended by signal 11"):
        compile_problem(PROBLEM, "sm_90a")


def test_hang_is_reported(fake_tools, monkeypatch):
    monkeypatch.setattr(toolchain, "TIMEOUT_SECONDS", 0.2)
    fake_tools("wna16-compile", "import time; time.sleep(60)")
    with pytest.raises(CompileError, match="did not end within"):
        compile_problem(PROBLEM, "sm_90a")


def test_no_record_is_an_error_and_not_cached(fake_tools, private_cache):
    plan = FAKE_COMPILER[: FAKE_COMPILER.index("    out = pathlib")]
    fake_tools("wna16-compile", plan)
    with pytest.raises(CompileError, match="one launch record, found 0"):
        compile_problem(PROBLEM, "sm_90a")
    # The plan is kept; no kernel is.
    assert not list(private_cache.rglob("*.ptx"))


def test_unknown_target_comes_before_any_tool(tmp_path, monkeypatch):
    monkeypatch.setenv("WNA16_BIN", str(tmp_path))
    with pytest.raises(TargetError, match="'sm_70'; expected one of sm_80"):
        compile_problem(PROBLEM, "sm_70")


def test_dump_passes_a_folder_per_kernel(fake_tools, tmp_path, monkeypatch):
    fake_tools(
        "wna16-compile",
        FAKE_COMPILER
        + """
    dump = pathlib.Path(arguments[arguments.index("--dump-stages") + 1])
    (dump / "10-import.mlir").write_text(text)
""",
    )
    monkeypatch.setenv("WNA16_DUMP", str(tmp_path / "dump"))
    for _ in range(2):  # a cached kernel is compiled again, to get the files
        compile_problem(PROBLEM, "sm_90a")
        stage = tmp_path / "dump" / "wna16_gemm_m8_n384_k512_g128_sm_90a" / "10-import.mlir"
        assert stage.read_text().startswith("func.func")
        stage.unlink()


def test_explain_shows_schedule_and_resources(fake_tools):
    fake_tools("wna16-compile", FAKE_COMPILER)
    text = compile_problem(PROBLEM, "sm_90a").explain()
    assert "82 registers, 0 bytes spilled, 150528 bytes shared" in text
    assert "#wna16.schedule<8>" in text


def test_compiler_uses_the_ptxas_that_the_cache_asks_about(fake_tools, tmp_path, monkeypatch):
    fake_tools(
        "wna16-compile",
        FAKE_COMPILER
        + """
    with open(os.environ["ARGUMENTS_FILE"], "w") as file:
        file.write("\\n".join(arguments))
""",
    )
    monkeypatch.setenv("ARGUMENTS_FILE", str(tmp_path / "arguments"))
    ptxas = tmp_path / "cuda" / "bin" / "ptxas"
    ptxas.parent.mkdir(parents=True)
    ptxas.write_text("#!/bin/sh\n")
    ptxas.chmod(0o755)
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "cuda"))
    compile_problem(PROBLEM, "sm_90a")
    arguments = (tmp_path / "arguments").read_text().splitlines()
    assert arguments[arguments.index("--ptxas") + 1] == str(ptxas)
    assert str(ptxas) in toolchain.compiler_identity()


def test_no_ptxas_is_left_to_the_compiler(fake_tools, monkeypatch, tmp_path):
    monkeypatch.setattr(toolchain, "find_ptxas", lambda: None)
    fake_tools("wna16-compile", "import sys; sys.exit(' '.join(sys.argv[1:]))")
    with pytest.raises(CompileError) as info:
        compile_problem(PROBLEM, "sm_90a")
    assert "--ptxas" not in info.value.command and "--ptxas" not in str(info.value)
