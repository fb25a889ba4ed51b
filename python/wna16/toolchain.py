"""Runs the project's programs; the only place that starts a process.

A program is looked for in $WNA16_BIN, then in build/bin of the source tree, then
in PATH.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shlex
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from . import settings
from .errors import CompileError

#: Longer than any kernel takes; a hang is reported instead of waited for.
TIMEOUT_SECONDS = 600


@dataclass(frozen=True)
class Finished:
    """A program that ended well."""

    command: tuple[str, ...]
    stdout: str
    stderr: str
    seconds: float


def find_program(name: str) -> Path:
    """The path of a program of this project; raises CompileError if there is none."""
    config = settings.current()
    if config.bin_dir is not None:
        folders: Sequence[Path] = (config.bin_dir,)
    else:
        folders = (settings.SOURCE_ROOT / "build" / "bin", *config.program_path)
    for folder in folders:
        candidate = folder / name
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return candidate
    where = str(config.bin_dir) if config.bin_dir else "build/bin and PATH"
    raise CompileError(
        f"{name} not found in {where}; build it with `make build`, or set WNA16_BIN "
        "to the folder that has it"
    )


def find_ptxas() -> Path | None:
    """NVIDIA's assembler; None if there is none.

    The compiler is told what was found here, so that the cache's key and the cubin are of
    the same assembler.
    """
    config = settings.current()
    folders = [config.cuda_home / "bin"] if config.cuda_home else []
    folders += [Path("/usr/local/cuda/bin"), *config.program_path]
    for folder in folders:
        candidate = folder / "ptxas"
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return candidate
    return None


def _ptxas_option() -> list[str]:
    ptxas = find_ptxas()
    return ["--ptxas", str(ptxas)] if ptxas else []


def compiler_identity() -> str:
    """Changes whenever the compiler or the assembler on this machine does."""
    compiler = find_program("wna16-compile")
    ptxas = find_ptxas()
    return f"{_file_digest(*_stat_key(compiler))} {_stat_key(ptxas) if ptxas else 'no ptxas'}"


def _stat_key(path: Path) -> tuple[str, int, int]:
    status = path.stat()
    return str(path.resolve()), status.st_size, status.st_mtime_ns


@functools.cache
def _file_digest(path: str, size: int, mtime_ns: int) -> str:
    """SHA-256 of a file; size and time are there to key the cache."""
    del size, mtime_ns
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def compile_module(
    text: str, target: str, out_dir: Path, *, dump_dir: Path | None = None
) -> Finished:
    """Compiles module text; PTX, cubin and launch record appear in `out_dir`.

    The text is kept there as module.mlir. With `dump_dir`, that folder gets one
    file per stage. Raises CompileError; it carries a command that fails the same
    way, on a copy of the input outside `out_dir`.
    """
    source = out_dir / "module.mlir"
    source.write_text(text)
    command = [
        str(find_program("wna16-compile")),
        str(source),
        "--target",
        target,
        "-o",
        str(out_dir),
        *_ptxas_option(),
    ]
    if dump_dir is not None:
        dump_dir.mkdir(parents=True, exist_ok=True)
        command += ["--dump-stages", str(dump_dir)]
    try:
        return _run(command)
    except CompileError as error:
        raise _reproducible(error, text, target, dump_dir) from None


def plan_module(text: str, target: str, batch_invariant: bool) -> str:
    """The ranges of M that the compiler chooses for module text, as JSON."""
    with tempfile.TemporaryDirectory(prefix="wna16-plan-") as folder:
        source = Path(folder) / "module.mlir"
        source.write_text(text)
        command = [str(find_program("wna16-compile")), str(source)]
        command += ["--target", target, "--plan"]
        if batch_invariant:
            command.append("--batch-invariant")
        try:
            return _run(command).stdout
        except CompileError as error:
            raise _reproducible(error, text, target, None) from None


def phase_times(text: str, target: str) -> list[tuple[str, float]]:
    """Compiles once more, without the cache: (phase, milliseconds), the sum last."""
    with tempfile.TemporaryDirectory(prefix="wna16-times-") as folder:
        source = Path(folder) / "module.mlir"
        source.write_text(text)
        command = [str(find_program("wna16-compile")), str(source)]
        command += ["--target", target, "-o", folder, "--time", *_ptxas_option()]
        lines = [line.split() for line in _run(command).stdout.splitlines()]
    return [(f[0], float(f[1])) for f in lines if len(f) == 3 and f[2] == "ms"]


def _reproducible(
    error: CompileError, text: str, target: str, dump_dir: Path | None
) -> CompileError:
    """The same error with a command that can be run after this process has ended."""
    kept = dump_dir or Path(tempfile.mkdtemp(prefix="wna16-failed-"))
    source = kept / "module.mlir"
    source.write_text(text)
    command = [error.command[0], str(source), "--target", target]
    command += ["-o", str(kept), *_ptxas_option(), "--dump-stages", str(kept)]
    return CompileError(
        f"{error}\nto reproduce:\n  {shlex.join(command)}",
        command=command,
        stderr=error.stderr,
        stage_dir=kept,
    )


def run_kernel(
    record: Path,
    symbols: Mapping[str, int],
    inputs: Mapping[str, Path],
    outputs: Mapping[str, Path],
) -> Finished:
    """Runs a kernel in the emulator: raw little-endian files in, raw files out.

    Raises CompileError if the emulator reports an error; the caller keeps the files
    then, because the error ends in the command that reads them.
    """
    command = [str(find_program("wna16-run")), str(record), "--device", "emulator"]
    command += ["--reference", "0"]  # the caller judges the numbers
    for name, value in symbols.items():
        command += ["--symbol", f"{name}={value}"]
    for name, path in inputs.items():
        command += ["--arg", f"{name}={path}"]
    for name, path in outputs.items():
        command += ["--out", f"{name}={path}"]
    try:
        return _run(command)
    except CompileError as error:
        raise CompileError(
            f"{error}\nto reproduce:\n  {shlex.join(command)}",
            command=command,
            stderr=error.stderr,
            stage_dir=record.parent,
        ) from None


def _run(command: Sequence[str]) -> Finished:
    import subprocess  # here, so that `import wna16` stays light

    start = time.perf_counter()
    program = Path(command[0]).name
    try:
        done = subprocess.run(
            list(command),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise CompileError(
            f"{program} did not end within {TIMEOUT_SECONDS} s:\n  {shlex.join(command)}",
            command=command,
        ) from None
    except OSError as error:
        raise CompileError(
            f"{program} could not be started: {error}", command=command
        ) from None
    if done.returncode != 0:
        how = (
            f"was ended by signal {-done.returncode}"
            if done.returncode < 0
            else f"failed with exit status {done.returncode}"
        )
        text = done.stderr.strip() or done.stdout.strip() or "it printed nothing"
        raise CompileError(
            f"{program} {how}:\n{text}", command=command, stderr=done.stderr
        )
    return Finished(
        tuple(command), done.stdout, done.stderr, time.perf_counter() - start
    )
