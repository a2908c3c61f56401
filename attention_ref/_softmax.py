"""From scores to weights, without overflow and without a sentinel."""

import math
from typing import NamedTuple

from attention_ref._arrays import (
    Array,
    Namespace,
    computing_dtype,
    in_place,
    namespace,
    quiet,
)
from attention_ref._checks import check_arrays, check_axis, check_floating


class Exponentials(NamedTuple):
    """Scores on the way to weights: `exp(scores - shift)`, not yet divided."""

    terms: Array
    total: Array
    """Their sum; 0 where no score is above minus infinity."""
    largest: Array
    """The largest score; minus infinity where there is none."""
    shift: Array
    """The same, but 0 where there is none: what was subtracted."""


def exponentials(
    xp: Namespace, scores: Array, axis: int = -1, floor: Array | None = None
) -> Exponentials:
    """Exponentiate scores so that the largest becomes 1, and sum them.

    `floor` is the largest score of those that are summed elsewhere.
    """
    if scores.shape[axis] == 0:
        largest = xp.sum(scores, axis=axis, keepdims=True) - math.inf
    else:
        largest = xp.max(scores, axis=axis, keepdims=True)
    if floor is not None:
        largest = xp.maximum(largest, floor)
    shift = xp.where(largest == -math.inf, 0.0, largest)
    terms = in_place(xp, xp.exp, scores - shift)
    total = xp.sum(terms, axis=axis, keepdims=True)
    return Exponentials(terms, total, largest, shift)


def divide(xp: Namespace, sums: Array, total: Array) -> Array:
    """Divide by the total; where nothing was summed, the result is 0."""
    return sums / xp.where(total == 0, 1.0, total)


def logarithm(xp: Namespace, total: Array, largest: Array) -> Array:
    """Return the logarithm of the whole sum; minus infinity where it is empty."""
    empty = total == 0
    return xp.where(empty, -math.inf, largest + xp.log(xp.where(empty, 1.0, total)))


def softmax(scores: Array, *, axis: int = -1) -> Array:
    r"""Turn scores into positive weights that sum to one.

    $$ w_j = \frac{e^{s_j}}{\sum_k e^{s_k}} $$

    Args:
        scores: any shape, floating. The larger a score, the larger its weight. A score
            of minus infinity gets weight 0.
        axis: The axis along which the weights sum to one.

    Returns:
        The shape and dtype of `scores`.

    Raises:
        TypeError: If `scores` is no array, or not floating.
        ShapeError: If `scores` has no such axis.

    Note:
        Computed in at least float32, after subtracting the largest score, so that no
        finite score overflows. If every score is minus infinity, all weights are 0.

    Example:
        >>> import numpy as np
        >>> softmax(np.asarray([0.0, 0.0]))
        array([0.5, 0.5])
        >>> softmax(np.asarray([1000.0, 1000.0, -np.inf]))
        array([0.5, 0.5, 0. ])

    References:
        Goodfellow, Bengio and Courville (2016), *Deep Learning*, section 4.1.
    """
    xp, wide = _prepared("softmax", scores, axis)
    with quiet(xp):
        parts = exponentials(xp, wide, axis)
        return xp.astype(divide(xp, parts.terms, parts.total), scores.dtype)


def log_sum_exp(scores: Array, *, axis: int = -1) -> Array:
    r"""Take the logarithm of a sum of exponentials, without overflow.

    $$ \log \sum_j e^{s_j} $$

    Args:
        scores: any shape, floating.
        axis: The axis to sum along. It is not in the result.

    Returns:
        The shape of `scores` without that axis, and its dtype.

    Raises:
        TypeError: If `scores` is no array, or not floating.
        ShapeError: If `scores` has no such axis.

    Note:
        Natural logarithm, computed in at least float32. The sum over nothing is 0, so
        the result is minus infinity where every score is.

    Example:
        >>> import numpy as np
        >>> print(log_sum_exp(np.asarray([1000.0, 1000.0])))
        1000.6931471805599

    References:
        Milakov and Gimelshein (2018), *Online normalizer calculation for softmax*,
        section 2.
    """
    xp, wide = _prepared("log_sum_exp", scores, axis)
    with quiet(xp):
        parts = exponentials(xp, wide, axis)
        result = logarithm(xp, parts.total, parts.shift)
        return xp.astype(xp.squeeze(result, axis=axis), scores.dtype)


def _prepared(function: str, scores: Array, axis: int) -> tuple[Namespace, Array]:
    check_arrays(function, {"scores": scores})
    check_floating(function, {"scores": scores})
    check_axis(function, "scores", scores, axis)
    xp = namespace(scores)
    return xp, xp.astype(scores, computing_dtype(xp, scores.dtype))
