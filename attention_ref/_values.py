"""The weighted sum of the values, in which nothing hidden may take part."""

import math

from attention_ref._arrays import Array, Namespace, known_to_hold, matmul_by_group


def weighted_sum(xp: Namespace, terms: Array, scores: Array, value: Array) -> Array:
    """Sum the values, each times its term; a value whose score is -inf is not there.

    A matrix product alone would not do, because 0 times NaN is NaN: what padding holds
    would reach the result.
    """
    finite = xp.isfinite(value)
    if known_to_hold(xp.all(finite)):
        return matmul_by_group(xp, terms, value)
    sums = matmul_by_group(xp, terms, xp.where(finite, value, 0.0))
    return sums + _what_visible_values_bring_in(xp, scores, value)


def _what_visible_values_bring_in(xp: Namespace, scores: Array, value: Array) -> Array:
    """Return NaN or an infinity where a visible value holds it, and 0 elsewhere."""
    # NaN counts as both infinities: their sum is NaN. So two counts are enough.
    nan = xp.isnan(value)
    upward = xp.astype(nan | (value == math.inf), value.dtype)
    downward = xp.astype(nan | (value == -math.inf), value.dtype)
    visible = xp.astype(scores != -math.inf, value.dtype)
    up = matmul_by_group(xp, visible, upward) > 0
    down = matmul_by_group(xp, visible, downward) > 0
    one_sided = xp.where(up, math.inf, xp.where(down, -math.inf, 0.0))
    result = xp.where(up & down, math.nan, one_sided)
    return xp.astype(result, value.dtype)
