"""Exercise: attend with several heads."""

from __future__ import annotations

import numpy as np

from attention_ref.exercises._judging import Exercise, Mistake, Solution, judge
from attention_ref.exercises._pieces import (
    Matrix,
    attend,
    interleaved,
    merge,
    numbers,
    raw,
    reshaped,
    scaled,
    split,
    weights,
)


def check_multi_head_attention(solution: Solution) -> None:
    """Check a function that attends with several heads.

    Args:
        solution: `multi_head_attention(query, key, value, num_heads)`, for three arrays
            `(length, heads * width)` that are projected already, returns the same
            shape: each head attends on its own, and the heads stand side by side.

    Raises:
        NotYet: If it is wrong, with a sentence that says what is.

    Example:
        >>> check_multi_head_attention(lambda query, key, value, num_heads: value)
        Traceback (most recent call last):
        ...
        attention_ref.exercises.NotYet: You returned the values as they came.
    """
    judge(_MULTI_HEAD, solution)


def _attended(query: Matrix, key: Matrix, value: Matrix) -> Matrix:
    return attend(scaled(query, key), value)


def _heads(query: Matrix, key: Matrix, value: Matrix, heads: int) -> Matrix:
    return _attended(*(split(x, heads) for x in (query, key, value)))


def _with_scores_over(divisor: float, *inputs: Matrix, heads: int) -> Matrix:
    query, key, value = (split(x, heads) for x in inputs)
    return merge(weights(raw(query, key) / divisor) @ value)


_MULTI_HEAD = Exercise(
    name="multi_head_attention",
    arguments=("query", "key", "value", "num_heads"),
    axes="(length, heads * width)",
    right=lambda *given: merge(_heads(*given)),
    cases=(
        (numbers(3, 4), numbers(3, 4) + 1, numbers(3, 4) - 1, 2),
        (numbers(5, 6), numbers(5, 6) + 1, numbers(5, 6) - 1, 3),
        (numbers(2, 10), numbers(2, 10) + 1, numbers(2, 10) - 1, 2),
    ),
    mistakes=(
        Mistake(
            "You attended once over the whole width: split first, so that each head "
            "has weights of its own.",
            lambda query, key, value, heads: _attended(query, key, value),
        ),
        Mistake(
            "You scaled by the whole width: divide by the square root of the width of "
            "one head.",
            lambda query, key, value, heads: _with_scores_over(
                np.sqrt(query.shape[-1]), query, key, value, heads=heads
            ),
        ),
        Mistake(
            "You did not scale: divide the dot products by the square root of the "
            "width of one head.",
            lambda query, key, value, heads: _with_scores_over(
                1, query, key, value, heads=heads
            ),
        ),
        Mistake(
            "You averaged the heads: they stand side by side.",
            lambda *given: _heads(*given).mean(axis=0),
        ),
        Mistake(
            "You averaged the weights of all heads: each head uses its own.",
            lambda query, key, value, heads: merge(
                weights(scaled(split(query, heads), split(key, heads))).mean(0)
                @ split(value, heads)
            ),
        ),
        Mistake(
            "You kept the first head only.",
            lambda *given: _heads(*given)[0],
        ),
        Mistake(
            "You cut the heads with reshape alone: that mixes positions, so swap heads "
            "and length after it.",
            lambda query, key, value, heads: merge(
                _attended(*(reshaped(x, heads) for x in (query, key, value)))
            ),
        ),
        Mistake(
            "You joined the heads with reshape alone: swap heads and length before it.",
            lambda query, key, value, heads: _heads(query, key, value, heads).reshape(
                query.shape
            ),
        ),
        Mistake(
            "You cut and joined the heads with reshape alone: that mixes positions, so "
            "swap heads and length in between.",
            lambda query, key, value, heads: _attended(
                *(reshaped(x, heads) for x in (query, key, value))
            ).reshape(query.shape),
        ),
        Mistake(
            "Your heads took turns, number by number: head 0 has the first block of "
            "the width.",
            lambda query, key, value, heads: merge(
                _attended(*(interleaved(x, heads) for x in (query, key, value)))
            ),
        ),
        Mistake(
            "Your weights sum to 1 along the heads: take softmax over the keys.",
            lambda query, key, value, heads: merge(
                weights(scaled(split(query, heads), split(key, heads)), axis=0)
                @ split(value, heads)
            ),
        ),
        Mistake(
            "You did not join the heads: merge them to (length, heads * width).",
            _heads,
        ),
        Mistake(
            "You returned the values as they came.",
            lambda query, key, value, heads: value,
        ),
    ),
)
