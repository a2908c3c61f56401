"""Which keys may a query see? Boolean masks from what is known of each position."""

from attention_ref._arrays import Array
from attention_ref._checks import check_position_arrays, check_window


def document_mask(query_documents: Array, key_documents: Array | None = None) -> Array:
    r"""Keep documents apart that are packed into one sequence.

    $$ M_{ij} = [\, c_i = c_j \,] $$

    Args:
        query_documents: `(..., queries)`, integers. The document of each query.
        key_documents: `(..., keys)`, integers. The document of each key. `None` is
            the same as `query_documents`.

    Returns:
        `(queries, keys)`, boolean; with batch axes `(..., 1, queries, keys)`, so that
        it broadcasts over heads. `True` where both belong to one document.

    Raises:
        ShapeError: If an argument has no axis, or batch axes do not broadcast.
        TypeError: If an argument is no array of integers.

    Note:
        Combine it: `document_mask(ids) & causal_mask(n)`.

    Example:
        >>> import numpy as np
        >>> document_mask(np.asarray([0, 0, 1]))
        array([[ True,  True, False],
               [ True,  True, False],
               [False, False,  True]])

    References:
        Raffel et al. (2020), *Exploring the limits of transfer learning*, section
        3.1.2 (packing).
    """
    if key_documents is None:
        key_documents = query_documents
    documents = {"query_documents": query_documents, "key_documents": key_documents}
    check_position_arrays("document_mask", documents)
    return with_heads_axis(query_documents[..., :, None] == key_documents[..., None, :])


def position_mask(
    query_positions: Array,
    key_positions: Array,
    *,
    left: int | None = None,
    right: int | None = 0,
) -> Array:
    r"""Decide by positions, wherever the keys are stored.

    $$ M_{ij} = [\, p_i - \text{left} \le s_j \le p_i + \text{right},\ s_j \ge 0 \,] $$

    Args:
        query_positions: `(..., queries)`, integers. The position of each query.
        key_positions: `(..., keys)`, integers. The position of each key; negative
            where nothing is stored.
        left: How many positions before its own a query may see. `None` is all.
        right: How many after it. `None` is all; 0, the default, is causal.

    Returns:
        `(queries, keys)`, boolean; with batch axes `(..., 1, queries, keys)`, so that
        it broadcasts over heads. `True` where a query may see a key.

    Raises:
        ShapeError: If an argument has no axis, or batch axes do not broadcast.
        TypeError: If an argument is no array of integers.
        ValueError: If `left` or `right` is negative.

    Note:
        Use it when keys are not stored in their order, as in a ring buffer.

    Example:
        >>> import numpy as np
        >>> position_mask(np.asarray([4]), np.asarray([3, 4, 2, -1]), left=1)
        array([[ True,  True, False, False]])
    """
    positions = {"query_positions": query_positions, "key_positions": key_positions}
    check_position_arrays("position_mask", positions)
    check_window("position_mask", left, right)
    key_position = key_positions[..., None, :]
    distance = query_positions[..., :, None] - key_position
    mask = within_window(distance, left, right) & (key_position >= 0)
    return with_heads_axis(mask)


def with_heads_axis(mask: Array) -> Array:
    """Give a mask that has batch axes an axis of length 1 for the heads."""
    return mask if mask.ndim == 2 else mask[..., None, :, :]


def within_window(distance: Array, left: int | None, right: int | None) -> Array:
    """Return where a key that lies so far before its query is in the query's window."""
    mask = distance == distance
    if left is not None:
        mask = mask & (distance <= left)
    if right is not None:
        mask = mask & (distance >= -right)
    return mask
