"""Exercise: what a query gets that may see no key."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_ref.exercises._judging import Exercise, Mistake, Solution, judge
from attention_ref.exercises._pieces import Matrix, masked, numbers, weights


def check_empty_rows(solution: Solution) -> None:
    """Check masked weights where a query may see no key at all.

    Args:
        solution: `weights_or_zeros(scores, mask)`, for scores `(queries, keys)` and a
            boolean mask of that shape, returns weights. A query that may see no key
            gets zeros.

    Raises:
        NotYet: If it is wrong, with a sentence that says what is.

    Example:
        >>> import attention_ref
        >>> import numpy as np
        >>> check_empty_rows(
        ...     lambda scores, mask: attention_ref.softmax(np.where(mask, scores, -1e9))
        ... )
        Traceback (most recent call last):
        ...
        attention_ref.exercises.NotYet: A query that may see no key gets the \
same weight for every key, hidden as they are: give it zeros.
    """
    judge(_EMPTY, solution)


def _zeros_where_empty(scores: Matrix, mask: Matrix) -> Matrix:
    return np.where(mask.any(axis=-1, keepdims=True), masked(scores, mask), 0.0)


def _where_empty(replacement: Any, scores: Matrix, mask: Matrix) -> Matrix:
    return np.where(mask.any(axis=-1, keepdims=True), masked(scores, mask), replacement)


def _not_whole(mask: Matrix, given: Matrix) -> str | None:
    for row, (sees, total) in enumerate(
        zip(np.any(mask, axis=-1).tolist(), given.sum(-1).tolist(), strict=True)
    ):
        if not sees and np.any(given[row] != 0):
            return f"Query {row} may see no key, and its weights must be zeros."
        if sees and not np.isclose(total, 1):
            return (
                f"The weights of query {row} sum to {total:.6g}, and must sum to 1: "
                "nothing may be added to the sum that you divide by."
            )
    return None


_HOLES = np.arange(7) < np.array([[3], [0], [7], [1]])


_EMPTY = Exercise(
    name="weights_or_zeros",
    arguments=("scores", "mask"),
    axes="(queries, keys)",
    right=_zeros_where_empty,
    cases=(
        (numbers(4, 7), _HOLES),
        (numbers(3, 5), np.zeros((3, 5), dtype=bool)),
        (numbers(3, 5), np.tri(3, 5, -1, dtype=bool)),
    ),
    mistakes=(
        Mistake(
            "A query that may see no key gets NaN, from 0 / 0 or ∞ − ∞: give it zeros.",
            masked,
        ),
        Mistake(
            "A query that may see no key gets the same weight for every key, hidden as "
            "they are: give it zeros.",
            lambda scores, mask: _where_empty(1 / mask.shape[-1], scores, mask),
        ),
        Mistake(
            "A query that may see no key sees all of them: give it zeros.",
            lambda scores, mask: masked(
                scores, mask | ~mask.any(axis=-1, keepdims=True)
            ),
        ),
        Mistake(
            "A query that may see no key gives all its weight to key 0, hidden as "
            "that is: give it zeros.",
            lambda scores, mask: _where_empty(
                np.arange(mask.shape[-1]) == 0, scores, mask
            ),
        ),
        Mistake(
            "A query that may see no key gets ones: give it zeros.",
            lambda scores, mask: _where_empty(1.0, scores, mask),
        ),
        Mistake(
            "You left out the queries that may see no key: their rows stay, and hold "
            "zeros.",
            lambda scores, mask: masked(scores, mask)[mask.any(axis=-1)],
        ),
        Mistake(
            "You masked after softmax: the weights that are left no longer sum to 1.",
            lambda scores, mask: weights(scores) * mask,
        ),
        Mistake(
            "Your mask is inverted: hide a score where the mask is False.",
            lambda scores, mask: _zeros_where_empty(scores, ~mask),
        ),
        Mistake(
            "Your mask changes nothing: hidden keys still get weight.",
            lambda scores, mask: weights(scores),
        ),
        Mistake(
            "A query that may see no key gets −∞, which is no weight: give it zeros.",
            lambda scores, mask: _where_empty(-np.inf, scores, mask),
        ),
    ),
    explain=lambda case, right, given: _not_whole(case[1], given),
)
