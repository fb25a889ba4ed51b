"""Fields of a configuration, with their types checked.

Every function takes the object, the field's name and where the object stands; its
CheckpointError says what was expected there and what was found.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import CheckpointError
from .patterns import Pattern


def says_something(value: object) -> bool:
    """False for null, false, "", and lists and objects of nothing else."""
    if isinstance(value, Mapping):
        return any(says_something(v) for v in value.values())
    if isinstance(value, list):
        return any(says_something(v) for v in value)
    return value not in (None, False, "")


def object_field(parent: Mapping[str, Any], name: str, where: str) -> Mapping[str, Any]:
    """A field that is an object or null."""
    value = parent.get(name)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise _wrong(where, name, "an object or null", value)
    return value


def string_field(parent: Mapping[str, Any], name: str, where: str) -> str | None:
    """A field that is a string or null."""
    value = parent.get(name)
    if value is not None and not isinstance(value, str):
        raise _wrong(where, name, "a string or null", value)
    return value or None


def bool_field(parent: Mapping[str, Any], name: str, where: str, default: bool | None) -> bool:
    """A field that is true or false; without a default it has to be there."""
    value = parent.get(name, default)
    if not isinstance(value, bool):
        raise _wrong(where, name, "true or false", value)
    return value


def int_field(parent: Mapping[str, Any], name: str, where: str, allowed: range) -> int:
    """A field that is an integer of a range, and has to be there."""
    value = parent.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or value not in allowed:
        raise _wrong(where, name, f"an integer from {allowed[0]} to {allowed[-1]}", value)
    return value


def group_field(parent: Mapping[str, Any], name: str, where: str) -> int:
    """A group size; null, absent and -1 all mean one group per column: -1."""
    value = parent.get(name)
    if value is None or (value == -1 and isinstance(value, int)):
        return -1
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < 1 << 31:
        raise _wrong(where, name, "a positive integer, -1 or null", value)
    return value


def strings_field(parent: Mapping[str, Any], name: str, where: str) -> tuple[str, ...]:
    """A field that is a list of strings, or null."""
    value = parent.get(name)
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise CheckpointError(
            f"{where}.{name}: expected a list of strings, found {_short(value)}; write "
            '["Linear"], for example [CKPT4]'
        )
    return tuple(value)


def targets_field(
    parent: Mapping[str, Any], name: str, where: str
) -> tuple["Target", ...]:
    """A list of names and "re:" patterns, or null."""
    return tuple(Target(v, f"{where}.{name}") for v in strings_field(parent, name, where))


class Target:
    """A layer's name, or "re:" and a pattern."""

    def __init__(self, text: str, where: str) -> None:
        self.text = text
        self.pattern = Pattern(text[3:], where) if text.startswith("re:") else None

    def matches(self, layer: str) -> bool:
        if self.pattern is not None:
            return self.pattern.matches(layer)
        return self.text == layer


def check_known(fields: Mapping[str, Any], known: frozenset[str], where: str) -> None:
    """Refuses a field that this reader does not know, unless it asks for nothing."""
    for name, value in fields.items():
        if name not in known and says_something(value):
            raise CheckpointError(
                f"{where}: unknown field {name} = {_short(value)}; it may change what the "
                "weights mean, so it is not skipped. If it does not, remove it [CKPT6]"
            )


def check_unset(fields: Mapping[str, Any], names: Mapping[str, str], where: str) -> None:
    """Refuses fields that ask for more than codes and scales; `names` says for what."""
    for name, what in names.items():
        if says_something(fields.get(name)):
            raise CheckpointError(
                f"{where}: expected no {name}, found {_short(fields[name])}; {what} not "
                "supported [CKPT4]"
            )


def _wrong(where: str, name: str, expected: str, found: object) -> CheckpointError:
    return CheckpointError(f"{where}.{name}: expected {expected}, found {_short(found)} [CKPT4]")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 100 else text[:97] + "..."
