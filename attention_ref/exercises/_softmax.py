"""Exercise: scores into weights."""

from __future__ import annotations

import numpy as np

from attention_ref.exercises._judging import Exercise, Mistake, Solution, judge
from attention_ref.exercises._pieces import numbers, weights


def check_softmax(solution: Solution) -> None:
    """Check a function that turns scores into weights.

    Args:
        solution: `softmax(scores)`, for scores `(..., keys)`, returns weights of the
            same shape, which are positive and sum to 1 along the last axis.

    Raises:
        NotYet: If it is wrong, with a sentence that says what is.

    Example:
        >>> import attention_ref
        >>> check_softmax(attention_ref.softmax)
        Right: softmax passes all 4 cases.
    """
    judge(_SOFTMAX, solution)


_SOFTMAX = Exercise(
    name="softmax",
    arguments=("scores",),
    axes="(..., keys)",
    right=weights,
    cases=tuple((numbers(*shape),) for shape in [(3, 3), (3, 5), (2, 3, 5), (7,)]),
    mistakes=(
        Mistake(
            "Your columns sum to 1, and the rows should: you summed along the wrong "
            "axis, and axis=-1 is the right one.",
            lambda scores: weights(scores, axis=0),
        ),
        Mistake(
            "All your numbers together sum to 1: each row needs a sum of its own, "
            "along the last axis.",
            lambda scores: np.exp(scores) / np.exp(scores).sum(),
        ),
        Mistake(
            "You divided each row by the sums of all rows: keep the summed axis with "
            "keepdims=True, so that each row meets its own sum.",
            lambda scores: np.exp(scores) / np.exp(scores).sum(axis=-1),
        ),
        Mistake(
            "You divided the scores themselves by their sum: take the exponential "
            "first, or negative scores give negative weights.",
            lambda scores: scores / scores.sum(axis=-1, keepdims=True),
        ),
        Mistake(
            "You took the exponential and stopped: divide by the sum, or the weights "
            "are no shares of 1.",
            np.exp,
        ),
        Mistake(
            "You raised 2 to the scores: softmax raises e, with np.exp.",
            lambda scores: weights(scores * np.log(2)),
        ),
        Mistake(
            "You squeezed each score on its own, as the sigmoid does: softmax divides "
            "by what all keys of the row have together.",
            lambda scores: 1 / (1 + np.exp(-scores)),
        ),
        Mistake(
            "These are logarithms of weights: leave the logarithm out.",
            lambda scores: np.log(weights(scores)),
        ),
        Mistake(
            "Your largest score gets the smallest weight: the sign of the scores is "
            "turned around.",
            lambda scores: weights(-scores),
        ),
        Mistake(
            "You gave all the weight to the largest score: softmax leaves every key a "
            "share.",
            lambda scores: 1.0 * (scores == scores.max(axis=-1, keepdims=True)),
        ),
        Mistake("You returned the scores as they came.", lambda scores: scores),
        Mistake(
            "All keys get the same weight, whatever their scores are.",
            lambda scores: np.full(scores.shape, 1 / scores.shape[-1]),
        ),
    ),
)
