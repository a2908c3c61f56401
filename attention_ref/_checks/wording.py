"""The one form that every message has."""

from collections.abc import Iterable
from typing import NoReturn


class ShapeError(ValueError):
    """Arrays whose shapes do not go together."""


def refuse(
    kind: type[Exception], function: str, rule: str, got: object, advice: str
) -> NoReturn:
    """Raise an error that says what is wrong, and what to do."""
    message = f"{function}: {rule}, got {got}. {advice}"
    raise kind(message)


def listed(names: Iterable[object], word: str = "and") -> str:
    """Join names as a sentence does."""
    *most, last = map(str, names)
    return f"{', '.join(most)} {word} {last}" if most else last
