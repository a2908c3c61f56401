"""Attention with every intermediate by name."""

from typing import NamedTuple

from attention_ref._arrays import Array, quiet
from attention_ref._core import absorb, finish, score_steps, sums_before, weights_from
from attention_ref._problem import Causal, Options, prepare


class AttentionTrace(NamedTuple):
    """Every step from the scores to the output.

    A step that was not asked for equals the one before.
    """

    scores: Array
    """`(..., heads, queries, keys)`. Each query times each key."""
    scaled: Array
    """After multiplying by the scale."""
    capped: Array
    """After the softcap."""
    biased: Array
    """After adding the bias."""
    masked: Array
    """After the mask: minus infinity where a query may not see a key."""
    weights: Array
    """After the softmax: what `attention_weights` returns."""
    output: Array
    """`(..., heads, queries, value_width)`. What the attention functions return."""
    log_sum_exp: Array
    """`(..., heads, queries)`. Logarithm of the sum that the softmax divides by."""


def trace_attention(
    query: Array,
    key: Array,
    value: Array,
    *,
    mask: Array | None = None,
    bias: Array | None = None,
    causal: Causal = None,
    scale: float | Array | None = None,
    softcap: float | None = None,
    sink: float | Array | None = None,
) -> AttentionTrace:
    """Attend, and keep every intermediate.

    Args:
        query: `(..., heads, queries, width)`. What each position is looking for.
        key: `(..., key_heads, keys, width)`. What each position offers to be found by.
        value: `(..., key_heads, keys, value_width)`. What each position hands over.
        mask: As in `scaled_dot_product_attention`, like all that follow.
        bias: Added to the scaled scores.
        causal: Hides the keys after the query's own position.
        scale: What the scores are multiplied by.
        softcap: Squeezes the scaled scores.
        sink: One more score per head, without a value.

    Returns:
        The steps, in order: `scores`, `scaled`, `capped`, `biased`, `masked`,
        `weights`, `output`, `log_sum_exp`.

    Raises:
        ShapeError: If the shapes do not go together.
        TypeError: If an array or a dtype does not fit.
        ValueError: If `causal`, `scale` or `softcap` is no valid choice.

    Note:
        Weights and output are those that the other functions return, to the last bit.
        The steps before them are in the precision of the computation, at least
        float32.

    Example:
        >>> import numpy as np
        >>> x = np.asarray([[2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0]])
        >>> trace = trace_attention(x, x, x, causal=True)
        >>> trace.scores
        array([[4., 0.],
               [0., 4.]])
        >>> trace.masked
        array([[  2., -inf],
               [  0.,   2.]])
        >>> trace.weights.round(3)
        array([[1.   , 0.   ],
               [0.119, 0.881]])

    References:
        Vaswani et al. (2017), *Attention is all you need*, section 3.2.1.
    """
    options = Options(mask, bias, causal, scale, softcap, sink)
    problem = prepare("trace_attention", query, key, value, options)
    xp = problem.xp
    with quiet(xp):
        scores, scaled, capped, biased, masked = score_steps(problem)
        weights = weights_from(problem, masked)
        sums = absorb(xp, sums_before(problem), masked, problem.value)
        output, log_sum = finish(xp, sums)
    output = xp.astype(output, problem.dtype)
    return AttentionTrace(
        scores, scaled, capped, biased, masked, weights, output, log_sum
    )
