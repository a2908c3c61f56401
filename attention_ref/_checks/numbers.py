"""Numbers, counts, lengths and choices."""

import math
from collections.abc import Mapping
from typing import Any

from attention_ref._arrays import (
    Array,
    broadcast_shapes,
    dtype_name,
    is_array,
    known_to_hold,
    namespace,
)
from attention_ref._checks.arrays import check_arrays, check_axes
from attention_ref._checks.wording import ShapeError, listed, refuse

DEFAULT = "Leave it out if you want the default."


def check_number(
    function: str, name: str, number: Any, *, positive: bool, optional: bool = True
) -> None:
    """Require a finite number, or an array of one that has no axes."""
    kind = "a positive finite number" if positive else "a finite number"
    rule = f"{name} must be {'None or ' if optional else ''}{kind}"
    if number is None and optional:
        return
    # Plain numbers first: torch.compile does not follow the question for an array.
    if not isinstance(number, int | float) and is_array(number):
        if number.ndim != 0:
            shape = f"an array of shape {tuple(number.shape)}"
            refuse(ShapeError, function, rule, shape, "Pass one number.")
        wrong = ~namespace(number).isfinite(number)
        if known_to_hold(wrong | (number <= 0) if positive else wrong):
            refuse(ValueError, function, rule, float(number), DEFAULT)
        return
    if isinstance(number, bool) or not isinstance(number, int | float):
        refuse(TypeError, function, rule, type(number).__name__, "Pass one number.")
    if not math.isfinite(number) or (positive and number <= 0):
        refuse(ValueError, function, rule, number, DEFAULT)


def check_sink(function: str, sink: Any) -> None:
    """Require a sink that is given as a number to be one."""
    if isinstance(sink, bool):
        rule = "sink must be a number or an array"
        refuse(TypeError, function, rule, "bool", "Pass one number.")
    if isinstance(sink, float) and math.isnan(sink):
        advice = "Minus infinity is no sink."
        refuse(ValueError, function, "sink must not be NaN", sink, advice)


def check_count(function: str, name: str, count: Any, *, least: int = 1) -> None:
    """Require an integer that is large enough."""
    if not _is_integer(count):
        got = type(count).__name__
        refuse(TypeError, function, f"{name} must be an integer", got, "It is a count.")
    if count < least:
        rule = f"{name} must be at least {least}"
        refuse(ValueError, function, rule, count, "It is a count.")


def check_length(function: str, name: str, length: Any) -> None:
    """Require a count of positions, which may be 0."""
    check_count(function, name, length, least=0)


def _is_integer(value: Any) -> bool:
    return hasattr(value, "__index__") and not isinstance(value, bool)


def check_integers(function: str, name: str, array: Array) -> None:
    """Require an array of integers."""
    if not dtype_name(array.dtype).startswith(("int", "uint")):
        refuse(
            TypeError,
            function,
            f"{name} must be integers",
            dtype_name(array.dtype),
            "Convert them to int64.",
        )


def check_lengths(function: str, lengths: Array, key_length: int) -> None:
    """Require one integer for each sequence, none longer than the keys."""
    check_arrays(function, {"lengths": lengths})
    check_integers(function, "lengths", lengths)
    if lengths.ndim != 1:
        refuse(
            ShapeError,
            function,
            "lengths must have one axis (batch,)",
            f"shape {tuple(lengths.shape)}",
            "Give one length for each sequence.",
        )
    outside = (lengths < 0) | (lengths > key_length)
    xp = namespace(lengths)
    if known_to_hold(xp.any(outside)):
        worst = lengths[xp.argmax(xp.astype(outside, xp.int8))]
        refuse(
            ValueError,
            function,
            f"lengths must be between 0 and key_length = {key_length}",
            int(worst),
            "A length counts the keys that are real.",
        )


def check_window(function: str, left: Any, right: Any) -> None:
    """Require the two sides of a window to be None or a count."""
    for name, keys in (("left", left), ("right", right)):
        if keys is not None:
            check_count(function, name, keys, least=0)


def check_position_arrays(function: str, arrays: Mapping[str, Array]) -> None:
    """Require arrays of integers whose axes before the last broadcast together."""
    check_arrays(function, arrays)
    for name, array in arrays.items():
        check_integers(function, name, array)
        check_axes(function, name, array, "..., length", 1)
    batches = [tuple(array.shape[:-1]) for array in arrays.values()]
    if broadcast_shapes(*batches) is None:
        refuse(
            ShapeError,
            function,
            f"batch axes of {listed(arrays)} must broadcast together",
            listed(f"{name} {tuple(array.shape)}" for name, array in arrays.items()),
            "Only the last axis is the length.",
        )


def check_choice(
    function: str, name: str, value: Any, choices: tuple[str, ...]
) -> None:
    """Require one of a few words."""
    if value not in choices:
        refuse(
            ValueError,
            function,
            f"{name} must be {listed(map(_quoted, choices), 'or')}",
            repr(value),
            "Choose one of them.",
        )


def _quoted(word: str) -> str:
    return f'"{word}"'
