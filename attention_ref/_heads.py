"""Several heads: split, attend, merge, project."""

from typing import NamedTuple

from attention_ref._arrays import Array, Namespace, computing_dtype, namespace, quiet
from attention_ref._checks import (
    check_arrays,
    check_axes,
    check_floating,
    check_heads_argument,
    check_projections,
    common_dtype,
)
from attention_ref._problem import Causal, Options, prepare
from attention_ref._tiles import attend_by_size


class HeadProjections(NamedTuple):
    """The learned numbers of a multi-head layer.

    `x @ weight + bias` projects, so a weight is `(in, out)`; torch stores `(out, in)`.
    """

    query: Array
    """`(model_width, heads * width)`."""
    key: Array
    """`(model_width, key_heads * width)`."""
    value: Array
    """`(model_width, key_heads * value_width)`."""
    output: Array
    """`(heads * value_width, output_width)`."""
    query_bias: Array | None = None
    """`(heads * width,)`."""
    key_bias: Array | None = None
    """`(key_heads * width,)`."""
    value_bias: Array | None = None
    """`(key_heads * value_width,)`."""
    output_bias: Array | None = None
    """`(output_width,)`."""


def split_heads(x: Array, num_heads: int) -> Array:
    """Cut the width into heads and move them before the length.

    Args:
        x: `(..., length, heads * width)`. All heads side by side.
        num_heads: How many heads.

    Returns:
        `(..., heads, length, width)`. Head 0 has the first `width` numbers.

    Raises:
        ShapeError: If the width does not divide into so many heads.
        TypeError: If `x` is no array, or `num_heads` no integer.
        ValueError: If `num_heads` is below 1.

    Example:
        >>> import numpy as np
        >>> split_heads(np.asarray([[1, 2, 3, 4], [5, 6, 7, 8]]), 2)
        array([[[1, 2],
                [5, 6]],
        <BLANKLINE>
               [[3, 4],
                [7, 8]]])

    References:
        Vaswani et al. (2017), *Attention is all you need*, section 3.2.2. Our
        `num_heads` is their $h$.
    """
    check_arrays("split_heads", {"x": x})
    check_axes("split_heads", "x", x, "..., length, heads * width", 2)
    check_heads_argument("split_heads", x, num_heads)
    return _split(x, num_heads)


def _split(x: Array, num_heads: int) -> Array:
    xp = namespace(x)
    *leading, length, width = x.shape
    parts = xp.reshape(x, (*leading, length, num_heads, width // num_heads))
    return _swapped(xp, parts)


def _swapped(xp: Namespace, x: Array) -> Array:
    """Exchange the axes -2 and -3: length and heads, or heads and length."""
    *leading, third, second, last = range(x.ndim)
    return xp.permute_dims(x, (*leading, second, third, last))


def merge_heads(x: Array) -> Array:
    """Put the heads side by side again: the inverse of `split_heads`.

    Args:
        x: `(..., heads, length, width)`.

    Returns:
        `(..., length, heads * width)`.

    Raises:
        ShapeError: If `x` has fewer than three axes.
        TypeError: If `x` is no array.

    Example:
        >>> import numpy as np
        >>> merge_heads(np.asarray([[[1, 2]], [[3, 4]]]))
        array([[1, 2, 3, 4]])

    References:
        Vaswani et al. (2017), *Attention is all you need*, section 3.2.2.
    """
    check_arrays("merge_heads", {"x": x})
    check_axes("merge_heads", "x", x, "..., heads, length, width", 3)
    xp = namespace(x)
    *leading, heads, length, width = x.shape
    return xp.reshape(_swapped(xp, x), (*leading, length, heads * width))


def multi_head_attention(
    query: Array,
    key: Array,
    value: Array,
    projections: HeadProjections,
    *,
    num_heads: int,
    mask: Array | None = None,
    bias: Array | None = None,
    causal: Causal = None,
    scale: float | Array | None = None,
    softcap: float | None = None,
) -> Array:
    r"""Attend with several heads, each through projections of its own.

    $$ O = \operatorname{concat}(H_1, \dots, H_h)\, W^O, \qquad
       H_i = \operatorname{attention}(Q W_i^Q,\; K W_i^K,\; V W_i^V) $$

    Pass the same array three times for self-attention; pass one sequence as `query`
    and another as `key` and `value` for cross-attention.

    Args:
        query: `(..., queries, model_width)`. The sequence that asks.
        key: `(..., keys, model_width)`. The sequence that is searched.
        value: `(..., keys, model_width)`. The sequence that is handed over.
        projections: The weights, each `(in, out)`. Key and value projections that are
            narrower give fewer key heads: one for multi-query attention, some for
            grouped-query attention.
        num_heads: How many query heads.
        mask: `(..., heads, queries, keys)`, boolean. `True` where a query may see a
            key. Note the heads axis: a mask per sequence is `(batch, 1, 1, keys)`.
        bias: `(..., heads, queries, keys)`, floating. Added to the scaled scores.
        causal: As in `scaled_dot_product_attention`.
        scale: `None` is one over the square root of the width of one head.
        softcap: As in `scaled_dot_product_attention`.

    Returns:
        `(..., queries, output_width)`.

    Raises:
        ShapeError: If the shapes do not go together.
        TypeError: If an array or a dtype does not fit.
        ValueError: If an option is no valid choice.

    Note:
        Computed in at least float32 throughout, rounded once, to the result type of
        the inputs and the projections. A query that may see no key gets
        `output_bias`, or zeros.

    Example:
        >>> import numpy as np
        >>> x = np.asarray([[1.0, 0.0], [0.0, 1.0]])
        >>> same = HeadProjections(*[np.eye(2)] * 4)
        >>> multi_head_attention(x, x, x, same, num_heads=2).round(3)
        array([[0.731, 0.5  ],
               [0.5  , 0.731]])

    References:
        Vaswani et al. (2017), *Attention is all you need*, section 3.2.2; Shazeer
        (2019), section 3 (one key head); Ainslie et al. (2023), section 2.2 (groups).
    """
    name = "multi_head_attention"
    inputs = {"query": query, "key": key, "value": value}
    weights = {
        f"projections.{part}": array
        for part, array in projections._asdict().items()
        if array is not None
    }
    check_arrays(name, inputs | weights)
    check_floating(name, inputs | weights)
    check_projections(name, inputs, projections, num_heads)
    xp = namespace(query)
    dtype = common_dtype(name, inputs | weights)
    wide = computing_dtype(xp, dtype)
    query, key, value = (xp.astype(x, wide) for x in (query, key, value))
    p = HeadProjections(*(x if x is None else xp.astype(x, wide) for x in projections))

    width = p.query.shape[-1] // num_heads
    key_heads = p.key.shape[-1] // width
    with quiet(xp):
        queries = _split(_project(query, p.query, p.query_bias), num_heads)
        keys = _split(_project(key, p.key, p.key_bias), key_heads)
        values = _split(_project(value, p.value, p.value_bias), key_heads)
        options = Options(mask, bias, causal, scale, softcap)
        heads, _ = attend_by_size(prepare(name, queries, keys, values, options))
        return xp.astype(_project(merge_heads(heads), p.output, p.output_bias), dtype)


def _project(x: Array, weight: Array, bias: Array | None) -> Array:
    product = namespace(x).matmul(x, weight)
    return product if bias is None else product + bias
