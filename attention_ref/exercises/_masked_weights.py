"""Exercise: give no weight to hidden keys."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_ref.exercises._judging import Case, Exercise, Mistake, Solution, judge
from attention_ref.exercises._pieces import Matrix, masked, numbers, weights


def check_masked_weights(solution: Solution) -> None:
    """Check a function that gives no weight to hidden keys.

    Args:
        solution: `masked_weights(scores, mask)`, for scores `(queries, keys)` and a
            boolean mask of that shape, returns weights that sum to 1 over the keys
            that the mask lets each query see. Each query sees at least one.

    Raises:
        NotYet: If it is wrong, with a sentence that says what is.

    Example:
        >>> import attention_ref
        >>> check_masked_weights(lambda scores, mask: attention_ref.softmax(scores))
        Traceback (most recent call last):
        ...
        attention_ref.exercises.NotYet: Your mask changes nothing: hidden keys \
still get weight.
    """
    judge(_MASKED, solution)


def _how_much_leaks(case: Case, right: Matrix, given: Matrix) -> str | None:
    hidden = ~case[1] & (given != 0)
    for query, key in np.argwhere(hidden):
        return (
            f"Query {query} must not see key {key}, and gives it a weight of "
            f"{given[query, key]:.3g}."
        )
    sums: Any = given.sum(axis=-1)
    if not np.allclose(sums, 1):
        row = int(np.argmax(~np.isclose(sums, 1)))
        return f"The weights of query {row} sum to {sums[row]:.3g}, and must sum to 1."
    return None


_MASK = np.tri(5, dtype=bool)


_MASKED = Exercise(
    name="masked_weights",
    arguments=("scores", "mask"),
    axes="(queries, keys)",
    right=masked,
    cases=(
        (numbers(5, 5), _MASK),
        (numbers(5, 5) + 1, _MASK | (np.arange(5) == 3)),
        (numbers(3, 7), np.arange(7) % (np.arange(3)[:, None] + 2) == 0),
        # Nobody has such scores; but a filler of -1e4, or of -1e9, would beat them.
        (numbers(5, 5) - 3e5, _MASK),
        (numbers(5, 5) - 3e9, _MASK),
    ),
    mistakes=(
        Mistake(
            "Your mask is inverted: hide a score where the mask is False.",
            lambda scores, mask: masked(scores, ~mask),
        ),
        Mistake(
            "You masked after softmax: the weights that are left no longer sum to 1, "
            "so set the hidden scores to −∞ before it.",
            lambda scores, mask: weights(scores) * mask,
        ),
        Mistake(
            "You set hidden scores to 0: a score of 0 is an ordinary score, and only "
            "−∞ gives no weight.",
            lambda scores, mask: masked(scores, mask, 0.0),
        ),
        Mistake(
            "Your mask changes nothing: hidden keys still get weight.",
            lambda scores, mask: weights(scores),
        ),
        Mistake(
            "You used −1e9 for hidden scores: real scores can lie below it, so use "
            "−np.inf.",
            lambda scores, mask: masked(scores, mask, -1e9),
        ),
        Mistake(
            "You used −1e4 for hidden scores: real scores can lie below it, so use "
            "−np.inf.",
            lambda scores, mask: masked(scores, mask, -1e4),
        ),
        Mistake(
            "You added the mask to the scores: True counts as 1 there, and hides "
            "nothing.",
            lambda scores, mask: weights(scores + mask),
        ),
        Mistake(
            "Your weights sum to 1 along the wrong axis: take softmax over the keys, "
            "axis=-1.",
            lambda scores, mask: masked(scores.T, mask.T).T,
        ),
        Mistake(
            "You turned the mask over: its rows are queries, as those of the scores "
            "are.",
            lambda scores, mask: masked(scores, mask.T),
        ),
        Mistake(
            "These are masked scores: take softmax of them.",
            lambda scores, mask: np.where(mask, scores, -np.inf),
        ),
        Mistake(
            "You shared the weight out evenly among the visible keys: their scores "
            "should decide.",
            lambda scores, mask: mask / mask.sum(axis=-1, keepdims=True),
        ),
    ),
    explain=_how_much_leaks,
)
