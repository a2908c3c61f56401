"""Blockwise attention: the same result, without ever holding all scores."""

import math
from collections.abc import Sequence

from attention_ref._arrays import Array, computing_dtype, namespace, quiet
from attention_ref._checks import (
    check_arrays,
    check_count,
    check_floating,
    check_partial_results,
    common_dtype,
)
from attention_ref._problem import Causal, Options, PositionRule, prepare
from attention_ref._softmax import divide, exponentials, logarithm
from attention_ref._tiles import attend_in_tiles


def blockwise_attention(
    query: Array,
    key: Array,
    value: Array,
    *,
    mask: Array | PositionRule | None = None,
    bias: Array | None = None,
    causal: Causal = None,
    scale: float | Array | None = None,
    softcap: float | None = None,
    sink: float | Array | None = None,
    block_size: int | None = None,
) -> Array:
    r"""Attend block by block, carrying the softmax along.

    After each block of keys, with $m$ the largest score so far:

    $$ m' = \max(m, \max_j s_j), \quad
       \ell' = e^{m - m'} \ell + \sum_j e^{s_j - m'}, \quad
       o' = e^{m - m'} o + \sum_j e^{s_j - m'} v_j $$

    and at the end the output is $o / \ell$.

    Args:
        query: `(..., heads, queries, width)`. What each position is looking for.
        key: `(..., key_heads, keys, width)`. What each position offers to be found by.
        value: `(..., key_heads, keys, value_width)`. What each position hands over.
        mask: As in `scaled_dot_product_attention`; or a function of a block's query
            positions `(queries, 1)` and key positions `(keys,)` that returns such a
            mask for the block, so that no mask of all queries and keys is needed.
        bias: As in `scaled_dot_product_attention`, like all that follow.
        causal: Hides the keys after the query's own position.
        scale: What the scores are multiplied by.
        softcap: Squeezes the scaled scores.
        sink: One more score per head, without a value.
        block_size: How many keys are taken at once; of queries, five times as many.
            By default, as many of both as a cache holds.

    Returns:
        `(..., heads, queries, value_width)`. What `scaled_dot_product_attention`
        returns, but for rounding.

    Raises:
        ShapeError: If the shapes do not go together.
        TypeError: If an array or a dtype does not fit.
        ValueError: If an option is no valid choice.

    Note:
        Memory grows with the length, not with its square. Blocks that are hidden as a
        whole are skipped. Precision, empty rows and hidden NaN are as in
        `scaled_dot_product_attention`.

    Example:
        >>> import numpy as np
        >>> x = np.arange(12.0).reshape(6, 2) / 10
        >>> def neighbours(query_position, key_position):
        ...     return abs(query_position - key_position) <= 1
        >>> blockwise_attention(x, x, x, mask=neighbours, block_size=2).round(2)
        array([[0.1 , 0.2 ],
               [0.21, 0.31],
               [0.42, 0.52],
               [0.62, 0.72],
               [0.83, 0.93],
               [0.91, 1.01]])

    References:
        Milakov and Gimelshein (2018), section 3; Rabe and Staats (2021), section 2;
        Dao et al. (2022), *FlashAttention*, section 3.1.
    """
    name = "blockwise_attention"
    options = Options(mask, bias, causal, scale, softcap, sink)
    problem = prepare(name, query, key, value, options)
    if block_size is not None:
        check_count(name, "block_size", block_size)
    with quiet(problem.xp):
        output, _ = attend_in_tiles(problem, block_size)
        return problem.xp.astype(output, problem.dtype, copy=False)


def merge_partial_results(
    outputs: Sequence[Array], log_sum_exps: Sequence[Array]
) -> tuple[Array, Array]:
    r"""Merge attention over parts of the keys into attention over all of them.

    $$ \ell = \log \sum_p e^{\ell_p}, \qquad o = \sum_p e^{\ell_p - \ell} \, o_p $$

    Args:
        outputs: Arrays `(..., queries, value_width)`, one for each part of the keys.
        log_sum_exps: Arrays `(..., queries)`, as `attention_with_log_sum_exp` returns
            them.

    Returns:
        The output, `(..., queries, value_width)`, and the log-sum-exp,
        `(..., queries)`, over all keys.

    Raises:
        ShapeError: If the shapes differ, or do not fit each other.
        TypeError: If an array or its dtype does not fit.
        ValueError: If there is nothing to merge, or the counts differ.

    Note:
        Computed in at least float32, rounded once. A part in which a query saw no key,
        (0, minus infinity), changes nothing. A sink may stand in one part only.

    Example:
        >>> import numpy as np
        >>> x = np.asarray([[1.0], [2.0], [3.0]])
        >>> from attention_ref import attention_with_log_sum_exp
        >>> first, first_sum = attention_with_log_sum_exp(x, x[:2], x[:2])
        >>> rest, rest_sum = attention_with_log_sum_exp(x, x[2:], x[2:])
        >>> output, _ = merge_partial_results([first, rest], [first_sum, rest_sum])
        >>> output.round(3)
        array([[2.575],
               [2.851],
               [2.948]])

    References:
        Dao et al. (2022), *FlashAttention*, section 3.1.
    """
    name = "merge_partial_results"
    check_partial_results(name, outputs, log_sum_exps)
    named = {f"outputs[{i}]": output for i, output in enumerate(outputs)}
    named |= {f"log_sum_exps[{i}]": log_sum for i, log_sum in enumerate(log_sum_exps)}
    check_arrays(name, named)
    check_floating(name, named)
    xp = namespace(*outputs)
    wide = computing_dtype(xp, common_dtype(name, named))
    log_sums = xp.stack([xp.astype(log_sum, wide) for log_sum in log_sum_exps])
    with quiet(xp):
        parts = exponentials(xp, log_sums, axis=0)
        total, largest = parts.total[0, ...], parts.largest[0, ...]
        values = xp.stack([xp.astype(output, wide) for output in outputs])
        # A part that saw nothing is left out by choice: 0 times NaN would be NaN.
        values = xp.where((log_sums == -math.inf)[..., None], 0.0, values)
        shares = xp.sum(parts.terms[..., None] * values, axis=0)
        output = divide(xp, shares, total[..., None])
        dtype = common_dtype(name, {f"outputs[{i}]": o for i, o in enumerate(outputs)})
        return xp.astype(output, dtype), logarithm(xp, total, largest)
