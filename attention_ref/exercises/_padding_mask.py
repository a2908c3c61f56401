"""Exercise: hide the filler behind short sequences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import attention_ref
from attention_ref.exercises._judging import Case, Exercise, Mistake, Solution, judge

if TYPE_CHECKING:
    from attention_ref.exercises._pieces import Matrix


def check_padding_mask(solution: Solution) -> None:
    """Check a function that hides the filler behind short sequences.

    Args:
        solution: `padding_mask(lengths, keys)`, for lengths `(batch,)`, returns
            booleans `(batch, 1, 1, keys)`, `True` where a key is real.

    Raises:
        NotYet: If it is wrong, with a sentence that says what is.

    Example:
        >>> import attention_ref
        >>> check_padding_mask(attention_ref.padding_mask)
        Right: padding_mask passes all 3 cases.
    """
    judge(_PADDING, solution)


def _padding(lengths: Matrix, keys: int) -> Matrix:
    mask: Matrix = attention_ref.padding_mask(lengths, keys)
    return mask


def _which_filler(case: Case, right: Matrix, given: Matrix) -> str | None:
    """Name the first key that is real and hidden, or filler and visible."""
    for sequence, _, _, key in np.argwhere(given != right):
        length = case[0][sequence]
        state = "visible" if given[sequence, 0, 0, key] else "hidden"
        kind = "filler" if state == "visible" else "real"
        return (
            f"Key {key} of a sequence of length {length} is {kind}, and {state} in "
            "your mask."
        )
    return None


_PADDING = Exercise(
    name="padding_mask",
    arguments=("lengths", "keys"),
    axes="(batch, 1, 1, keys)",
    right=_padding,
    cases=((np.array([2, 5, 1]), 5), (np.array([3, 0]), 7), (np.array([1, 3, 2]), 3)),
    mistakes=(
        Mistake(
            "Your mask is inverted: True must stand where a key is real.",
            lambda lengths, keys: ~_padding(lengths, keys),
        ),
        Mistake(
            "Your mask lacks the axes of heads and queries: without them its batch "
            "meets the queries, so make it (batch, 1, 1, keys).",
            lambda lengths, keys: _padding(lengths, keys)[:, 0, 0],
        ),
        Mistake(
            "Your mask lets one filler through: positions count from 0, so a key is "
            "real if its position is < the length.",
            lambda lengths, keys: _padding(np.minimum(lengths + 1, keys), keys),
        ),
        Mistake(
            "Your mask hides the last real key: a length is a count, not the last "
            "position.",
            lambda lengths, keys: _padding(np.maximum(lengths - 1, 0), keys),
        ),
        Mistake(
            "You hide the beginning: these sequences are padded at their end.",
            lambda lengths, keys: _padding(lengths, keys)[..., ::-1],
        ),
        Mistake(
            "Your mask hides queries: its last axis must be the keys, "
            "(batch, 1, 1, keys).",
            lambda lengths, keys: np.swapaxes(_padding(lengths, keys), -1, -2),
        ),
        Mistake(
            "Your mask hides nothing.",
            lambda lengths, keys: np.ones((len(lengths), 1, 1, keys), dtype=bool),
        ),
        Mistake(
            "All sequences get the longest one's mask: compare with each length, "
            "lengths[:, None].",
            lambda lengths, keys: _padding(np.full_like(lengths, lengths.max()), keys),
        ),
        Mistake(
            "These are numbers to be added to scores, a bias: a mask holds True and "
            "False.",
            lambda lengths, keys: np.where(_padding(lengths, keys), 0.0, -np.inf),
        ),
        Mistake(
            "Your mask holds ones and zeros: compare, or cast to bool, so that ~, & "
            "and | mean what they say.",
            lambda lengths, keys: _padding(lengths, keys).astype(int),
        ),
        Mistake(
            "Your mask shows one real key per sequence, the last: all before it are "
            "real, too.",
            lambda lengths, keys: (np.arange(keys) == lengths[:, None] - 1)[
                :, None, None
            ],
        ),
    ),
    explain=_which_filler,
)
