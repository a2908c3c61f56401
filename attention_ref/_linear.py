"""Linear attention: without a softmax, keys can be summed before a query comes."""

from collections.abc import Callable

from attention_ref._arrays import (
    Array,
    Namespace,
    computing_dtype,
    device_of,
    matmul_by_group,
    namespace,
    quiet,
)
from attention_ref._checks import (
    check_arrays,
    check_attention_shapes,
    check_features,
    check_floating,
    check_key_mask,
    common_dtype,
    diagonal,
)
from attention_ref._masks import visible_by_diagonal
from attention_ref._softmax import divide
from attention_ref._tiles import slices

CHUNK = 64


def linear_attention(
    query: Array,
    key: Array,
    value: Array,
    *,
    mask: Array | None = None,
    causal: bool = False,
    feature_map: Callable[[Array], Array] | None = None,
) -> Array:
    r"""Average the values by weights that are products of features.

    $$ o_i = \frac{\phi(q_i)^\top \sum_j \phi(k_j)\, v_j^\top}
                  {\phi(q_i)^\top \sum_j \phi(k_j)} $$

    Args:
        query: `(..., heads, queries, width)`. What each position is looking for.
        key: `(..., key_heads, keys, width)`. What each position offers to be found by.
        value: `(..., key_heads, keys, value_width)`. What each position hands over.
        mask: `(..., key_heads, 1, keys)`, boolean, as `padding_mask` makes it. `True`
            where a key is real. It cannot differ between queries.
        causal: `True` hides the keys after the query's own position, for equal
            lengths.
        feature_map: A function of `(..., width)` to `(..., features)` that returns no
            negative numbers. `None` is the exponential linear unit plus 1.

    Returns:
        `(..., heads, queries, value_width)`.

    Raises:
        ShapeError: If the shapes do not go together.
        TypeError: If an array or a dtype does not fit.
        ValueError: If `causal` is `True` and the lengths differ.

    Note:
        This is another function than softmax attention, no approximation of it. Time
        and memory grow with the length, not with its square. Computed in at least
        float32, rounded once. Where the denominator is 0, the result is 0; masked keys
        never influence it.

    Example:
        >>> import numpy as np
        >>> x = np.asarray([[0.0], [1.0]])
        >>> linear_attention(x, x, x, causal=True).round(3)
        array([[0.   ],
               [0.667]])

    References:
        Katharopoulos et al. (2020), *Transformers are RNNs*, sections 3.2 and 3.3.
    """
    name = "linear_attention"
    inputs = {"query": query, "key": key, "value": value}
    check_arrays(name, {**inputs, "mask": mask})
    check_floating(name, inputs)
    check_attention_shapes(name, query, key, value)
    check_key_mask(name, mask, key)
    offset = diagonal(name, "causal", causal, query.shape[-2], key.shape[-2])
    xp = namespace(query)
    dtype = common_dtype(name, inputs)
    wide = computing_dtype(xp, dtype)
    query, key, value = (xp.astype(array, wide) for array in inputs.values())
    if mask is not None:
        real = mask[..., 0, :, None]
        key, value = xp.where(real, key, 0.0), xp.where(real, value, 0.0)
    with quiet(xp):
        query, key = (_features(name, xp, x, feature_map) for x in (query, key))
        if mask is not None:
            key = xp.where(real, key, 0.0)
        summed = _sums if offset is None else _causal_sums
        return xp.astype(divide(xp, *summed(xp, query, key, value)), dtype)


def _features(
    function: str, xp: Namespace, x: Array, feature_map: Callable[[Array], Array] | None
) -> Array:
    if feature_map is not None:
        features = feature_map(x)
        check_features(function, x, features)
        return features
    return xp.where(x > 0, x + 1.0, xp.exp(xp.where(x > 0, 0.0, x)))


def _sums(xp: Namespace, query: Array, key: Array, value: Array) -> tuple[Array, Array]:
    """Return numerator and denominator, each query with all keys."""
    across = xp.matrix_transpose(key)
    values = matmul_by_group(xp, query, xp.matmul(across, value))
    total = matmul_by_group(xp, query, xp.sum(across, axis=-1, keepdims=True))
    return values, total


def _causal_sums(
    xp: Namespace, query: Array, key: Array, value: Array
) -> tuple[Array, Array]:
    """Return the same, each query with the keys up to its own.

    Earlier chunks come as one sum that is carried along; within a chunk the scores
    are written out.
    """
    values, totals = [], []
    state: Array | float = 0.0
    norm: Array | float = 0.0
    for some in slices(query.shape[-2], CHUNK):
        q, k, v = query[..., some, :], key[..., some, :], value[..., some, :]
        k_across = xp.matrix_transpose(k)
        size = q.shape[-2]
        visible = visible_by_diagonal(xp, size, size, 0, device_of(q))
        scores = xp.where(visible, matmul_by_group(xp, q, k_across), 0.0)
        value_part = matmul_by_group(xp, scores, v)
        total_part = xp.sum(scores, axis=-1, keepdims=True)
        if some.start:
            value_part = value_part + matmul_by_group(xp, q, state)
            total_part = total_part + matmul_by_group(xp, q, norm)
        values.append(value_part)
        totals.append(total_part)
        state = state + xp.matmul(k_across, v)
        norm = norm + xp.sum(k_across, axis=-1, keepdims=True)
    return xp.concat(values, axis=-2), xp.concat(totals, axis=-2)
