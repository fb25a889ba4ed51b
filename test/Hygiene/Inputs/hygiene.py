#!/usr/bin/env python3
"""Rules about source text that no compiler checks: hygiene.py RULE ROOT.

Rules: ptx, targets, passes, notes, labels, headers (see the functions). Prints one line per
offence and exits with status 1 if there is any.
"""
import ast
import pathlib
import re
import sys

CODE = {".cpp", ".h", ".td"}
FOLDERS = ("dialect", "lib", "tools", "python", "test")

#: Instructions of PTX.
PTX = re.compile(
    r"\b("
    r"cp\.async|cp\.reduce|ldmatrix\.|stmatrix\.|movmatrix\.|mma\.sync|wgmma\.|lop3\.|prmt\."
    r"|(ld|st|atom|red)\.(global|shared|local|param|volatile|async|relaxed|acquire|release)"
    r"|mov\.[busf]\d+|mbarrier\.|bar(rier)?\.(sync|arrive|red|warp|cluster|cta)"
    r"|fence\.(acq_rel|sc|proxy|mbarrier)|shfl\.|elect\.sync|setmaxnreg|createpolicy"
    r"|griddepcontrol|mapa\.|cvta\.|prefetch\.)"
)

#: Name of a rule: ORD4, ORD5a, GEMM-C3, RING-V1.
LABEL = r"[A-Z]{3,}(?:\d+[a-z]?|\d*-[A-Z]?\d+)"

#: A test of which target it is.
TARGET_NUMBER = re.compile(
    r'(starts_with|contains|find)\("(sm|compute)_\d*'
    r"|\b(sm|smVersion|smArch|arch|cc|major|\w*[cC]apability)\s*(==|!=|[<>]=?)\s*\d+"
)

#: The default of an option says which target it is, not what a target can do.
TARGET_DEFAULTS = {
    "lib/Conversion/MoeToGPU/Passes.td": "MoePass, option target",
    "lib/Conversion/RepackToGPU/Passes.td": "ConvertRepackToGPU, option target",
    "lib/Conversion/TileToNVVM/Passes.td": "ConvertTileToNVVM, option target",
    "lib/Pipelines/Pipelines.h": "PipelineOptions, option target",
    "lib/Transforms/TilePasses.td": "SelectSchedule, option target",
}


def sources(root, folders=FOLDERS, suffixes=None):
    """Files of the tree with their path as text, sorted; caches are no sources."""
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if not path.is_file() or "__pycache__" in name:
                continue
            if suffixes is None or path.suffix in suffixes:
                yield name, path


def without_comments(text):
    """The text with // comments blanked; a // inside of a string stays."""
    keep = re.compile(r'("(?:\\.|[^"\\\n])*")|//[^\n]*')
    return keep.sub(lambda m: m.group(1) or "", text)


def string_literals(text):
    """(line number, literal) of all strings in code."""
    code = without_comments(text)
    for match in re.finditer(r'"(?:\\.|[^"\\\n])*"', code):
        yield code.count("\n", 0, match.start()) + 1, match.group(0)[1:-1]


def ptx(root):
    """PTX is written in InlinePtx only; the emulator, which reads it, knows it too."""
    for name, path in sources(root, ("dialect", "lib", "tools"), CODE):
        if name.startswith("lib/Emulator/") or path.stem.startswith("InlinePtx"):
            continue
        for line, literal in string_literals(path.read_text()):
            # Ops of MLIR have names of instructions in theirs.
            found = PTX.search(re.sub(r"\bnvvm\.[\w.]+", "", literal))
            if found:
                yield f"{name}:{line}: PTX instruction '{found.group(0)}' outside of InlinePtx"


def targets(root):
    """A target is named in lib/Target; others ask it for capabilities.

    Text for people may show a name (comments, messages with words around it). A string
    that is nothing but a name is code; defaults of options are listed above.
    """
    for name, path in sources(root, ("dialect", "lib", "tools"), CODE):
        if name.startswith("lib/Target/"):
            continue
        for line, literal in string_literals(path.read_text()):
            bare = re.fullmatch(r'(\\")?(sm|compute)_\d+[af]?(\\")?', literal)
            if bare and name not in TARGET_DEFAULTS:
                yield f"{name}:{line}: target '{literal}' outside of lib/Target"
        code = without_comments(path.read_text())
        for match in TARGET_NUMBER.finditer(code):
            line = code.count("\n", 0, match.start()) + 1
            yield f"{name}:{line}: '{match.group(0)}' compares targets outside of lib/Target"


def passes(root):
    """Every pass says in one sentence, and then in full, what it does, and has a test.

    The sentence is an order ("Check ..."); the description ends in three paragraphs. A
    source file of lib/Transforms is the pass whose name it has; what else passes need is
    elsewhere.
    """
    words = ("Requires", "Guarantees", "Leaves alone")
    ending = "".join(rf"\n\n\s*\*{word}\*: (?:(?!\n\n).)+" for word in words)
    for name, path in sources(root, suffixes={".td"}):
        text = path.read_text()
        starts = [m for m in re.finditer(r'^def (\w+)\s*:\s*\w*Pass<"', text, re.M)]
        for start, end in zip(starts, [*starts[1:], None]):
            body = text[start.start() : end.start() if end else len(text)]
            line = text.count("\n", 0, start.start()) + 1
            if not re.search(r'let summary = "[^"]+"', body):
                yield f"{name}:{line}: pass {start.group(1)} has no summary"
            elif not re.search(r'let summary = "[A-Z]', body):
                yield f"{name}:{line}: summary of pass {start.group(1)} has no capital"
            description = re.search(r"let description = \[\{\s*(\S.*?)\}\];", body, re.S)
            if not description:
                yield f"{name}:{line}: pass {start.group(1)} has no description"
            elif not re.search(ending + r"\s*$", description.group(1), re.S):
                yield (
                    f"{name}:{line}: description of pass {start.group(1)} does not end in "
                    "*Requires*, *Guarantees*, *Leaves alone*"
                )
    names = {}
    for _, path in sources(root, ("lib/Transforms",), {".td"}):
        names.update(re.findall(r'^def (\w+)\s*:\s*\w*Pass<"([^"]+)"', path.read_text(), re.M))
    for name, path in sources(root, ("lib/Transforms",), {".cpp"}):
        if path.stem not in names:
            yield f"{name}:1: no pass has the name of this file"
        elif not (root / "test" / "Transforms" / f"{names[path.stem]}.mlir").exists():
            yield f"{name}:1: no test/Transforms/{names[path.stem]}.mlir"


def notes(root):
    """Work that is left belongs into the tracker, not into the source."""
    words = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X")) + r")\b")
    for name, path in sources(root, (*FOLDERS, "docs")):
        try:
            lines = path.read_text().splitlines()
        except UnicodeDecodeError:
            continue  # data
        for number, line in enumerate(lines, 1):
            found = words.search(line)
            if found:
                yield f"{name}:{number}: {found.group(0)}"


def labels(root):
    """A rule that an error names is in docs/spec.md, and a test provokes the error."""
    spec = (root / "docs" / "spec.md").read_text()
    tests = "".join(
        path.read_text(errors="replace")
        for name, path in sources(root, ("test",), {".mlir", ".test", ".py", ".cpp"})
        if not name.startswith("test/Hygiene/")
    )
    places = {}
    for name, path in sources(root, ("dialect", "lib", "python"), CODE | {".py"}):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            # The last thing in a message, or a string of its own that ends up there.
            for match in re.finditer(rf"[\[(]({LABEL})[\])][\"';]|\"({LABEL})\"", line):
                places.setdefault(match.group(1) or match.group(2), f"{name}:{number}")
    for label, place in sorted(places.items()):
        if not re.search(rf"\b{label}\b", spec):
            yield f"{place}: rule {label} is not in docs/spec.md"
        if not re.search(rf"\b{label}\b", tests):
            yield f"{place}: no test provokes the error of rule {label}"
    for label in re.findall(rf"^(?:\| |### )({LABEL})(?: \||:)", spec, re.M):
        if label not in places:
            yield f"docs/spec.md: no error names rule {label}"


def headers(root):
    """Every file begins with what it is for; in C++ and TableGen on one full line."""
    for name, path in sources(root, suffixes=CODE | {".py", ".sh", ".cu"}):
        text = path.read_text()
        if path.suffix == ".py":
            fine = text.startswith("# ") or ast.get_docstring(ast.parse(text)) is not None
        elif path.suffix in CODE:
            fine = text.startswith(f"//===- {path.name} - ")
        else:
            fine = re.match(r"(#!.*\n)?(#|//|/\*) ?\S", text) is not None
        if not fine:
            yield f"{name}:1: no header that says what this file is for"
        elif path.suffix in CODE:
            # A longer line is wrapped by clang-format, into two that end nowhere.
            line = text.split("\n", 1)[0]
            if len(line) != 80 or not line.endswith("-===//"):
                yield f"{name}:1: expected a header line of 80 columns that ends in -===//"


def main():
    rule, root = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    rules = {f.__name__: f for f in (ptx, targets, passes, notes, labels, headers)}
    if rule not in rules:
        sys.exit(f"expected one of {', '.join(rules)}, found {rule}")
    if next(sources(root, (*FOLDERS, "docs")), None) is None:
        sys.exit(f"{root} has no sources")
    offences = list(rules[rule](root))
    print("\n".join(offences) or f"{rule}: nothing found")
    sys.exit(1 if offences else 0)


if __name__ == "__main__":
    main()
