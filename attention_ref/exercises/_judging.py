"""Judge a reader's function: run it, compare, and find the mistake that explains it.

An exercise knows the right function and what people write instead. A wrong solution is
recognised by what it returns: a mistake explains it if both return the same for every
case. So it does not matter how the solution is written.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Solution = Callable[..., Any]
Case = tuple[Any, ...]


class NotYet(Exception):  # noqa: N818 - a reader is no error
    """What is wrong with a solution, in one sentence."""

    __module__ = "attention_ref.exercises"

    def _render_traceback_(self) -> list[str]:
        """Show the sentence alone: Jupyter asks an exception how it wants to look."""
        return [f"Not yet: {self}"]


@dataclass(frozen=True, slots=True)
class Mistake:
    """Something that people write, and the sentence that says why it is wrong."""

    sentence: str
    function: Solution


@dataclass(frozen=True, slots=True)
class Exercise:
    """A function to write.

    Attributes:
        name: What the reader's function is called.
        arguments: What its arguments are called.
        axes: The axes of what it returns, in words.
        right: A function that is right.
        cases: What the solution is called with, one tuple of arguments after the other.
        mistakes: Known wrong functions. The first that explains a solution is named.
        explain: Words for a wrong answer that no mistake explains: takes the case, the
            right answer and the given one, and returns a sentence or nothing.
        tolerance: How far a number may be from the right one, relative to it.
        keeps_dtype: Whether the answer must have the dtype of the right one.
    """

    name: str
    arguments: tuple[str, ...]
    axes: str
    right: Solution
    cases: tuple[Case, ...]
    mistakes: tuple[Mistake, ...]
    explain: Callable[[Case, Any, Any], str | None] = lambda *_: None
    tolerance: float = 1e-6
    keeps_dtype: bool = False


def judge(exercise: Exercise, solution: Solution) -> None:
    """Print that a solution is right, or raise what is wrong with it.

    Args:
        exercise: What was to be written.
        solution: What a reader has written.

    Raises:
        NotYet: If the solution is not right.
    """
    if not callable(solution):
        raise NotYet(_unfinished(exercise.name))
    given = [_outcome(solution, case) for case in exercise.cases]
    right = [_outcome(exercise.right, case) for case in exercise.cases]
    if all(answer is None or answer is Ellipsis for answer in given):
        raise NotYet(_unfinished(exercise.name))
    if sentence := _what_is_wrong(exercise, given, right):
        raise NotYet(sentence)
    for case in exercise.cases:
        if changed := _changed_argument(exercise, solution, case):
            raise NotYet(
                f"{exercise.name} writes into its argument {changed}, which the caller "
                "still needs: make a new array."
            )
    print(f"Right: {exercise.name} passes all {len(exercise.cases)} cases.")


def _unfinished(name: str) -> str:
    return (
        f"{name} is not finished: complete the cell where it says “Your turn”, "
        "and run it again."
    )


def _what_is_wrong(
    exercise: Exercise, given: list[Any], right: list[Any]
) -> str | None:
    agree = [
        _same(exercise, one, other) for one, other in zip(given, right, strict=True)
    ]
    if all(agree):
        return None
    for mistake in exercise.mistakes:
        made = [_outcome(mistake.function, case) for case in exercise.cases]
        if _explains(exercise, made, given, agree):
            return mistake.sentence
    first = agree.index(False)
    return _difference(exercise, exercise.cases[first], given[first], right[first])


def _explains(
    exercise: Exercise, made: list[Any], given: list[Any], agree: list[bool]
) -> bool:
    """Whether a mistake returns what was given, and not only the same exceptions."""
    pairs = list(zip(made, given, strict=True))
    return all(_same(exercise, one, other) for one, other in pairs) and any(
        not (right or isinstance(answer, Exception))
        for right, answer in zip(agree, given, strict=True)
    )


def _outcome(function: Solution, case: Case) -> Any:
    """What a function returns for a copy of the arguments, or what it raises."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return function(*copy.deepcopy(case))
    except Exception as error:
        return error


def _same(exercise: Exercise, one: Any, other: Any) -> bool:
    if isinstance(one, Exception) or isinstance(other, Exception):
        return type(one) is type(other)
    first, second = _array(one), _array(other)
    if first is None or second is None or first.shape != second.shape:
        return False
    if exercise.keeps_dtype and first.dtype != second.dtype:
        return False
    if (first.dtype == np.bool_) != (second.dtype == np.bool_):
        return False
    return np.allclose(
        first.astype(np.float64),
        second.astype(np.float64),
        rtol=exercise.tolerance,
        atol=exercise.tolerance * 1e-3,
        equal_nan=True,
    )


def _array(answer: Any) -> np.ndarray[Any, Any] | None:
    """The answer as an array of numbers, if it is something like that."""
    try:
        array = np.asarray(answer)
    except (TypeError, ValueError):
        return None
    return array if array.dtype.kind in "biuf" else None


def _difference(exercise: Exercise, case: Case, given: Any, right: Any) -> str:
    """A sentence for a wrong answer that no mistake explains."""
    name, where = exercise.name, _described(exercise, case)
    if isinstance(given, Exception):
        return f"{name} raises {type(given).__name__} for {where}: {given}."
    wanted, got = np.asarray(right), _array(given)
    if got is None:
        return f"{name} must return an array, and returns a {type(given).__name__}."
    if got.shape != wanted.shape:
        return (
            f"{name} must return {exercise.axes} = {wanted.shape} for {where}, "
            f"and returns {got.shape}."
        )
    if got.dtype != wanted.dtype and (exercise.keeps_dtype or wanted.dtype == np.bool_):
        return f"{name} must return {wanted.dtype}, and returns {got.dtype}."
    if sentence := exercise.explain(case, wanted, got):
        return sentence
    close = np.isclose(got, wanted, rtol=exercise.tolerance, equal_nan=True)
    place = tuple(int(i) for i in np.argwhere(~close)[0])
    entry = f"entry {list(place)}" if place else "the number"
    return (
        f"{name} gives {got[place]:.6g} as {entry} for {where}, "
        f"and right is {wanted[place]:.6g}."
    )


def _described(exercise: Exercise, case: Case) -> str:
    """The arguments of a case in words: arrays by their shape, numbers as they are."""
    parts = [
        f"{name} of shape {value.shape}"
        if isinstance(value, np.ndarray)
        else f"{name} {getattr(value, '__name__', value)}"
        for name, value in zip(exercise.arguments, case, strict=True)
    ]
    return ", ".join(parts)


def _changed_argument(exercise: Exercise, solution: Solution, case: Case) -> str | None:
    used = copy.deepcopy(case)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        solution(*used)
    for name, before, after in zip(exercise.arguments, case, used, strict=True):
        if isinstance(before, np.ndarray) and not np.array_equal(
            before, after, equal_nan=before.dtype.kind == "f"
        ):
            return name
    return None
