"""Exercise: float16 in, float32 within, float16 out."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_ref.exercises._judging import Case, Exercise, Mistake, Solution, judge
from attention_ref.exercises._pieces import Matrix, naive, numbers, shifted


def check_half_precision(solution: Solution) -> None:
    """Check attention that takes float16, computes in float32 and returns float16.

    Args:
        solution: `half_attention(query, key, value)`, for float16 arrays `(queries,
            width)`, `(keys, width)` and `(keys, value_width)`, returns float16
            `(queries, value_width)`, rounded once.

    Raises:
        NotYet: If it is wrong, with a sentence that says what is.

    Example:
        >>> import attention_ref
        >>> check_half_precision(attention_ref.scaled_dot_product_attention)
        Right: half_attention passes all 4 cases.
    """
    judge(_HALF, solution)


def _half(*inputs: Matrix, dtype: Any = np.float32) -> Matrix:
    """Attention computed in a dtype, not rounded at the end."""
    query, key, value = (x.astype(dtype) for x in inputs)
    scores = query @ key.T / np.sqrt(dtype(query.shape[-1]))
    output: Matrix = shifted(scores) @ value
    return output


def _after_half_scores(query: Matrix, key: Matrix, value: Matrix) -> Matrix:
    """What float32 makes of scores that have been float16."""
    scores = (query @ key.T).astype(np.float32) / np.sqrt(query.shape[-1])
    return (shifted(scores) @ value.astype(np.float32)).astype(np.float16)


def _in_float16(array: Matrix) -> Matrix:
    return array.astype(np.float16)


def _plain_half(query: Matrix, key: Matrix, value: Matrix) -> Matrix:
    wide = [x.astype(np.float32) for x in (query, key, value)]
    scores = wide[0] @ wide[1].T / np.sqrt(np.float32(query.shape[-1]))
    return _in_float16(naive(scores) @ wide[2])


def _formula_in_half(query: Matrix, key: Matrix, value: Matrix) -> Matrix:
    scores = query @ key.T * np.float16(query.shape[-1] ** -0.5)
    output: Matrix = naive(scores) @ value
    return output


def _half_over(divisor: float, *inputs: Matrix) -> Matrix:
    query, key, value = (x.astype(np.float32) for x in inputs)
    scores = query @ key.T / np.float32(divisor)
    return _in_float16(shifted(scores) @ value)


def _clipped_half(query: Matrix, key: Matrix, value: Matrix) -> Matrix:
    wide = [x.astype(np.float32) for x in (query, key, value)]
    scores = np.clip(wide[0] @ wide[1].T, -65504, 65504)
    scores = scores / np.sqrt(np.float32(query.shape[-1]))
    return _in_float16(shifted(scores) @ wide[2])


def _around_40(width: int) -> Case:
    shapes = (2, width), (3, width)
    query, key = (_in_float16(numbers(*shape) + 40) for shape in shapes)
    return query, key, _in_float16(numbers(3, 5))


_HALF = Exercise(
    name="half_attention",
    arguments=("query", "key", "value"),
    axes="(queries, value_width)",
    right=lambda *inputs: _in_float16(_half(*inputs)),
    cases=(
        tuple(_in_float16(numbers(*shape)) for shape in [(3, 5), (7, 5), (7, 2)]),
        # Their exponentials are beyond what float32 can hold.
        _around_40(16),
        # Their dot products are beyond 65504, the largest float16.
        _around_40(64),
        # Equal weights for so many keys that their sum is beyond 65504, too.
        (
            np.zeros((1, 2), np.float16),
            np.ones((70_001, 2), np.float16),
            np.full((70_001, 2), 3, np.float16),
        ),
    ),
    mistakes=(
        Mistake(
            "You computed in float16: scores beyond 65504 become infinite and sums "
            "lose their last digits, so cast to float32 first.",
            lambda *inputs: _half(*inputs, dtype=np.float16),
        ),
        Mistake(
            "You computed in float16, where exponentials overflow beyond 11 and sums "
            "beyond 65504: cast to float32 first, and subtract the largest score.",
            _formula_in_half,
        ),
        Mistake(
            "You cast the scores after the product: by then they had overflowed, so "
            "cast query and key before it.",
            _after_half_scores,
        ),
        Mistake("You returned float32: round the result to float16 once.", _half),
        Mistake(
            "You returned float64: compute in float32, and round the result to float16 "
            "once.",
            lambda *inputs: _half(*inputs, dtype=np.float64),
        ),
        Mistake(
            "Your exponentials overflow in float32, too: subtract the largest score of "
            "each row.",
            _plain_half,
        ),
        Mistake(
            "You did not scale: divide the dot products by the square root of the "
            "width.",
            lambda *inputs: _half_over(1, *inputs),
        ),
        Mistake(
            "You scaled by d, not √d: divide by the square root of the width.",
            lambda *inputs: _half_over(inputs[0].shape[-1], *inputs),
        ),
        Mistake(
            "You clipped the scores to what float16 can hold: scores beyond it become "
            "equal, so keep them in float32.",
            _clipped_half,
        ),
        Mistake(
            "You replaced NaN by 0: the scores had overflowed before, so cast to "
            "float32 first.",
            lambda *inputs: np.nan_to_num(_half(*inputs, dtype=np.float16)),
        ),
        Mistake(
            "You took the plain mean of the values: each query should weigh them by "
            "its own scores.",
            lambda query, key, value: _in_float16(
                np.repeat(value.astype(np.float32).mean(0)[None], len(query), axis=0)
            ),
        ),
    ),
    tolerance=2e-3,
    keeps_dtype=True,
)
