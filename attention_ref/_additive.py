"""Additive attention: a small network compares query and key."""

import math
from typing import NamedTuple

from attention_ref._arrays import Array, Namespace, computing_dtype, namespace, quiet
from attention_ref._checks import (
    check_additive,
    check_arrays,
    check_floating,
    check_mask,
    check_pairwise,
    common_dtype,
)
from attention_ref._core import NOTHING, absorb, finish


class AdditiveProjections(NamedTuple):
    """The learned numbers of additive attention. `x @ weight` projects."""

    query: Array
    """`(query_width, hidden_width)`."""
    key: Array
    """`(key_width, hidden_width)`."""
    output: Array
    """`(hidden_width,)`. Makes one score of the hidden numbers."""


def additive_scores(
    query: Array, key: Array, projections: AdditiveProjections
) -> Array:
    r"""Compare every query with every key by a network with one hidden layer.

    $$ s_{ij} = v^\top \tanh(W_q\, q_i + W_k\, k_j) $$

    Args:
        query: `(..., queries, query_width)`.
        key: `(..., keys, key_width)`. Its width may be another.
        projections: The three learned arrays.

    Returns:
        `(..., queries, keys)`. Scores, to be passed to `softmax`.

    Raises:
        ShapeError: If the shapes do not go together.
        TypeError: If an array or its dtype does not fit.

    Note:
        Computed in at least float32, rounded once. There is no scale.

    Example:
        >>> import numpy as np
        >>> one = np.ones((1, 1))
        >>> projections = AdditiveProjections(one, one, np.ones(1))
        >>> additive_scores(one, np.asarray([[-1.0], [0.0]]), projections).round(3)
        array([[0.   , 0.762]])

    References:
        Bahdanau, Cho and Bengio (2015), section 3.1 and appendix A.1.2. Our
        `projections.output` is their $v_a$.
    """
    xp, arrays, dtype = _prepared("additive_scores", query, key, projections)
    return xp.astype(_scores(xp, *arrays), dtype)


def additive_attention(
    query: Array,
    key: Array,
    value: Array,
    projections: AdditiveProjections,
    *,
    mask: Array | None = None,
) -> Array:
    r"""Average the values by additive scores.

    $$ O = \operatorname{softmax}(S)\, V, \qquad
       S_{ij} = v^\top \tanh(W_q\, q_i + W_k\, k_j) $$

    Args:
        query: `(..., queries, query_width)`.
        key: `(..., keys, key_width)`.
        value: `(..., keys, value_width)`.
        projections: The three learned arrays.
        mask: `(..., queries, keys)`, boolean. `True` where a query may see a key.

    Returns:
        `(..., queries, value_width)`.

    Raises:
        ShapeError: If the shapes do not go together, or `mask` does not broadcast.
        TypeError: If an array or its dtype does not fit.

    Note:
        Computed in at least float32, rounded once. A query that may see no key gets
        zeros, and what is masked never influences the result.

    Example:
        >>> import numpy as np
        >>> one = np.ones((1, 1))
        >>> projections = AdditiveProjections(one, one, np.zeros(1))
        >>> value = np.asarray([[1.0], [3.0]])
        >>> additive_attention(one, np.ones((2, 1)), value, projections)
        array([[2.]])

    References:
        Bahdanau, Cho and Bengio (2015), section 3.1. Their values are the keys.
    """
    name = "additive_attention"
    xp, arrays, dtype = _prepared(name, query, key, projections, value, mask)
    with quiet(xp):
        return average_by_scores(xp, _scores(xp, *arrays), value, mask, dtype)


def average_by_scores(
    xp: Namespace, scores: Array, value: Array, mask: Array | None, dtype: object
) -> Array:
    """Average the values by scores of any kind, and round the result."""
    if mask is not None:
        scores = xp.where(mask, scores, -math.inf)
    output, _ = finish(xp, absorb(xp, NOTHING, scores, xp.astype(value, scores.dtype)))
    return xp.astype(output, dtype)


def _prepared(
    function: str,
    query: Array,
    key: Array,
    projections: AdditiveProjections,
    value: Array | None = None,
    mask: Array | None = None,
) -> tuple[Namespace, list[Array], object]:
    inputs = {"query": query, "key": key}
    inputs |= {f"projections.{n}": a for n, a in projections._asdict().items()}
    if value is not None:
        inputs["value"] = value
    check_arrays(function, {**inputs, "mask": mask})
    check_floating(function, inputs)
    shape = check_pairwise(function, query, key, value)
    check_additive(function, query, key, projections)
    check_mask(function, mask, shape)
    xp = namespace(query)
    dtype = common_dtype(function, inputs)
    wide = computing_dtype(xp, dtype)
    return xp, [xp.astype(array, wide) for array in (query, key, *projections)], dtype


def _scores(
    xp: Namespace, query: Array, key: Array, by_query: Array, by_key: Array, out: Array
) -> Array:
    queries = xp.matmul(query, by_query)[..., :, None, :]
    keys = xp.matmul(key, by_key)[..., None, :, :]
    return xp.matmul(xp.tanh(queries + keys), out)
