"""The weighted sum of the values, in which nothing hidden may take part."""

import math

from attention_ref._arrays import Array, Namespace, known_to_hold, matmul_by_group


def weighted_sum(
    xp: Namespace, terms: Array, scores: Array, value: Array
) -> tuple[Array, Array | float]:
    """Sum the values, each times its term; a value whose score is -inf is not there.

    A matrix product alone would not do, because 0 times NaN is NaN: what padding holds
    would reach the result. So NaN and infinity are left out of the sum and returned
    beside it, to be added at the end; as a rule they are 0.
    """
    finite = xp.isfinite(value)
    if known_to_hold(xp.all(finite)):
        return matmul_by_group(xp, terms, value), 0.0
    sums = matmul_by_group(xp, terms, xp.where(finite, value, 0.0))
    return sums, _visible_extremes(xp, scores, value)


def _visible_extremes(xp: Namespace, scores: Array, value: Array) -> Array:
    """Return NaN or an infinity where a visible value holds it, and 0 elsewhere."""
    # NaN counts as both infinities: their sum is NaN. So two counts are enough.
    nan = xp.isnan(value)
    upward = xp.astype(nan | (value == math.inf), value.dtype)
    downward = xp.astype(nan | (value == -math.inf), value.dtype)
    visible = xp.astype(scores != -math.inf, value.dtype)
    ups = matmul_by_group(xp, visible, upward)
    downs = matmul_by_group(xp, visible, downward)
    zero = xp.zeros_like(ups)
    return xp.where(ups > 0, math.inf, zero) + xp.where(downs > 0, -math.inf, zero)
