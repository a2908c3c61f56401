"""Exercise: give each query head its key head."""

from __future__ import annotations

import numpy as np

from attention_ref.exercises._judging import Exercise, Mistake, Solution, judge
from attention_ref.exercises._pieces import numbers


def check_repeat_heads(solution: Solution) -> None:
    """Check a function that gives each query head its key head.

    Args:
        solution: `repeat_heads(key, num_heads)`, for `(key_heads, keys, width)`,
            returns `(num_heads, keys, width)`. Neighbouring query heads share a key
            head: query head h has key head h // (num_heads // key_heads).

    Raises:
        NotYet: If it is wrong, with a sentence that says what is.

    Example:
        >>> import numpy as np
        >>> check_repeat_heads(lambda key, num_heads: np.resize(key, (num_heads, 5, 2)))
        Traceback (most recent call last):
        ...
        attention_ref.exercises.NotYet: You tiled the heads, 0 1 0 1: repeat \
them, 0 0 1 1, so that neighbours share one.
    """
    judge(_REPEAT, solution)


_REPEAT = Exercise(
    name="repeat_heads",
    arguments=("key", "num_heads"),
    axes="(num_heads, keys, width)",
    right=lambda key, heads: np.repeat(key, heads // len(key), axis=0),
    cases=((numbers(2, 5, 2), 4), (numbers(3, 5, 2), 6), (numbers(1, 5, 2), 3)),
    mistakes=(
        Mistake(
            "You tiled the heads, 0 1 0 1: repeat them, 0 0 1 1, so that neighbours "
            "share one.",
            lambda key, heads: np.tile(key, (heads // len(key), 1, 1)),
        ),
        Mistake(
            "All your heads are the mean of the key heads: each group has a key head "
            "of its own.",
            lambda key, heads: np.repeat(key.mean(0, keepdims=True), heads, axis=0),
        ),
        Mistake(
            "All your heads are the first key head: each group has a key head of its "
            "own.",
            lambda key, heads: np.repeat(key[:1], heads, axis=0),
        ),
        Mistake(
            "You repeated the positions: repeat along the axis of heads, axis=0.",
            lambda key, heads: np.repeat(key, heads // len(key), axis=1),
        ),
        Mistake(
            "You repeated the width: repeat along the axis of heads, axis=0.",
            lambda key, heads: np.repeat(key, heads // len(key), axis=2),
        ),
        Mistake(
            "You repeated each key head num_heads times: it serves "
            "num_heads // key_heads query heads.",
            lambda key, heads: np.repeat(key, heads, axis=0),
        ),
        Mistake("You returned the key as it came.", lambda key, heads: key),
        Mistake(
            "Your groups are in reverse order.",
            lambda key, heads: np.repeat(key[::-1], heads // len(key), axis=0),
        ),
        Mistake(
            "You made an axis for the groups, and did not join it with the heads: "
            "reshape to (num_heads, keys, width).",
            lambda key, heads: np.repeat(key[:, None], heads // len(key), axis=1),
        ),
        Mistake(
            "Only the first query head of each group has a key head: the others have "
            "zeros.",
            lambda key, heads: (
                np.repeat(key, heads // len(key), axis=0)
                * (np.arange(heads) % (heads // len(key)) == 0)[:, None, None]
            ),
        ),
    ),
)
