"""Which keys may a query see? Boolean masks, True where it may.

Masks are combined with `&` (both must allow) and `|` (one is enough).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from attention_ref._arrays import Array, Namespace, device_of, namespace
from attention_ref._checks import check_length, check_lengths, diagonal
from attention_ref._problem import Causal


def visible_by_diagonal(
    xp: Namespace, queries: int, keys: int, diagonal: int, device: Any
) -> Array:
    """Return where key j <= query i + diagonal."""
    query_position = xp.arange(queries, device=device)[:, None]
    key_position = xp.arange(keys, device=device)
    return key_position <= query_position + diagonal


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
        key_length: How many keys. `None`: as many as queries.
        alignment: Where the diagonal lies if the lengths differ: `"upper-left"` lets
            query 0 see key 0 only, `"lower-right"` lets the last query see every key,
            as it must behind a cache.
        like: An array. The mask is made for its library and on its device. `None`
            makes a NumPy mask.

    Returns:
        `(queries, keys)`, boolean. `True` where a query may see a key.

    Raises:
        TypeError: If a length is no integer.
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
    check_length("causal_mask", "query_length", query_length)
    if key_length is None:
        key_length = query_length
    check_length("causal_mask", "key_length", key_length)
    d = diagonal(
        "causal_mask", "alignment", alignment or True, query_length, key_length
    )
    xp, device = home(like)
    return visible_by_diagonal(xp, query_length, key_length, d or 0, device)


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
        lengths = np.asarray(lengths, dtype=None if len(lengths) else np.int64)
    check_lengths("padding_mask", lengths, key_length)
    xp, device = home(lengths)
    real = xp.arange(key_length, device=device) < lengths[:, None]
    return real[:, None, None, :]


def home(like: Array | None) -> tuple[Namespace, Any]:
    """Return the library and the device to make an array for."""
    like = np.empty(0) if like is None else like
    return namespace(like), device_of(like)
