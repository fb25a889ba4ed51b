"""The cache of kernels: shared by processes, whole or not there at all."""

import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from wna16 import CacheError, CompileError, Problem, cache, toolchain
from wna16 import compile as compile_problem

from conftest import FAKE_COMPILER, ROOT

PROBLEM = Problem(n=384, k=512)


def tree(root: Path) -> list[str]:
    return sorted(str(p.relative_to(root)) for p in root.rglob("*"))


def test_second_compile_runs_nothing(fake_tools, tmp_path, monkeypatch):
    monkeypatch.setenv("COUNT_FILE", str(tmp_path / "count"))
    fake_tools("wna16-compile", FAKE_COMPILER)
    first = compile_problem(PROBLEM, "sm_90a")
    second = compile_problem(PROBLEM, "sm_90a")
    runs = (tmp_path / "count").read_text().split()
    assert len(runs) == 3 and runs[0] == "plan"
    assert [r.path for r in first.records] == [r.path for r in second.records]


def test_key_has_target_and_compiler(fake_tools, tmp_path, monkeypatch):
    monkeypatch.setenv("COUNT_FILE", str(tmp_path / "count"))
    problem = Problem(n=384, k=512, max_m=8)
    fake_tools("wna16-compile", FAKE_COMPILER)
    a = compile_problem(problem, "sm_90a")
    b = compile_problem(problem, "sm_80")
    fake_tools("wna16-compile", FAKE_COMPILER + "\n    # another version\n")
    c = compile_problem(problem, "sm_90a")
    assert len({k.records[0].path for k in (a, b, c)}) == 3


def test_many_processes_one_entry(fake_tools, private_cache):
    fake_tools("wna16-compile", FAKE_COMPILER)
    program = (
        "import wna16; k = wna16.compile(wna16.Problem(n=384, k=512), 'sm_90a');"
        "print(*[r.cubin.read_bytes().decode().split()[0] for r in k.records])"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    running = [
        subprocess.Popen(
            [sys.executable, "-c", program],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(8)
    ]
    for process in running:
        out, err = process.communicate()
        assert process.returncode == 0, err
        assert out.split() == ["wna16_gemm_m8_n384_k512_g128", "wna16_gemm_m16_n384_k512_g128"]
    entries = [p for p in private_cache.glob("*/*")]
    assert len(entries) == 3  # two kernels and the plan
    assert not list(private_cache.glob(".*")), "temporary folders were left"


@pytest.mark.parametrize("damage", ["cut", "empty", "flip", "remove", "manifest"])
def test_damaged_entry_is_built_again(private_cache, caplog, damage):
    builds = []

    def build(folder: Path) -> None:
        builds.append(folder)
        (folder / "kernel.cubin").write_bytes(bytes(range(100)))

    entry = cache.get_or_build(private_cache, "ab12", build)
    file = entry / "kernel.cubin"
    if damage == "cut":
        file.write_bytes(file.read_bytes()[:50])
    elif damage == "empty":
        file.write_bytes(b"")
    elif damage == "flip":
        file.write_bytes(b"\xff" + file.read_bytes()[1:])
    elif damage == "remove":
        file.unlink()
    else:
        (entry / cache.MANIFEST).write_text("{")
    again = cache.get_or_build(private_cache, "ab12", build)
    assert (again / "kernel.cubin").read_bytes() == bytes(range(100))
    assert len(builds) == 2
    assert "damaged" in caplog.text
    cache.get_or_build(private_cache, "ab12", build)
    assert len(builds) == 2


def test_failed_build_leaves_nothing(private_cache):
    def build(folder: Path) -> None:
        (folder / "half").write_text("written")
        raise CompileError("no")

    with pytest.raises(CompileError):
        cache.get_or_build(private_cache, "ab12", build)
    assert tree(private_cache) == []


def test_loser_of_the_race_uses_the_winners_entry(private_cache):
    def build(folder: Path) -> None:
        (folder / "kernel").write_text("mine")
        winner = private_cache / "ab" / "ab12"
        if not winner.exists():
            cache.get_or_build(
                private_cache, "ab12", lambda f: (f / "kernel").write_text("theirs")
            )

    entry = cache.get_or_build(private_cache, "ab12", build)
    assert (entry / "kernel").read_text() == "theirs"
    assert tree(private_cache) == ["ab", "ab/ab12", "ab/ab12/kernel", "ab/ab12/manifest.json"]


def test_folder_that_cannot_be_made(tmp_path, fake_tools, monkeypatch):
    fake_tools("wna16-compile", FAKE_COMPILER)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("WNA16_CACHE_DIR", str(tmp_path / "file" / "cache"))
    with pytest.raises(CacheError, match="set WNA16_CACHE_DIR"):
        compile_problem(PROBLEM, "sm_90a")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_read_only_folder(tmp_path, fake_tools, monkeypatch):
    fake_tools("wna16-compile", FAKE_COMPILER)
    folder = tmp_path / "readonly"
    folder.mkdir()
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    monkeypatch.setenv("WNA16_CACHE_DIR", str(folder))
    with pytest.raises(CacheError, match="set WNA16_CACHE_DIR"):
        compile_problem(PROBLEM, "sm_90a")


def test_identity_follows_the_compiler(fake_tools):
    fake_tools("wna16-compile", "pass")
    first = toolchain.compiler_identity()
    fake_tools("wna16-compile", "pass # changed")
    assert toolchain.compiler_identity() != first


def test_folders_of_killed_processes_go_after_an_hour(private_cache):
    now = time.time()
    for name, age in [(".building-old", 7200), (".removing-old", 7200), (".building-new", 60)]:
        (private_cache / name).mkdir()
        (private_cache / name / "half").write_text("x")
        for path in (private_cache / name / "half", private_cache / name):
            os.utime(path, (now - age, now - age))
    (private_cache / ".building-busy").mkdir()
    (private_cache / ".building-busy" / "half").write_text("just written")
    os.utime(private_cache / ".building-busy", (now - 7200, now - 7200))
    cache.get_or_build(private_cache, "ab12", lambda f: (f / "kernel").write_text("x"))
    left = sorted(p.name for p in private_cache.glob(".*"))
    assert left == [".building-busy", ".building-new"]
