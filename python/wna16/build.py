"""Module text to a compiled kernel, by the compiler or out of the cache."""

from __future__ import annotations

from pathlib import Path

from . import cache, settings, toolchain
from .artifact import LaunchRecord, read_record
from .errors import CompileError


def compiled(text: str, name: str, target: str) -> LaunchRecord:
    """The launch record of a module with one kernel, whose files lie beside it.

    `name` is for people: of the folder with one file per stage, if they want that.
    Raises CompileError or CacheError.
    """
    config = settings.current()
    dump_dir = config.dump_dir / f"{name}_{target}" if config.dump_dir else None

    def build(folder: Path) -> None:
        toolchain.compile_module(text, target, folder, dump_dir=dump_dir)
        _record_in(folder)  # an output without a record must not get into the cache

    key = cache.entry_key(
        module=text, target=target, compiler=toolchain.compiler_identity()
    )
    if dump_dir is not None:
        # Stage files are written by compiling, so a cached kernel will not do.
        cache.drop(config.cache_dir, key)
    return _record_in(cache.get_or_build(config.cache_dir, key, build))


def _record_in(folder: Path) -> LaunchRecord:
    files = [p for p in folder.glob("*.json") if p.name != cache.MANIFEST]
    if len(files) != 1:
        raise CompileError(
            f"expected wna16-compile to write one launch record, found "
            f"{len(files)} in {folder}"
        )
    return read_record(files[0])
