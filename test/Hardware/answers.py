"""The file of answers: a line of JSON about the device and the cases, then their bytes.

The line has "device" (what ran them), "cases" (name: [digest, offset, length]) and "failed"
(name: why there is no answer). The whole is compressed with zlib.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Answers:
    device: dict = field(default_factory=dict)
    #: name: (digest of kernel and input, bytes)
    cases: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)


#: FAMILY.z of every family.
FOLDER = Path(__file__).resolve().parent / "answers"


def known(family: str) -> Answers:
    """What the repository has of a family."""
    path = FOLDER / f"{family}.z"
    return read(path) if path.exists() else Answers()


def write(path: Path, answers: Answers) -> None:
    index, blob = {}, b""
    parts = []
    offset = 0
    for name in sorted(answers.cases):
        digest, data = answers.cases[name]
        index[name] = [digest, offset, len(data)]
        parts.append(data)
        offset += len(data)
    blob = b"".join(parts)
    header = {"device": answers.device, "cases": index, "failed": answers.failed}
    text = json.dumps(header, sort_keys=True).encode() + b"\n" + blob
    path.write_bytes(zlib.compress(text, 9))


def read(path: Path) -> Answers:
    text = zlib.decompress(path.read_bytes())
    end = text.index(b"\n")
    header = json.loads(text[:end])
    blob = text[end + 1 :]
    cases = {
        name: (digest, blob[offset : offset + length])
        for name, (digest, offset, length) in header["cases"].items()
    }
    return Answers(header["device"], cases, header["failed"])
