#!/usr/bin/env python3
"""Writes the reference of dialects and passes into docs/generated.

    generate_reference.py [--bin DIR] [--tblgen PATH] [--check]

wna16-dialect.md, tile-dialect.md and passes.md are made from the .td files by
mlir-tblgen. For every pass the reference shows IR before and after (for a pass
that only checks: what it refuses, and the error), taken from the pass's test by
running the test's own RUN line with wna16-opt from --bin.

With --check nothing is written; a difference is an error. In both modes a pass
without summary, description, source file or test is an error.
"""
import argparse
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass

from up_to_date import update

ROOT = pathlib.Path(__file__).resolve().parents[2]
GENERATED = ROOT / "docs" / "generated"
BANNER = (
    "<!-- Written by tools/dev/generate_reference.py from the .td files and the tests "
    "of the passes; `make docs` writes it anew. -->\n"
)

#: Longer IR is cut in the reference; the command above it shows all.
LONGEST_EXAMPLE = 150

DIALECTS = {
    "wna16-dialect.md": ("wna16", "dialect/Wna16/Wna16Ops.td"),
    "tile-dialect.md": ("tile", "dialect/Tile/TileOps.td"),
}

# In the order in which the phases run them.
PASS_FILES = {
    "Checks of the problem": "lib/Transforms/Wna16Passes.td",
    "From wna16 to tile, and tile to tile": "lib/Transforms/TilePasses.td",
    "From tile to threads": "lib/Conversion/TileToNVVM/Passes.td",
    "From repack to threads": "lib/Conversion/RepackToGPU/Passes.td",
    "From routing and sums to threads": "lib/Conversion/MoeToGPU/Passes.td",
    "Checks of the finished kernel": "lib/Transforms/KernelPasses.td",
    "On a CPU": "lib/Conversion/Wna16ToVector/Passes.td",
    "Reference meaning": "lib/Conversion/Wna16ToLinalg/Passes.td",
}

PASS_DEFINITION = re.compile(r'^def (\w+)\s*:\s*\w*Pass<\s*"([^"]+)"', re.M)
TEST_COMMENT = re.compile(r"^\s*// (expected-|[A-Z][A-Z0-9_-]*:)")
DIAGNOSTIC = re.compile(r": ((?:error|note|warning): .*)$")


def run(command, accept=(0,)):
    """Output (standard output and error apart) of a program; ends on a failure."""
    done = subprocess.run(
        [str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    if done.returncode not in accept:
        sys.exit(
            f"{shlex.join(map(str, command))} ended with exit status "
            f"{done.returncode}:\n{done.stderr}"
        )
    return done.stdout, done.stderr


class TableGen:
    """mlir-tblgen with the include paths of this project and of MLIR."""

    def __init__(self, path):
        found = shutil.which(path)
        if not found:
            sys.exit(f"{path} is not there; install it (make setup) or name it with --tblgen")
        self.path = pathlib.Path(found).resolve()
        self.include = self.path.parent.parent / "include"
        if not (self.include / "mlir/IR/OpBase.td").exists():
            sys.exit(f"{self.path} has no MLIR headers beside it in {self.include}")

    def __call__(self, generator, file, *options):
        command = [self.path, generator, "-I", ROOT, "-I", self.include, *options]
        return run([*command, ROOT / file])[0]


# -- Passes --------------------------------------------------------------------


@dataclass
class PassDoc:
    definition: str  # SplitK
    flag: str  # split-k
    text: str  # what mlir-tblgen wrote, heading included

    @property
    def is_check(self):
        """A pass that changes nothing is shown by what it refuses."""
        return self.flag.startswith(("verify-", "check-"))

    @property
    def test(self):
        """The lit test of the pass, or None."""
        folders = [ROOT / "test" / "Transforms", ROOT / "test" / "Conversion"]
        for folder in folders:
            for path in sorted(folder.rglob(f"{self.flag}.mlir")):
                return path
        return None

    def missing(self):
        """What every pass has and this one lacks."""
        lines = [line for line in self.text.splitlines()[1:] if line.strip()]
        if not lines or not re.fullmatch(r"_.+_", lines[0]):
            yield "a summary"
        if len(lines) < 2 or lines[1].startswith("#"):
            yield "a description"
        # ConvertTileToNVVM lives in the folder and file of the conversion.
        names = {self.definition, self.definition.removeprefix("Convert")}
        if not any(path.stem in names for path in (ROOT / "lib").rglob("*.cpp")):
            yield f"a source file lib/**/{self.definition}.cpp"
        if self.test is None:
            yield f"a test test/{{Transforms,Conversion}}/**/{self.flag}.mlir"


def read_passes(tablegen, file):
    """Passes of one .td file in the order of their definitions."""
    source = (ROOT / file).read_text()
    text = tablegen("-gen-pass-doc", file)
    parts = re.split(r"^(?=### `-)", text, flags=re.M)[1:]
    by_flag = {re.match(r"### `-([^`]+)`", part).group(1): part for part in parts}
    definitions = PASS_DEFINITION.findall(source)
    if {flag for _, flag in definitions} != set(by_flag):
        sys.exit(f"{file}: expected passes of the form 'def Name : Pass<\"flag\"'")
    return [PassDoc(name, flag, by_flag[flag]) for name, flag in definitions]


# -- Before and after ----------------------------------------------------------


@dataclass
class Example:
    source: str  # a part of the test, comments for lit removed
    flags: list[str]


def strip_test_comments(text):
    lines = [line for line in text.splitlines() if not TEST_COMMENT.match(line)]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n") + "\n"


def code_block(text):
    lines = text.splitlines()
    rest = len(lines) - LONGEST_EXAMPLE
    if rest > 0:
        lines = [*lines[:LONGEST_EXAMPLE], f"// ... and {rest} more lines"]
    return "\n".join(["```mlir", *lines, "```", ""])


def split_file(text):
    """Parts of a test by name, as split-file sees them; '%s' is the whole."""
    parts = {"%s": text}
    pieces = re.split(r"^//--- (\S+)\n", text, flags=re.M)
    for name, body in zip(pieces[1::2], pieces[2::2]):
        parts[f"%t/{name}"] = body
    return parts


def find_example(doc):
    """The part of the test that the reference shows, with wna16-opt's flags."""
    text = doc.test.read_text()
    parts = split_file(text)
    for line in re.findall(r"// RUN: (.*)", text):
        command = shlex.split(line.split("|")[0])
        if not command or command[0] != "wna16-opt":
            continue
        if ("--verify-diagnostics" in command) != doc.is_check:
            continue
        source = next((parts[word] for word in command if word in parts), None)
        if source is None:
            continue
        chunks = source.split("// -----\n")
        if doc.is_check:
            chunks = [chunk for chunk in chunks if "expected-error" in chunk]
        flags = [
            word
            for word in command[1:]
            if word.startswith("-") and word not in ("-o", "--verify-diagnostics")
            and not word.startswith("--split-input-file")
        ]
        if chunks:
            return Example(strip_test_comments(chunks[0]), flags)
    kind = "with --verify-diagnostics and an expected-error" if doc.is_check else "that prints IR"
    sys.exit(f"{doc.test.relative_to(ROOT)}: expected a RUN line of wna16-opt {kind}")


def show_example(doc, opt):
    """Markdown of what the pass does to its example."""
    example = find_example(doc)
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(example.source)
        file.flush()
        command = [opt, file.name, *example.flags, "--mlir-print-op-on-diagnostic=false"]
        after, errors = run(command, accept=(1,) if doc.is_check else (0,))
    where = doc.test.relative_to(ROOT)
    before = code_block(example.source)
    if doc.is_check:
        found = [m.group(1) for m in map(DIAGNOSTIC.search, errors.splitlines()) if m]
        messages = "\n".join(found)
        return f"#### Refused (`{where}`)\n\n{before}\n```\n{messages}\n```\n"
    return (
        f"#### Before (`{where}`)\n\n{before}\n"
        f"#### After `{' '.join(example.flags)}`\n\n{code_block(strip_test_comments(after))}"
    )


# -- Files ---------------------------------------------------------------------


def dialect_text(tablegen, dialect, file):
    text = tablegen("-gen-dialect-doc", file, f"-dialect={dialect}")
    text = re.sub(r"^(<!-- Autogenerated.*-->|\[TOC\])\n", "", text, flags=re.M)
    return BANNER + re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+\n", "\n", text))


def passes_text(tablegen, opt):
    sections, complaints = [], []
    docs_by_title = {title: read_passes(tablegen, f) for title, f in PASS_FILES.items()}
    for docs in docs_by_title.values():
        for doc in docs:
            complaints += [f"pass {doc.flag} lacks {what}" for what in doc.missing()]
    if complaints:
        sys.exit("\n".join(complaints))
    for title, docs in docs_by_title.items():
        body = "\n".join(doc.text.rstrip() + "\n\n" + show_example(doc, opt) for doc in docs)
        sections.append(f"## {title}\n\n{body}")
    return BANNER + "\n# Passes\n\n" + "\n".join(sections)


def find_opt(folder):
    opt = folder / "wna16-opt"
    if not os.access(opt, os.X_OK):
        sys.exit(f"{opt} is not there; build it (make build) or name its folder with --bin")
    return opt


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default_bin = os.environ.get("WNA16_BIN") or ROOT / "build" / "bin"
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path(default_bin))
    parser.add_argument("--tblgen", default=shutil.which("mlir-tblgen") or "mlir-tblgen-22")
    parser.add_argument("--output", type=pathlib.Path, default=GENERATED)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()

    tablegen, opt = TableGen(options.tblgen), find_opt(options.bin)
    wanted = {
        options.output / name: dialect_text(tablegen, *source)
        for name, source in DIALECTS.items()
    }
    wanted[options.output / "passes.md"] = passes_text(tablegen, opt)
    stale = update(wanted, options.check, "generated now")
    if stale and options.check:
        names = ", ".join(path.name for path in stale)
        sys.exit(f"{names} in {options.output}: out of date; run {parser.prog}")


if __name__ == "__main__":
    main()
