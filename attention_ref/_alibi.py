"""ALiBi: a penalty that grows with distance, in place of position encodings."""

from attention_ref._arrays import Array, computing_dtype, home
from attention_ref._checks import check_arrays, check_count, check_floating
from attention_ref._masks import distances
from attention_ref._problem import Causal


def alibi_slopes(num_heads: int, *, like: Array | None = None) -> Array:
    r"""Return how steeply each head penalises distance.

    $$ m_h = 2^{-8 (h + 1) / n} $$

    for a number of heads $n$ that is a power of two. Otherwise: the slopes of the
    largest power of two below, then every other slope of twice that number.

    Args:
        num_heads: How many heads.
        like: A floating array. The slopes are made for its library, its device and
            its dtype. `None` makes NumPy's float64.

    Returns:
        `(heads,)`.

    Raises:
        TypeError: If `num_heads` is no integer, or `like` no floating array.
        ValueError: If `num_heads` is below 1.

    Example:
        >>> alibi_slopes(3)
        array([0.0625    , 0.00390625, 0.25      ])

    References:
        Press, Smith and Lewis (2022), *Train short, test long*, section 3. The rule
        for other numbers of heads is that of the authors' code.
    """
    like = _checked("alibi_slopes", num_heads, like)
    xp, device = home(like)
    return xp.asarray(_slopes(num_heads), dtype=like.dtype, device=device)


def alibi_bias(
    num_heads: int,
    query_length: int,
    key_length: int | None = None,
    *,
    alignment: Causal = None,
    like: Array | None = None,
) -> Array:
    r"""Penalise keys by their distance, more steeply in some heads than in others.

    $$ B_{hij} = -m_h \, |\, i + d - j \,| $$

    with the slopes $m_h$ of `alibi_slopes` and $d$ as in `causal_mask`.

    Args:
        num_heads: How many heads.
        query_length: How many queries.
        key_length: How many keys. `None` is as many as queries.
        alignment: `"lower-right"` behind a cache: the last query stands on the last
            key. `"upper-left"`: the first stands on the first.
        like: A floating array. The bias is made for its library, its device and its
            dtype. `None` makes NumPy's float64.

    Returns:
        `(heads, queries, keys)`, to be passed as `bias`.

    Raises:
        TypeError: If a count is no integer, or `like` no floating array.
        ValueError: If a count is too small, or the lengths differ without alignment.

    Note:
        Keys after the query are penalised by their distance too; hide them with
        `causal`.

    Example:
        >>> alibi_bias(1, 2)
        array([[[-0.        , -0.00390625],
                [-0.00390625, -0.        ]]])

    References:
        Press, Smith and Lewis (2022), *Train short, test long*, section 3.
    """
    like = _checked("alibi_bias", num_heads, like)
    lengths = query_length, query_length if key_length is None else key_length
    distance = distances("alibi_bias", *lengths, alignment, like)
    xp, device = home(like)
    wide = computing_dtype(xp, like.dtype)
    slopes = xp.asarray(_slopes(num_heads), dtype=wide, device=device)
    penalty = slopes[:, None, None] * xp.astype(xp.abs(distance), wide)
    return xp.astype(-penalty, like.dtype)


def _checked(function: str, num_heads: int, like: Array | None) -> Array:
    check_count(function, "num_heads", num_heads)
    if like is None:
        xp, _ = home(None)
        return xp.empty(0)
    check_arrays(function, {"like": like})
    check_floating(function, {"like": like})
    return like


def _slopes(num_heads: int) -> list[float]:
    largest_power = 2 ** (num_heads.bit_length() - 1)
    slopes = _geometric(largest_power)
    between = _geometric(2 * largest_power)[::2]
    return slopes + between[: num_heads - largest_power]


def _geometric(count: int) -> list[float]:
    return [2.0 ** (-8 * (head + 1) / count) for head in range(count)]
