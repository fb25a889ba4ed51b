#!/usr/bin/env python3
"""Keeps the excerpts in docs/tour.md the ones that the compiler prints.

    fill_tour.py [--bin DIR] [--check] DOCUMENT

A comment in the document says where the code block after it comes from and which
lines it shows: from the first line that holds a text up to the next one that holds
another, or that line and so many more; without common indentation, and with the
registers of PTX numbered anew.

    <!-- opt: --wna16-import, from "func.func" to "return" -->   wna16-opt on the input
    <!-- ptx: sm_80, from "lop3" and 9 more -->                  wna16-compile on it
    <!-- record: sm_80, from "symbols" to "grid" -->             its launch record
    <!-- source: python/wna16/emit.py, from "TEMPLATE" to "}}" -->

The input is test/Pipelines/tour.mlir without its lit comments. Without --check the
blocks are rewritten in place; with it nothing is written and a difference is an
error.
"""
import argparse
import functools
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import textwrap

from up_to_date import update

ROOT = pathlib.Path(__file__).resolve().parents[2]
INPUT = ROOT / "test" / "Pipelines" / "tour.mlir"
BLOCK = re.compile(
    r'<!-- (opt|ptx|record|source): ([^\n]*), from "([^\n]+)"'
    r' (?:to "([^\n]+)"|and (\d+) more) -->\n```\w*\n.*?```\n',
    re.S,
)
LANGUAGE = {"opt": "mlir", "ptx": "", "record": "json", "source": "python"}


def renumber(ptx):
    """Registers numbered as they appear, so that code elsewhere does not matter."""
    names = {}

    def name(match):
        kind = match.group(1)
        seen = names.setdefault(kind, {})
        return f"%{kind}{seen.setdefault(match.group(0), len(seen) + 1)}"

    return re.sub(r"%(rd|rs|r|p|f)\d+", name, ptx)


class Excerpts:
    def __init__(self, folder):
        self.folder = folder
        lines = INPUT.read_text().splitlines(keepends=True)
        self.module = "".join(line for line in lines if not line.startswith("//")).lstrip()

    @functools.cache
    def text(self, kind, argument):
        """All of the text that an excerpt is taken from."""
        if kind == "source":
            return (ROOT / argument).read_text()
        if kind == "opt":
            return self.run("wna16-opt", *argument.split())
        if kind == "ptx":
            ptx = self.run("wna16-compile", "--target", argument, "--emit", "ptx", "-o", "-")
            return re.sub(r"\t// (begin|end) inline asm\n", "", ptx)
        with tempfile.TemporaryDirectory() as out:
            self.run("wna16-compile", "--target", argument, "--no-cubin", "-o", out)
            (record,) = pathlib.Path(out).glob("*.json")
            return record.read_text()

    def run(self, tool, *arguments):
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
            file.write(self.module)
            file.flush()
            command = [self.folder / tool, file.name, *arguments]
            try:
                done = subprocess.run(
                    command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
                )
            except OSError as error:
                sys.exit(
                    f"cannot run {self.folder / tool}: {error.strerror}; build it (make "
                    "build) or name its folder with --bin"
                )
        if done.returncode != 0:
            words = shlex.join(map(str, command))
            sys.exit(f"{words} ended with exit status {done.returncode}:\n{done.stderr}")
        return done.stdout

    def fill(self, match):
        kind, argument, first, last, more = match.groups()
        comment = match.group(0).splitlines()[0]
        lines = self.text(kind, argument).splitlines()
        begin = next((i for i, line in enumerate(lines) if first in line), None)
        if begin is None:
            sys.exit(f"{comment}: no line has the first text")
        if more:
            end = begin + int(more)
        else:
            end = next((i for i in range(begin + 1, len(lines)) if last in lines[i]), None)
        if end is None or end >= len(lines):
            sys.exit(f"{comment}: the text ends before the excerpt does")
        body = textwrap.dedent("\n".join(lines[begin : end + 1]))
        if kind == "ptx":
            body = renumber(body)
        return f"{comment}\n```{LANGUAGE[kind]}\n{body}\n```\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default_bin = os.environ.get("WNA16_BIN") or ROOT / "build" / "bin"
    parser.add_argument("document", type=pathlib.Path)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path(default_bin))
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()

    found = options.document.read_text()
    comments = len(re.findall(r"^<!-- \w+: .*, from ", found, re.M))
    if not comments or comments != len(BLOCK.findall(found)):
        sys.exit(f"{options.document}: expected a code block after each of its comments")
    wanted = BLOCK.sub(Excerpts(options.bin).fill, found)
    if update({options.document: wanted}, options.check, "now") and options.check:
        sys.exit(f"excerpts are out of date; run {parser.prog} {options.document}")


if __name__ == "__main__":
    main()
