"""The environment variables of this package; no other module reads them.

    WNA16_BIN        folder of wna16-compile and wna16-run
    WNA16_RUNTIME    path of libwna16rt.so
    WNA16_CACHE_DIR  folder of compiled kernels (default: ~/.cache/wna16)
    WNA16_DUMP       folder that gets one file per compiler stage
    WNA16_THREADS    threads that share a product on the CPU (default: all cores)
    CUDA_HOME, PATH  where ptxas is looked up, in this order, as the compiler does
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from .errors import LaunchError

#: The source tree that this file lies in; tools built there are found by themselves.
SOURCE_ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Settings:
    """One reading of the environment. Paths are None when not set."""

    bin_dir: Path | None
    runtime: Path | None
    cache_dir: Path
    dump_dir: Path | None
    cuda_home: Path | None
    #: Folders where programs are looked up, in order.
    program_path: tuple[Path, ...]
    #: None: as many as there are cores.
    threads: int | None


def _threads(text: str | None) -> int | None:
    if not text:
        return None
    if not text.isdecimal() or int(text) < 1:
        raise LaunchError(f"expected WNA16_THREADS to be a positive number, found {text!r}")
    return int(text)


def current() -> Settings:
    """Reads the environment now, so that a change takes effect at the next call."""

    def path(name: str) -> Path | None:
        value = os.environ.get(name)
        return Path(value).expanduser() if value else None

    cache = path("WNA16_CACHE_DIR")
    if cache is None:
        home = path("XDG_CACHE_HOME") or Path(os.path.expanduser("~")) / ".cache"
        cache = home / "wna16"
    return Settings(
        bin_dir=path("WNA16_BIN"),
        runtime=path("WNA16_RUNTIME"),
        cache_dir=cache,
        dump_dir=path("WNA16_DUMP"),
        cuda_home=path("CUDA_HOME"),
        program_path=tuple(
            Path(p) for p in os.environ.get("PATH", "").split(os.pathsep) if p
        ),
        threads=_threads(os.environ.get("WNA16_THREADS")),
    )
