"""Patterns over layer names, from a file that nobody vouches for.

The package regex is used because it can give up: with the standard library a short
pattern can keep a match busy for years.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

import regex

from ..errors import CheckpointError

_MAX_LENGTH = 1000
#: A pattern is unrolled when it is compiled; this many copies of a part are too many.
_MAX_COPIES = 100_000
#: Processor time for all names that one pattern is compared with.
_BUDGET_SECONDS = 5.0


@dataclass
class Pattern:
    """A regular expression that must match the beginning of a name."""

    text: str
    #: Where it stands, for errors.
    where: str
    _seconds_left: float = field(default=_BUDGET_SECONDS, repr=False)

    def __post_init__(self) -> None:
        counts = regex.findall(r"\{[^}]*?(\d+)\s*\}", self.text[: _MAX_LENGTH + 1])
        copies = math.prod(max(int(count[:9]), 1) for count in counts)
        if len(self.text) > _MAX_LENGTH or copies > _MAX_COPIES:
            raise CheckpointError(
                f"{self.where}: pattern {self.text[:80]!r} is too large; expected at most "
                f"{_MAX_LENGTH} characters and {_MAX_COPIES} repetitions [CKPT4]"
            )
        try:
            self._compiled = regex.compile(self.text)
        except (regex.error, OverflowError, RecursionError, ValueError) as error:
            raise CheckpointError(
                f"{self.where}: {self.text!r} is not a regular expression: {error} [CKPT4]"
            ) from None

    def matches(self, name: str) -> bool:
        """Whether the pattern matches from the name's beginning, not to its end."""
        start = time.thread_time()
        try:
            return self._compiled.match(name, timeout=max(self._seconds_left, 1e-3)) is not None
        except (TimeoutError, MemoryError):
            raise CheckpointError(
                f"{self.where}: pattern {self.text!r} takes more than {_BUDGET_SECONDS:g} s "
                "on the layers' names; write it without nested repetition [CKPT4]"
            ) from None
        finally:
            self._seconds_left -= time.thread_time() - start
