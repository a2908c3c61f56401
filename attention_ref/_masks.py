"""Which keys may a query see? Boolean masks from lengths, True where it may.

Masks are combined with `&` (both must allow) and `|` (one is enough).
"""

from collections.abc import Sequence
from typing import Any

from attention_ref._arrays import Array, Namespace, home
from attention_ref._checks import (
    check_arrays,
    check_length,
    check_lengths,
    check_window,
    offset,
)
from attention_ref._position_masks import within_window
from attention_ref._problem import Causal


def visible_by_diagonal(
    xp: Namespace, queries: int, keys: int, diagonal: int, device: Any
) -> Array:
    """Return where key j <= query i + diagonal."""
    query_position = xp.arange(queries, device=device)[:, None] + diagonal
    return xp.arange(keys, device=device) <= query_position


def distances(
    function: str,
    query_length: int,
    key_length: int,
    alignment: Causal,
    like: Array | None,
) -> Array:
    """Return how far each key lies before each query; negative for later keys."""
    check_length(function, "query_length", query_length)
    check_length(function, "key_length", key_length)
    if like is not None:
        check_arrays(function, {"like": like})
    causal = True if alignment is None else alignment
    behind = offset(function, "alignment", causal, query_length, key_length)
    xp, device = home(like)
    query_position = xp.arange(query_length, device=device)[:, None] + behind
    return query_position - xp.arange(key_length, device=device)


def causal_mask(
    query_length: int,
    key_length: int | None = None,
    *,
    alignment: Causal = None,
    like: Array | None = None,
) -> Array:
    r"""Let every position see itself and what came before.

    $$ M_{ij} = [\, j \le i + d \,] $$

    where $d = 0$ for `"upper-left"` and keys − queries for `"lower-right"`.

    Args:
        query_length: How many queries.
        key_length: How many keys. `None` is as many as queries.
        alignment: Where the diagonal lies if the lengths differ: `"upper-left"` lets
            query 0 see key 0 only, `"lower-right"` lets the last query see every key,
            as it must behind a cache.
        like: An array. The mask is made for its library and on its device. `None`
            makes a NumPy mask.

    Returns:
        `(queries, keys)`, boolean. `True` where a query may see a key.

    Raises:
        TypeError: If a length is no integer, or `like` no array.
        ValueError: If a length is negative, or the lengths differ and no alignment is
            given.

    Note:
        With `"lower-right"` and more queries than keys, the first queries see nothing.

    Example:
        >>> causal_mask(3)
        array([[ True, False, False],
               [ True,  True, False],
               [ True,  True,  True]])
        >>> causal_mask(1, 3, alignment="lower-right")
        array([[ True,  True,  True]])

    References:
        Vaswani et al. (2017), *Attention is all you need*, section 3.2.3.
    """
    lengths = query_length, query_length if key_length is None else key_length
    distance = distances("causal_mask", *lengths, alignment, like)
    return distance >= 0


def padding_mask(lengths: Sequence[int] | Array, key_length: int) -> Array:
    r"""Hide the filler behind the end of each sequence of a batch.

    $$ M_{bj} = [\, j < n_b \,] $$

    Args:
        lengths: `(batch,)`, integers. How many keys of each sequence are real.
        key_length: How many keys there are, filler included.

    Returns:
        `(batch, 1, 1, keys)`, boolean, so that it broadcasts over heads and queries.
        `True` where a key is real. In the library of `lengths`; NumPy for a list.

    Raises:
        ShapeError: If `lengths` has not exactly one axis.
        TypeError: If `lengths` are no integers.
        ValueError: If a length is below 0 or above `key_length`.

    Note:
        It hides keys only: a padded query still returns a row.

    Example:
        >>> padding_mask([1, 3], 3)[:, 0, 0]
        array([[ True, False, False],
               [ True,  True,  True]])
    """
    check_length("padding_mask", "key_length", key_length)
    if isinstance(lengths, Sequence):
        xp, _ = home(None)
        lengths = xp.asarray(lengths, dtype=None if len(lengths) else xp.int64)
    check_lengths("padding_mask", lengths, key_length)
    xp, device = home(lengths)
    real = xp.arange(key_length, device=device) < lengths[:, None]
    return real[:, None, None, :]


def sliding_window_mask(
    query_length: int,
    key_length: int | None = None,
    *,
    left: int | None = None,
    right: int | None = None,
    alignment: Causal = None,
    like: Array | None = None,
) -> Array:
    r"""Let every position see its neighbourhood only.

    $$ M_{ij} = [\, i + d - \text{left} \le j \le i + d + \text{right} \,] $$

    with $d$ as in `causal_mask`.

    Args:
        query_length: How many queries.
        key_length: How many keys. `None` is as many as queries.
        left: How many keys before its own position a query may see. `None` is all.
        right: How many keys after it. `None` is all; 0 makes the window causal.
        alignment: Where position 0 of the queries lies if the lengths differ:
            `"upper-left"` on the first key, `"lower-right"` so that both end together.
        like: An array. The mask is made for its library and on its device.

    Returns:
        `(queries, keys)`, boolean. Each row has at most `left + 1 + right` times
        `True`: a query's own position is always in its window.

    Raises:
        TypeError: If a length, `left` or `right` is no integer, or `like` no array.
        ValueError: If one is negative, or the lengths differ without alignment.

    Note:
        Elsewhere a window is a size that counts the position itself: a size of `n` is
        `left=n - 1, right=0` here.

    Example:
        >>> sliding_window_mask(4, left=1, right=0)
        array([[ True, False, False, False],
               [ True,  True, False, False],
               [False,  True,  True, False],
               [False, False,  True,  True]])

    References:
        Beltagy, Peters and Cohan (2020), *Longformer*, section 3.1.
    """
    name = "sliding_window_mask"
    check_window(name, left, right)
    lengths = query_length, query_length if key_length is None else key_length
    distance = distances(name, *lengths, alignment, like)
    return within_window(distance, left, right)


def prefix_mask(
    prefix_length: int,
    query_length: int,
    key_length: int | None = None,
    *,
    alignment: Causal = None,
    like: Array | None = None,
) -> Array:
    r"""Let every position see the prefix, and what came before itself.

    $$ M_{ij} = [\, j < p \ \text{or}\ j \le i + d \,] $$

    Args:
        prefix_length: How many of the first keys every query may see.
        query_length: How many queries.
        key_length: How many keys. `None` is as many as queries.
        alignment: As in `causal_mask`.
        like: An array. The mask is made for its library and on its device.

    Returns:
        `(queries, keys)`, boolean. `True` where a query may see a key.

    Raises:
        TypeError: If a length is no integer, or `like` no array.
        ValueError: If a length is negative, or the lengths differ without alignment.

    Note:
        For a batch with prefixes of different lengths combine two masks:
        `causal_mask(n) | padding_mask(prefix_lengths, n)`.

    Example:
        >>> prefix_mask(2, 4)
        array([[ True,  True, False, False],
               [ True,  True, False, False],
               [ True,  True,  True, False],
               [ True,  True,  True,  True]])

    References:
        Raffel et al. (2020), *Exploring the limits of transfer learning*, section
        3.2.1.
    """
    check_length("prefix_mask", "prefix_length", prefix_length)
    lengths = query_length, query_length if key_length is None else key_length
    distance = distances("prefix_mask", *lengths, alignment, like)
    xp, device = home(distance)
    return (distance >= 0) | (xp.arange(lengths[1], device=device) < prefix_length)
