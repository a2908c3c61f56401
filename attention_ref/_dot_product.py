"""Scaled dot-product attention: the output, the weights, the log-sum-exp."""

from attention_ref._arrays import Array, quiet
from attention_ref._core import masked_scores, weights_from
from attention_ref._problem import Causal, Options, prepare
from attention_ref._tiles import attend_by_size


def scaled_dot_product_attention(
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
) -> Array:
    r"""Average the values, weighting each by how well its key matches the query.

    $$ O = \operatorname{softmax}\!\left(\frac{Q K^\top}{\sqrt{d}}\right) V $$

    The order is fixed: scale, softcap, bias, mask, softmax.

    Args:
        query: `(..., heads, queries, width)`. What each position is looking for.
        key: `(..., key_heads, keys, width)`. What each position offers to be found by.
            Query head `h` uses key head `h // (heads // key_heads)`.
        value: `(..., key_heads, keys, value_width)`. What each position hands over.
        mask: `(..., heads, queries, keys)`, boolean, or anything that broadcasts to
            it. `True` where a query may see a key. `None` lets it see every key.
        bias: `(..., heads, queries, keys)`, floating. Added to the scaled scores.
        causal: `True` hides the keys after the query's own position, for equal
            lengths. For unequal ones say where the diagonal starts: `"upper-left"`
            (query 0 sees key 0) or `"lower-right"` (the last query sees every key).
            With a mask, both must allow.
        scale: What the scores are multiplied by, taken literally, 0 and negative
            numbers too. `None` is one over the square root of the width.
        softcap: Squeezes the scaled scores between `-softcap` and `softcap` by a
            hyperbolic tangent. `None` leaves them alone.
        sink: `(..., heads)`, or one number for every head. One more score, without a
            value: it takes weight away from the keys.

    Returns:
        `(..., heads, queries, value_width)`. One average per query.

    Raises:
        ShapeError: If the shapes do not go together, or `mask`, `bias` or `sink` does
            not broadcast.
        TypeError: If an array is no array, belongs to another library, or has a dtype
            that does not fit.
        ValueError: If `causal`, `scale` or `softcap` is no valid choice.

    Note:
        Computed in at least float32, rounded once, to the result type of `query`,
        `key` and `value`. A query that may see no key gets zeros. What is masked never
        influences the result, even NaN and infinity; gradients are undefined where
        masked entries are not finite. While a library traces the function, values
        cannot be looked at, and only shapes and dtypes are checked.

    Example:
        >>> import numpy as np
        >>> query = key = np.asarray([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
        >>> value = np.asarray([[1.0], [2.0], [4.0]])
        >>> scaled_dot_product_attention(query, key, value).round(3)
        array([[2.401],
               [2.604],
               [2.759]])
        >>> scaled_dot_product_attention(query, key, value, causal=True).round(3)
        array([[1.   ],
               [1.67 ],
               [2.759]])

    References:
        Vaswani et al. (2017), *Attention is all you need*, section 3.2.1. Our `width`
        is their $d_k$, our `value_width` their $d_v$.
    """
    options = Options(mask, bias, causal, scale, softcap, sink)
    name = "scaled_dot_product_attention"
    problem = prepare(name, query, key, value, options)
    with quiet(problem.xp):
        output, _ = attend_by_size(problem)
        return problem.xp.astype(output, problem.dtype, copy=False)


def attention_weights(
    query: Array,
    key: Array,
    *,
    mask: Array | None = None,
    bias: Array | None = None,
    causal: Causal = None,
    scale: float | Array | None = None,
    softcap: float | None = None,
    sink: float | Array | None = None,
) -> Array:
    r"""Tell how much each query takes from each key: one matrix per head.

    $$ W = \operatorname{softmax}\!\left(\frac{Q K^\top}{\sqrt{d}}\right) $$

    Args:
        query: `(..., heads, queries, width)`. What each position is looking for.
        key: `(..., key_heads, keys, width)`. What each position offers to be found by.
        mask: As in `scaled_dot_product_attention`, like all that follow.
        bias: Added to the scaled scores.
        causal: Hides the keys after the query's own position.
        scale: What the scores are multiplied by.
        softcap: Squeezes the scaled scores.
        sink: One more score per head, without a value.

    Returns:
        `(..., heads, queries, keys)`. Never averaged over heads.

    Raises:
        ShapeError: If the shapes do not go together.
        TypeError: If an array or a dtype does not fit.
        ValueError: If `causal`, `scale` or `softcap` is no valid choice.

    Note:
        Computed in at least float32, rounded once. Each row sums to 1; to less with a
        sink; to 0 if the query may see no key.

    Example:
        >>> import numpy as np
        >>> query = np.asarray([[1.0, 0.0]])
        >>> key = np.asarray([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
        >>> attention_weights(query, key).round(3)
        array([[0.576, 0.284, 0.14 ]])

    References:
        Vaswani et al. (2017), *Attention is all you need*, section 3.2.1.
    """
    options = Options(mask, bias, causal, scale, softcap, sink)
    problem = prepare("attention_weights", query, key, None, options)
    with quiet(problem.xp):
        return weights_from(problem, masked_scores(problem))


def attention_with_log_sum_exp(
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
) -> tuple[Array, Array]:
    r"""Return the output together with the logarithm of each query's softmax sum.

    $$ \ell_i = \log \sum_j e^{s_{ij}} $$

    With it, results over parts of the keys can be merged into the whole.

    Args:
        query: `(..., heads, queries, width)`. What each position is looking for.
        key: `(..., key_heads, keys, width)`. What each position offers to be found by.
        value: `(..., key_heads, keys, value_width)`. What each position hands over.
        mask: As in `scaled_dot_product_attention`, like all that follow.
        bias: Added to the scaled scores.
        causal: Hides the keys after the query's own position.
        scale: What the scores are multiplied by.
        softcap: Squeezes the scaled scores.
        sink: One more score per head, without a value. It is part of the sum.

    Returns:
        The output, `(..., heads, queries, value_width)`, and the log-sum-exp,
        `(..., heads, queries)`.

    Raises:
        ShapeError: If the shapes do not go together.
        TypeError: If an array or a dtype does not fit.
        ValueError: If `causal`, `scale` or `softcap` is no valid choice.

    Note:
        Natural logarithm, in the precision of the computation: float64 for float64,
        float32 for all others. It is minus infinity where a query may see no key and
        there is no sink.

    Example:
        >>> import numpy as np
        >>> one = np.ones((1, 1))
        >>> output, log_sum = attention_with_log_sum_exp(one, one, one)
        >>> print(output, log_sum)
        [[1.]] [1.]

    References:
        Dao (2023), *FlashAttention-2*, section 3.1. Our log-sum-exp is their $L$.
    """
    options = Options(mask, bias, causal, scale, softcap, sink)
    problem = prepare("attention_with_log_sum_exp", query, key, value, options)
    with quiet(problem.xp):
        output, log_sum = attend_by_size(problem)
        return problem.xp.astype(output, problem.dtype, copy=False), log_sum
