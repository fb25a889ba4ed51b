"""Hand-written kernels that are programs of their own and print their own tables.

A folder holds NAME.cu, each one program; it is compiled with nvcc and run once per
call of the benchmark, so that its times are of the same machine and minute as ours.
They are not interleaved with ours: for M > 16, where power matters, the cuBLAS time
that such a table has says how hot it ran. Beside NAME.cu there may be

    NAME                a program compiled before (newer than NAME.cu); saves the time
    prototypes.json     {"NAME": {"arguments": ["5", "2"], "nvcc": ["-ldl"]}}; only the
                        programs that it names are run then

Three kinds of lines are understood; see the parsers.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .points import Point
from .results import Row

_NVCC = ["-O3", "-std=c++17", "-split-compile=0", "-cudart", "static"]
_NVCC += ["-gencode=arch=compute_90a,code=sm_90a"]
_NUMBER = r"(\d+(?:\.\d+)?)"


@dataclass(frozen=True)
class Entry:
    """One time of one table."""

    n: int
    k: int
    m: int
    dtype: str
    us: float
    config: str
    dependent: bool = False
    cublas_us: float | None = None


def parse(text: str) -> list[Entry]:
    """All entries of a program's output, whatever kind of table it prints."""
    return [*_decode_lines(text), *_ranked_lines(text), *_ratio_lines(text)]


def _decode_lines(text: str) -> Iterable[Entry]:
    """Shapes as headings, an M per line; f16, then the same in other types.

    N 4096 K 4096: 8.7 MB, 34 copies, read kernel 3.52 us (2471 GB/s)
      M 1  warp wk8 d3   C2 128 CTAs    5.59 us  ... err 2.1e-04; PDL   4.27; ...; bf16   5.75 ...
    """
    shape = None
    for line in text.splitlines():
        if heading := re.match(r"N (\d+) K (\d+):", line):
            shape = int(heading[1]), int(heading[2])
            continue
        found = re.match(rf"\s+M (\d+)\s+(\S.*?)\s+(C\d+)\s+\d+ CTAs\s+{_NUMBER} us", line)
        if not found or shape is None:
            continue
        point = (*shape, int(found[1]))
        config = f"{found[2]} {found[3]}"
        yield Entry(*point, "f16", float(found[4]), config)
        if dependent := re.search(rf"; PDL\s+{_NUMBER}", line):
            yield Entry(*point, "f16", float(dependent[1]), config, dependent=True)
        if other := re.search(rf"; bf16\s+{_NUMBER}", line):
            yield Entry(*point, "bf16", float(other[1]), config)


def _ranked_lines(text: str) -> Iterable[Entry]:
    """Type, N, K and M per line; then configurations, the fastest one first.

    bf16  4096  4096 M32  floor   2.0 cuBLAS  13.2 | pdl 8.30 err 1.6e-03 |128x32 wg2 S4 8.81; ...
    """
    for line in text.splitlines():
        found = re.match(
            rf"(fp16|bf16)\s+(\d+)\s+(\d+)\s+M(\d+)\s+floor\s+{_NUMBER}\s+cuBLAS\s+{_NUMBER}"
            rf"\s+\|\s+pdl\s+{_NUMBER}.*?\|\s*(\S.*?)\s+{_NUMBER}(?:;|$)",
            line,
        )
        if not found:
            continue
        dtype = "bf16" if found[1] == "bf16" else "f16"
        point = (int(found[2]), int(found[3]), int(found[4]), dtype)
        cublas = float(found[6]) or None
        yield Entry(*point, float(found[9]), found[8], cublas_us=cublas)
        yield Entry(*point, float(found[7]), found[8], dependent=True, cublas_us=cublas)


def _ratio_lines(text: str) -> Iterable[Entry]:
    """N, K, M per line under a heading of the type; then configurations, best first.

         N      K     M   (fp16)
      4096   4096    64 | cuBLAS     11.4 us  189 TF | BEST 128x64s4 10.5 us 205 TF x1.09; ...
    bf16
    """
    dtype = "f16"
    for line in text.splitlines():
        if line.strip() == "bf16":
            dtype = "bf16"
        elif "(fp16)" in line:
            dtype = "f16"
        found = re.match(
            rf"\s*(\d+)\s+(\d+)\s+(\d+) \| cuBLAS\s+{_NUMBER} us.*?\| BEST (\S+) {_NUMBER} us", line
        )
        if found and float(found[6]) > 0:
            point = (int(found[1]), int(found[2]), int(found[3]), dtype)
            cublas = float(found[4]) or None
            yield Entry(*point, float(found[6]), found[5], cublas_us=cublas)


class Prototypes:
    """The programs of a folder, and what they printed."""

    def __init__(self, folder: Path, log: Callable[[str], None] = print) -> None:
        self.folder = folder
        self.names = sorted(p.stem for p in folder.glob("*.cu"))
        if not self.names:
            raise SystemExit(f"bench: error: {folder} holds no prototypes (NAME.cu)")
        options = folder / "prototypes.json"
        self._options: dict[str, Any] = (
            json.loads(options.read_text()) if options.exists() else {}
        )
        self.names = [n for n in self.names if not self._options or n in self._options]
        self._log = log
        self._entries: dict[str, list[Entry]] = {}

    def build(self, work: Path, jobs: int | None = None) -> dict[str, Path]:
        """Compiles what is not compiled yet, `jobs` at once; programs by name."""
        nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"

        def one(name: str) -> Path:
            source, ready = self.folder / f"{name}.cu", self.folder / name
            if ready.exists() and ready.stat().st_mtime >= source.stat().st_mtime:
                return ready
            program = work / name
            extra = self._options.get(name, {}).get("nvcc", [])
            command = [nvcc, *_NVCC, "-o", str(program), str(source), *extra]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                raise SystemExit(f"bench: error: {source} does not compile:\n{done.stderr}")
            return program

        work.mkdir(parents=True, exist_ok=True)
        with ThreadPoolExecutor(jobs) as pool:
            return dict(zip(self.names, pool.map(one, self.names)))

    def run(self, programs: dict[str, Path], out: Path | None) -> None:
        """Runs them one after the other; a program that fails is left out."""
        for name, program in programs.items():
            arguments = self._options.get(name, {}).get("arguments", [])
            done = subprocess.run(
                [str(program.resolve()), *arguments],
                capture_output=True,
                text=True,
                env={**os.environ, **_library_paths()},
            )
            if out is not None:
                (out / f"{name}.txt").write_text(done.stdout + done.stderr)
            entries = parse(done.stdout)
            if done.returncode != 0 or not entries:
                end = (done.stdout + done.stderr)[-500:]
                self._log(f"{name}: failed (status {done.returncode}):\n{end}")
                continue
            self._log(f"{name}: {len(entries)} times")
            self._entries[name] = entries

    def rows(self, point: Point) -> list[Row]:
        """What the tables have for a point; of two times of a program, the better one."""
        rows: dict[str, Row] = {}
        for name, entries in self._entries.items():
            for e in entries:
                if (e.n, e.k, e.m, e.dtype) != (point.n, point.k, point.m, point.dtype):
                    continue
                title = f"{name} +pdl" if e.dependent else name
                about = {"config": e.config, "cublas_us": e.cublas_us, "prototype": True}
                row = Row(title, us=e.us, dependent=e.dependent, about=about)
                if title not in rows or e.us < rows[title].us:
                    rows[title] = row
        return list(rows.values())


def _library_paths() -> dict[str, str]:
    """Where PyTorch's packages keep cuBLAS, for programs that load it by name."""
    folders = [
        str(lib)
        for site in map(Path, sys.path)
        for lib in sorted(site.glob("nvidia/*/lib"))
        if lib.is_dir()
    ]
    old = os.environ.get("LD_LIBRARY_PATH")
    return {"LD_LIBRARY_PATH": os.pathsep.join([*folders, *([old] if old else [])])}
