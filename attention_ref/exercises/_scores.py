"""Exercise: compare each query with each key."""

from __future__ import annotations

import numpy as np

from attention_ref.exercises._judging import Exercise, Mistake, Solution, judge
from attention_ref.exercises._pieces import numbers, raw, scaled, weights


def check_scores(solution: Solution) -> None:
    """Check a function that compares each query with each key.

    Args:
        solution: `scores(query, key)`, for a query `(queries, width)` and a key
            `(keys, width)`, returns `(queries, keys)`: the dot products, divided by the
            square root of the width.

    Raises:
        NotYet: If it is wrong, with a sentence that says what is.

    Example:
        >>> check_scores(lambda query, key: query @ key.T)
        Traceback (most recent call last):
        ...
        attention_ref.exercises.NotYet: You did not scale: divide the dot \
products by the square root of the width.
    """
    judge(_SCORES, solution)


_SCORES = Exercise(
    name="scores",
    arguments=("query", "key"),
    axes="(queries, keys)",
    right=scaled,
    cases=(
        (numbers(3, 3), numbers(3, 3) + 1),
        (numbers(3, 2), numbers(5, 2)),
        (numbers(2, 7), numbers(3, 7)),
    ),
    mistakes=(
        Mistake(
            "You did not scale: divide the dot products by the square root of the "
            "width.",
            raw,
        ),
        Mistake(
            "You scaled by d, not √d: divide by the square root of the width.",
            lambda query, key: raw(query, key) / query.shape[-1],
        ),
        Mistake(
            "You multiplied by √d: divide by it, so that wide vectors do not give "
            "large scores.",
            lambda query, key: raw(query, key) * np.sqrt(query.shape[-1]),
        ),
        Mistake(
            "You scaled by the number of keys: it is the width of a vector that makes "
            "dot products large, however many keys there are.",
            lambda query, key: raw(query, key) / np.sqrt(len(key)),
        ),
        Mistake(
            "Your rows are keys and your columns queries: turn it around, query @ "
            "key.T.",
            lambda query, key: scaled(key, query),
        ),
        Mistake(
            "You compared directions only: take the dot product, without dividing by "
            "the lengths of the vectors.",
            lambda query, key: (
                raw(query, key)
                / np.linalg.norm(query, axis=-1)[:, None]
                / np.linalg.norm(key, axis=-1)
            ),
        ),
        Mistake(
            "These are weights already: the scores come before softmax.",
            lambda query, key: weights(scaled(query, key)),
        ),
        Mistake(
            "You multiplied query and key without turning the key over: that pairs "
            "widths with positions, so write query @ key.T.",
            lambda query, key: query @ key / np.sqrt(query.shape[-1]),
        ),
        Mistake(
            "You compared the queries with each other: the second factor is the key.",
            lambda query, key: scaled(query, query),
        ),
        Mistake(
            "These are distances: the score of a pair is its dot product, which is "
            "large where the two are alike.",
            lambda query, key: np.linalg.norm(query[:, None] - key, axis=-1),
        ),
    ),
)
