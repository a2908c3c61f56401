"""Exercise: hide the future."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import attention_ref
from attention_ref.exercises._judging import Case, Exercise, Mistake, Solution, judge

if TYPE_CHECKING:
    from attention_ref.exercises._pieces import Matrix


def check_causal_mask(solution: Solution) -> None:
    """Check a function that hides the future.

    Args:
        solution: `causal_mask(queries, keys)` returns booleans `(queries, keys)`,
            `True` where a query may see a key. The last query belongs to the last key.

    Raises:
        NotYet: If it is wrong, with a sentence that says what is.

    Example:
        >>> import numpy as np
        >>> check_causal_mask(lambda queries, keys: np.tri(queries, keys) == 0)
        Traceback (most recent call last):
        ...
        attention_ref.exercises.NotYet: Query 0 sees key 1, which comes after \
it.
    """
    judge(_CAUSAL, solution)


def _causal(queries: int, keys: int) -> Matrix:
    mask: Matrix = attention_ref.causal_mask(queries, keys, alignment="lower-right")
    return mask


def _who_sees_whom(case: Case, right: Matrix, given: Matrix) -> str | None:
    """Name the first query that sees too much or too little."""
    for query, key in np.argwhere(given & ~right):
        return f"Query {query} sees key {key}, which comes after it."
    for query, key in np.argwhere(right & ~given):
        return f"Query {query} does not see key {key}, which does not come after it."
    return None


_CAUSAL = Exercise(
    name="causal_mask",
    arguments=("queries", "keys"),
    axes="(queries, keys)",
    right=_causal,
    cases=((4, 4), (2, 5), (1, 3), (3, 7)),
    mistakes=(
        Mistake(
            "Your mask is inverted: True must stand where a query may see a key.",
            lambda queries, keys: ~_causal(queries, keys),
        ),
        Mistake(
            "Your diagonal starts in the upper left corner: with a cache the last "
            "query belongs to the last key, so query i sees keys up to "
            "i + keys − queries.",
            lambda queries, keys: np.tri(queries, keys, dtype=bool),
        ),
        Mistake(
            "Your queries do not see themselves: a position may see itself, so compare "
            "with <=, not <.",
            lambda queries, keys: np.tri(queries, keys, keys - queries - 1, dtype=bool),
        ),
        Mistake(
            "Each query sees one key of its future: the diagonal is one step too far "
            "to the right.",
            lambda queries, keys: np.tri(queries, keys, keys - queries + 1, dtype=bool),
        ),
        Mistake(
            "Your queries see themselves and the future, but not the past: turn the "
            "comparison around.",
            lambda queries, keys: (
                ~np.tri(queries, keys, keys - queries - 1, dtype=bool)
            ),
        ),
        Mistake(
            "Your mask hides nothing.",
            lambda queries, keys: np.ones((queries, keys), dtype=bool),
        ),
        Mistake(
            "Your queries see themselves only: the past must be visible, too.",
            lambda queries, keys: np.eye(queries, keys, keys - queries, dtype=bool),
        ),
        Mistake(
            "These are numbers to be added to scores, a bias: a mask holds True and "
            "False.",
            lambda queries, keys: np.where(_causal(queries, keys), 0.0, -np.inf),
        ),
        Mistake(
            "Your mask holds ones and zeros: compare, or cast to bool, so that ~, & "
            "and | mean what they say.",
            lambda queries, keys: _causal(queries, keys).astype(int),
        ),
        Mistake(
            "Your rows are keys and your columns queries: turn it over.",
            lambda queries, keys: _causal(queries, keys).T,
        ),
    ),
    explain=_who_sees_whom,
)
