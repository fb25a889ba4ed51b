"""Patterns and JSON from files that nobody vouches for: bounded, or refused."""

import time

import pytest

from wna16 import CheckpointError
from wna16.formats import patterns
from wna16.formats.patterns import Pattern


def test_matches_from_the_beginning_not_to_the_end():
    assert Pattern("model", "here").matches("model.layers.0")
    assert not Pattern("layers", "here").matches("model.layers.0")
    assert Pattern("^(?!.*experts).*down_proj", "here").matches("model.mlp.down_proj")


@pytest.mark.parametrize(
    "text, said",
    [
        ("[", "not a regular expression"),
        ("(" * 900, "not a regular expression"),
        ("a" * 1001, "too large"),
        ("a{1000000000}", "too large"),
        ("((a{100}){100}){100}", "too large"),
        ("a{0,99999999999999999999}", "too large"),
    ],
)
def test_refused_pattern(text, said):
    with pytest.raises(CheckpointError, match=rf"^here: .*{said}.*\[CKPT4\]"):
        Pattern(text, "here")


def test_a_pattern_that_would_take_years(monkeypatch):
    monkeypatch.setattr(patterns, "_BUDGET_SECONDS", 0.2)
    slow = Pattern(r"(?:a|a|aa)+\1?(a|aa)+(a|aa)+(b)\1c", "here", 0.2)
    start = time.monotonic()
    with pytest.raises(CheckpointError, match=r"^here: .*without nested repetition \[CKPT4\]"):
        slow.matches("a" * 2000 + "b" + "d")
    assert time.monotonic() - start < 5
