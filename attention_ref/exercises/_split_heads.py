"""Exercise: cut the width into heads."""

from __future__ import annotations

import numpy as np

from attention_ref.exercises._judging import Exercise, Mistake, Solution, judge
from attention_ref.exercises._pieces import interleaved, numbers, reshaped, split


def check_split_heads(solution: Solution) -> None:
    """Check a function that cuts the width into heads.

    Args:
        solution: `split_heads(x, num_heads)`, for `(batch, length, heads * width)`,
            returns `(batch, heads, length, width)`. Head 0 has the first numbers.

    Raises:
        NotYet: If it is wrong, with a sentence that says what is.

    Example:
        >>> import attention_ref
        >>> check_split_heads(attention_ref.split_heads)
        Right: split_heads passes all 3 cases.
    """
    judge(_SPLIT, solution)


_SPLIT = Exercise(
    name="split_heads",
    arguments=("x", "num_heads"),
    axes="(batch, heads, length, width)",
    right=split,
    cases=((numbers(1, 2, 4), 2), (numbers(2, 5, 6), 3), (numbers(3, 2, 14), 2)),
    mistakes=(
        Mistake(
            "You reshaped straight to heads before length: that mixes positions, so "
            "cut the width first, then swap the axes.",
            reshaped,
        ),
        Mistake(
            "You cut the width and left the heads behind the length: swap these two "
            "axes.",
            lambda x, heads: np.swapaxes(split(x, heads), -2, -3),
        ),
        Mistake(
            "Your heads take turns, number by number: head 0 has the first block of "
            "the width, so reshape to (heads, width), not (width, heads).",
            interleaved,
        ),
        Mistake(
            "Your heads and widths have changed places: the heads must stand before "
            "the length, the width last.",
            lambda x, heads: np.moveaxis(split(x, heads), -3, -1),
        ),
        Mistake(
            "You swapped length and width within each head.",
            lambda x, heads: np.swapaxes(split(x, heads), -1, -2),
        ),
        Mistake(
            "Every head has the whole width: each should have a part of its own.",
            lambda x, heads: np.repeat(x[:, None], heads, axis=1),
        ),
        Mistake(
            "Your heads are in reverse order.",
            lambda x, heads: split(x, heads)[:, ::-1],
        ),
        Mistake(
            "You put the heads before the batch: the batch comes first.",
            lambda x, heads: np.moveaxis(split(x, heads), 1, 0),
        ),
        Mistake("You returned x as it came.", lambda x, heads: x),
        Mistake(
            "All your heads are the first one.",
            lambda x, heads: np.repeat(split(x, heads)[:, :1], heads, axis=1),
        ),
    ),
)
