"""Exercise: put the heads side by side again."""

from __future__ import annotations

import numpy as np

from attention_ref.exercises._judging import Exercise, Mistake, Solution, judge
from attention_ref.exercises._pieces import merge, numbers


def check_merge_heads(solution: Solution) -> None:
    """Check a function that puts the heads side by side again.

    Args:
        solution: `merge_heads(x)`, for `(batch, heads, length, width)`, returns
            `(batch, length, heads * width)`.

    Raises:
        NotYet: If it is wrong, with a sentence that says what is.

    Example:
        >>> import attention_ref
        >>> check_merge_heads(attention_ref.merge_heads)
        Right: merge_heads passes all 3 cases.
    """
    judge(_MERGE, solution)


_MERGE = Exercise(
    name="merge_heads",
    arguments=("x",),
    axes="(batch, length, heads * width)",
    right=merge,
    cases=tuple((numbers(*s),) for s in [(1, 2, 2, 2), (2, 3, 5, 2), (3, 2, 7, 5)]),
    mistakes=(
        Mistake(
            "You reshaped without swapping heads and length first: that puts numbers "
            "of one head into other positions.",
            lambda x: x.reshape(x.shape[0], x.shape[2], -1),
        ),
        Mistake(
            "You averaged the heads: they stand side by side, so that the output "
            "projection can tell them apart.",
            lambda x: x.mean(axis=1),
        ),
        Mistake(
            "You added the heads up: they stand side by side, so that the output "
            "projection can tell them apart.",
            lambda x: x.sum(axis=1),
        ),
        Mistake("You kept the first head only.", lambda x: x[:, 0]),
        Mistake(
            "Your heads take turns, number by number: each head's numbers stay "
            "together.",
            lambda x: np.moveaxis(x, 1, -1).reshape(x.shape[0], x.shape[2], -1),
        ),
        Mistake(
            "You put the heads one below the other: they go side by side, along the "
            "width.",
            lambda x: x.reshape(x.shape[0], -1, x.shape[-1]),
        ),
        Mistake(
            "You swapped heads and length, and did not join heads and width: reshape "
            "to (batch, length, heads * width).",
            lambda x: np.swapaxes(x, 1, 2),
        ),
        Mistake("Your heads are in reverse order.", lambda x: merge(x[:, ::-1])),
        Mistake("You returned x as it came.", lambda x: x),
        Mistake(
            "You took the largest number of all heads: they stand side by side.",
            lambda x: x.max(axis=1),
        ),
    ),
)
