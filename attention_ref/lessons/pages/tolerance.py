"""Printed text compared by tolerance: the numbers within it, all else exactly."""

import re

_NUMBER = re.compile(
    r"[+-]?(?:\d+\.?(?P<decimals>\d*)|\.(?P<only>\d+))(?:[eE](?P<power>[+-]?\d+))?"
)


def agree(expected: str, actual: str, tolerance: float) -> bool:
    """Whether two texts differ by nothing but the last digits of their numbers.

    Args:
        expected: What the page says.
        actual: What was printed.
        tolerance: By how much two numbers may differ.

    Returns:
        Whether they agree.
    """
    wanted, got = _numbers(expected), _numbers(actual)
    if len(wanted) != len(got) or _NUMBER.sub("", expected) != _NUMBER.sub("", actual):
        return False
    return all(
        abs(float(a) - float(b)) <= tolerance for a, b in zip(wanted, got, strict=True)
    )


def number_shown_too_precisely(text: str, tolerance: float) -> str | None:
    """Find a number whose last digit could be wrong without anybody noticing.

    Args:
        text: What the page says.
        tolerance: By how much a number may differ.

    Returns:
        The first number of which `tolerance` is half a unit of its last digit or more.
    """
    for match in _NUMBER.finditer(text):
        places = len(match["decimals"] or match["only"] or "")
        if tolerance >= 0.5 * 10.0 ** (int(match["power"] or 0) - places):
            return match[0]
    return None


def _numbers(text: str) -> list[str]:
    return [match[0] for match in _NUMBER.finditer(text)]
