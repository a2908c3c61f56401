"""Exercise: a softmax for scores of any size."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_ref.exercises._judging import Case, Exercise, Mistake, Solution, judge
from attention_ref.exercises._pieces import Matrix, naive, numbers, weights


def check_stable_softmax(solution: Solution) -> None:
    """Check a softmax that takes scores of any size.

    Args:
        solution: `stable_softmax(scores)`, for finite scores `(queries, keys)`, returns
            weights of the same shape.

    Raises:
        NotYet: If it is wrong, with a sentence that says what is.

    Example:
        >>> import attention_ref
        >>> check_stable_softmax(attention_ref.softmax)
        Right: stable_softmax passes all 4 cases.
    """
    judge(_STABLE, solution)


def _nothing_or_too_much(case: Case, right: Matrix, given: Matrix) -> str | None:
    if np.isnan(given).any():
        row = int(np.argmax(np.isnan(given).any(axis=-1)))
        return (
            f"Row {row} is NaN: for scores up to {np.abs(case[0]).max():.0f} something "
            "on the way became infinite, or 0 / 0."
        )
    sums: Any = given.sum(axis=-1)
    if not np.allclose(sums, 1):
        row = int(np.argmax(~np.isclose(sums, 1)))
        return f"The weights of row {row} sum to {sums[row]:.3g}, and must sum to 1."
    return None


_STABLE = Exercise(
    name="stable_softmax",
    arguments=("scores",),
    axes="(queries, keys)",
    right=weights,
    cases=(
        (numbers(3, 5),),
        (numbers(3, 5) * 3 + 1000,),
        (numbers(3, 5) * 3 - 1000,),
        (numbers(3, 5) * 3 + np.array([[-2000.0], [0.0], [2000.0]]),),
    ),
    mistakes=(
        Mistake(
            "Your exponentials overflow or vanish: subtract the largest score of each "
            "row first, which changes no weight.",
            naive,
        ),
        Mistake(
            "You subtracted one number for all rows: a row far below it vanishes, so "
            "take the largest of each row, axis=-1, keepdims=True.",
            lambda scores: naive(scores - scores.max()),
        ),
        Mistake(
            "You subtracted the largest of each column: take that of each row, "
            "axis=-1.",
            lambda scores: naive(scores - scores.max(axis=0)),
        ),
        Mistake(
            "You divided the scores by their largest: that changes the weights, and "
            "subtracting it does not.",
            lambda scores: naive(scores / scores.max(axis=-1, keepdims=True)),
        ),
        Mistake(
            "You clipped the scores: those beyond the limit become equal, and their "
            "order is lost.",
            lambda scores: naive(np.clip(scores, -50, 50)),
        ),
        Mistake(
            "You replaced NaN by 0 afterwards: these weights are lost, so keep them "
            "from overflowing.",
            lambda scores: np.nan_to_num(naive(scores)),
        ),
        Mistake(
            "You shifted the scores above the line and not those in the sum: shift all "
            "scores of the row alike.",
            lambda scores: (
                np.exp(scores - scores.max(-1, keepdims=True))
                / np.exp(scores).sum(-1, keepdims=True)
            ),
        ),
        Mistake(
            "You subtracted the largest magnitude: for negative scores that pushes "
            "them further down, so subtract the largest score.",
            lambda scores: naive(scores - np.abs(scores).max(-1, keepdims=True)),
        ),
        Mistake(
            "You standardised each row: dividing by its spread changes the weights.",
            lambda scores: naive(
                (scores - scores.mean(-1, keepdims=True))
                / scores.std(-1, keepdims=True)
            ),
        ),
    ),
    explain=_nothing_or_too_much,
)
