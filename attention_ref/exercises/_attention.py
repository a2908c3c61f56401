"""Exercise: average the values."""

from __future__ import annotations

import numpy as np

from attention_ref.exercises._judging import Exercise, Mistake, Solution, judge
from attention_ref.exercises._pieces import attend, numbers, raw, scaled, weights


def check_attention(solution: Solution) -> None:
    """Check a function that averages the values by how well their keys match.

    Args:
        solution: `attention(query, key, value)`, for a query `(queries, width)`, a key
            `(keys, width)` and a value `(keys, value_width)`, returns
            `(queries, value_width)`.

    Raises:
        NotYet: If it is wrong, with a sentence that says what is.

    Example:
        >>> import attention_ref
        >>> check_attention(attention_ref.scaled_dot_product_attention)
        Right: attention passes all 3 cases.
    """
    judge(_ATTENTION, solution)


_ATTENTION = Exercise(
    name="attention",
    arguments=("query", "key", "value"),
    axes="(queries, value_width)",
    right=lambda query, key, value: attend(scaled(query, key), value),
    cases=(
        (numbers(3, 3), numbers(3, 3) + 1, numbers(3, 3) - 1),
        (numbers(3, 2), numbers(5, 2), numbers(5, 7)),
        (numbers(2, 7), numbers(3, 7), numbers(3, 5)),
    ),
    mistakes=(
        Mistake(
            "Your weights sum to 1 along the wrong axis: take softmax over the keys, "
            "axis=-1, so that each query shares out one whole.",
            lambda query, key, value: weights(scaled(query, key), axis=-2) @ value,
        ),
        Mistake(
            "These are the weights: multiply them with the value.",
            lambda query, key, value: weights(scaled(query, key)),
        ),
        Mistake(
            "You did not scale: divide the dot products by the square root of the "
            "width before softmax.",
            lambda query, key, value: attend(raw(query, key), value),
        ),
        Mistake(
            "You scaled by d, not √d: divide by the square root of the width.",
            lambda query, key, value: attend(raw(query, key) / query.shape[-1], value),
        ),
        Mistake(
            "You scaled after softmax: divide the scores, not the weights, or the "
            "weights no longer sum to 1.",
            lambda query, key, value: (
                attend(raw(query, key), value) / np.sqrt(query.shape[-1])
            ),
        ),
        Mistake(
            "You left softmax out: scores are no shares, and can be negative.",
            lambda query, key, value: scaled(query, key) @ value,
        ),
        Mistake(
            "You averaged the keys: keys are for being found, and what is handed over "
            "is the value.",
            lambda query, key, value: attend(scaled(query, key), key),
        ),
        Mistake(
            "You took the plain mean of the values: each query should weigh them by "
            "its own scores.",
            lambda query, key, value: (
                np.ones((len(query), len(key))) / len(key) @ value
            ),
        ),
        Mistake(
            "You took the value of the best key alone: attention averages all values.",
            lambda query, key, value: value[raw(query, key).argmax(axis=-1)],
        ),
        Mistake(
            "Your weights are turned over: each row must be a query, so write "
            "weights @ value.",
            lambda query, key, value: weights(scaled(query, key)).T @ value,
        ),
        Mistake(
            "Query and key have changed places: each row of the result belongs to a "
            "query.",
            lambda query, key, value: weights(scaled(key, query)) @ value,
        ),
        Mistake(
            "You returned the values as they came.", lambda query, key, value: value
        ),
    ),
)
