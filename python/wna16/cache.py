"""The folder of compiled kernels, shared by any number of processes.

An entry is a folder named by a hash of everything that decides its content. It is
built under a private name and appears by one rename, so a reader never sees a
half-written one; of several processes that build the same entry, the first one
wins and the others use its files. Every entry lists the SHA-256 of its files; one
that does not match is thrown away and built again.
"""

from __future__ import annotations

import errno
import hashlib
import json
import logging
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from .errors import CacheError

_log = logging.getLogger(__name__)

#: Part of every key; raised when the meaning of an entry changes.
_SCHEMA = 1
#: The file of an entry that lists the others.
MANIFEST = "manifest.json"
#: Seconds after which a private folder in which nothing happens is a dead process's.
_STALE_SECONDS = 3600


def entry_key(**parts: str) -> str:
    """The name of an entry: a hash of all that decides what is in it."""
    text = json.dumps({"schema": _SCHEMA, **parts}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def lookup(root: Path, key: str) -> Path | None:
    """The folder of a good entry, or None. A damaged entry is removed."""
    entry = _entry(root, key)
    if not entry.exists():
        return None
    problem = _damage(entry)
    if problem is None:
        return entry
    _log.warning("compiled kernel %s is damaged (%s); building it again", entry, problem)
    _discard(root, entry)
    return None


def get_or_build(root: Path, key: str, build: Callable[[Path], None]) -> Path:
    """The folder of an entry; `build` fills a new folder if there is none.

    Raises CacheError if the cache cannot be written; whatever `build` raises
    passes through. Neither leaves anything behind.
    """
    found = lookup(root, key)
    if found is not None:
        return found
    work = _make_work_folder(root)
    try:
        build(work)
        _write_manifest(work)
        return _publish(root, work, key)
    except OSError as error:
        if isinstance(error, CacheError):
            raise
        raise CacheError(
            f"cannot write compiled kernels to {root}: {error.strerror or error}; "
            "free some space or set WNA16_CACHE_DIR to another folder"
        ) from None
    finally:
        shutil.rmtree(work, ignore_errors=True)


def drop(root: Path, key: str) -> None:
    """Removes an entry if there is one; the next get_or_build() makes it again."""
    entry = _entry(root, key)
    if entry.exists():
        _discard(root, entry)


def _entry(root: Path, key: str) -> Path:
    return root / key[:2] / key


def _make_work_folder(root: Path) -> Path:
    try:
        root.mkdir(parents=True, exist_ok=True)
        _remove_stale(root)
        return Path(tempfile.mkdtemp(prefix=".building-", dir=root))
    except OSError as error:
        raise CacheError(
            f"cannot write compiled kernels to {root}: {error.strerror or error}; "
            "set WNA16_CACHE_DIR to a folder that can be written"
        ) from None


def _remove_stale(root: Path) -> None:
    """Deletes the private folders of processes that were killed."""
    oldest = time.time() - _STALE_SECONDS
    for folder in (*root.glob(".building-*"), *root.glob(".removing-*")):
        try:
            newest = max(p.lstat().st_mtime for p in (folder, *folder.iterdir()))
        except OSError:
            continue  # its owner was faster
        if newest < oldest:
            shutil.rmtree(folder, ignore_errors=True)


def _publish(root: Path, work: Path, key: str) -> Path:
    entry = _entry(root, key)
    entry.parent.mkdir(exist_ok=True)
    # One retry: the entry in the way may be a damaged one.
    for _ in range(2):
        try:
            os.rename(work, entry)
            return entry
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
        winner = lookup(root, key)
        if winner is not None:
            return winner
    raise CacheError(f"cannot replace the damaged entry {entry}; remove it by hand")


def _write_manifest(folder: Path) -> None:
    files = {
        path.name: _sha256(path) for path in sorted(folder.iterdir()) if path.is_file()
    }
    (folder / MANIFEST).write_text(json.dumps(files, indent=1) + "\n")


def _damage(entry: Path) -> str | None:
    """What is wrong with an entry; None if nothing is."""
    try:
        files = json.loads((entry / MANIFEST).read_text())
        for name, expected in files.items():
            if _sha256(entry / name) != expected:
                return f"{name} has changed"
    except (OSError, ValueError, AttributeError) as error:
        return str(error)
    return None


def _discard(root: Path, entry: Path) -> None:
    """Takes an entry away in one step, then deletes it."""
    grave = tempfile.mkdtemp(prefix=".removing-", dir=root)
    try:
        os.rename(entry, Path(grave) / entry.name)
    except OSError:
        pass  # another process was faster
    shutil.rmtree(grave, ignore_errors=True)


def _sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
