#!/usr/bin/env python3
"""Keeps the pictures in docs/layouts.md the ones that wna16-layout draws.

A comment in the document says how the block or image after it is made:

    <!-- text: wna16-layout mma_a -->          then a ```text block
    <!-- image: wna16-layout marlin --svg > images/marlin.svg -->

Without options both are rewritten in place; with --check nothing is written and
a difference is an error. wna16-layout is taken from PATH or from --tool.
"""
import argparse
import pathlib
import re
import shlex
import subprocess
import sys

from up_to_date import update

TEXT = re.compile(r"<!-- text: wna16-layout (.*?) -->\n```text\n(.*?)```\n", re.S)
IMAGE = re.compile(r"<!-- image: wna16-layout (.*?) > (\S+) -->")


def draw(tool, arguments):
    command = [tool, *shlex.split(arguments)]
    try:
        return subprocess.run(
            command, check=True, stdout=subprocess.PIPE, text=True
        ).stdout
    except FileNotFoundError:
        sys.exit(f"{tool} is not there; build it (make build) or name it with --tool")
    except subprocess.CalledProcessError as error:
        sys.exit(f"{shlex.join(command)} failed with exit status {error.returncode}")


def wanted_files(document, tool):
    """Every generated file with the text that it should have."""
    blocks, images = 0, {}
    text = document.read_text()

    def fill(match):
        nonlocal blocks
        blocks += 1
        arguments = match.group(1)
        body = draw(tool, arguments)
        return f"<!-- text: wna16-layout {arguments} -->\n```text\n{body}```\n"

    for arguments, name in IMAGE.findall(text):
        images[document.parent / name] = draw(tool, arguments)
    filled = TEXT.sub(fill, text)
    if blocks != text.count("<!-- text:"):
        sys.exit(f"{document}: a 'text:' comment is not followed by a ```text block")
    if blocks == 0:
        sys.exit(f"{document}: no picture found")
    return {document: filled, **images}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("document", type=pathlib.Path)
    parser.add_argument("--tool", default="wna16-layout")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()

    wanted = wanted_files(options.document, options.tool)
    if update(wanted, options.check, "drawn now") and options.check:
        sys.exit(f"pictures are out of date; run {parser.prog} {options.document}")


if __name__ == "__main__":
    main()
