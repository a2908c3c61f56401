"""Translations between our conventions and those of other libraries.

Nothing here imports those libraries: an array is served by its own.
"""

import math

from attention_ref._arrays import Array, home, namespace
from attention_ref._checks import (
    check_arrays,
    check_axes,
    check_boolean_mask,
    check_choice,
    check_count,
    check_floating,
    check_rotated_width,
    check_window_pair,
)
from attention_ref._rotary import LAYOUTS, Layout

Window = tuple[int | None, int | None]
"""How many keys before and after its own position a query may see; None is all."""


def from_key_padding_mask(key_padding_mask: Array) -> Array:
    """Turn torch's `key_padding_mask`, where `True` is padding, into our mask.

    Args:
        key_padding_mask: `(batch, keys)`, boolean. `True` where a key is padding.

    Returns:
        `(batch, 1, 1, keys)`, boolean. `True` where a query may see a key.

    Raises:
        ShapeError: If it has fewer than two axes.
        TypeError: If it is no boolean array.

    Example:
        >>> import numpy as np
        >>> from_key_padding_mask(np.asarray([[False, False, True]]))
        array([[[[ True,  True, False]]]])
    """
    name = "from_key_padding_mask"
    check_arrays(name, {"key_padding_mask": key_padding_mask})
    check_boolean_mask(name, "key_padding_mask", key_padding_mask, "a key is padding")
    check_axes(name, "key_padding_mask", key_padding_mask, "batch, keys", 2)
    return ~key_padding_mask[..., None, None, :]


def to_torch_attn_mask(mask: Array) -> Array:
    """Turn our mask into the `attn_mask` of `torch.nn.MultiheadAttention`.

    There `True` blocks, and batch and heads share an axis. Torch's function, unlike
    the layer, takes our masks as they are.

    Args:
        mask: `(queries, keys)` or `(batch, heads, queries, keys)`, boolean. `True`
            where a query may see a key. The layer needs every batch and head, so
            broadcast an axis of length 1 before.

    Returns:
        `(queries, keys)` or `(batch * heads, queries, keys)`, boolean. `True` where a
        query may not see a key.

    Raises:
        ShapeError: If `mask` has fewer than two axes.
        TypeError: If `mask` is no boolean array.

    Example:
        >>> import numpy as np
        >>> to_torch_attn_mask(np.asarray([[True, False], [True, True]]))
        array([[False,  True],
               [False, False]])
    """
    name = "to_torch_attn_mask"
    check_arrays(name, {"mask": mask})
    check_boolean_mask(name, "mask", mask, "a query may see a key")
    check_axes(name, "mask", mask, "queries, keys", 2)
    if mask.ndim == 2:
        return ~mask
    *leading, queries, keys = mask.shape
    return namespace(mask).reshape(~mask, (math.prod(leading), queries, keys))


def bias_from_mask(mask: Array, *, like: Array) -> Array:
    """Turn a mask into numbers to add: 0 where a query may see a key, else −inf.

    For libraries that know no other masks than those that are added.

    Args:
        mask: any shape, boolean. `True` where a query may see a key.
        like: A floating array. The bias gets its dtype.

    Returns:
        The shape of `mask`.

    Raises:
        TypeError: If `mask` is no boolean array, or `like` no floating one.

    Example:
        >>> import numpy as np
        >>> bias_from_mask(np.asarray([True, False]), like=np.zeros(1))
        array([  0., -inf])
    """
    check_arrays("bias_from_mask", {"mask": mask, "like": like})
    check_boolean_mask("bias_from_mask", "mask", mask, "a query may see a key")
    check_floating("bias_from_mask", {"like": like})
    xp, device = home(like)
    shown, hidden = xp.asarray([0.0, -math.inf], dtype=like.dtype, device=device)
    return xp.where(mask, shown, hidden)


def length_before_heads(x: Array) -> Array:
    """Swap to the axis order of JAX, Keras and flash-attention.

    Args:
        x: `(..., heads, length, width)`. Our order, and torch's function's.

    Returns:
        `(..., length, heads, width)`.

    Raises:
        ShapeError: If `x` has fewer than three axes.
        TypeError: If `x` is no array.

    Example:
        >>> import numpy as np
        >>> length_before_heads(np.zeros((2, 3, 5, 7))).shape
        (2, 5, 3, 7)
    """
    check_arrays("length_before_heads", {"x": x})
    check_axes("length_before_heads", "x", x, "..., heads, length, width", 3)
    return namespace(x).moveaxis(x, -3, -2)


def heads_before_length(x: Array) -> Array:
    """Swap from the axis order of JAX, Keras and flash-attention to ours.

    Args:
        x: `(..., length, heads, width)`.

    Returns:
        `(..., heads, length, width)`.

    Raises:
        ShapeError: If `x` has fewer than three axes.
        TypeError: If `x` is no array.

    Example:
        >>> import numpy as np
        >>> heads_before_length(np.zeros((2, 5, 3, 7))).shape
        (2, 3, 5, 7)
    """
    check_arrays("heads_before_length", {"x": x})
    check_axes("heads_before_length", "x", x, "..., length, heads, width", 3)
    return namespace(x).moveaxis(x, -2, -3)


def change_rotary_layout(x: Array, *, source: Layout, target: Layout) -> Array:
    """Reorder a width so that rotary pairs lie where the other layout has them.

    Scores do not change if queries and keys are both reordered: the same pairs are
    turned by the same angles. To convert a checkpoint, reorder the columns of its
    query and key projections head by head:
    `merge_heads(change_rotary_layout(split_heads(weight, num_heads), ...))`.

    Args:
        x: `(..., width)`. Numbers that form rotary pairs.
        source: The layout that `x` has: `"half"` or `"interleaved"`.
        target: The layout that it gets.

    Returns:
        The shape of `x`.

    Raises:
        ShapeError: If the width is odd.
        TypeError: If `x` is no array.
        ValueError: If `source` or `target` is no layout.

    Example:
        >>> import numpy as np
        >>> x = np.asarray([0, 1, 2, 3])
        >>> change_rotary_layout(x, source="half", target="interleaved")
        array([0, 2, 1, 3])

    References:
        Su et al. (2021), *RoFormer*, section 3.4.2, which is `"interleaved"`.
    """
    name = "change_rotary_layout"
    check_arrays(name, {"x": x})
    check_axes(name, "x", x, "..., width", 1)
    check_choice(name, "source", source, LAYOUTS)
    check_choice(name, "target", target, LAYOUTS)
    check_rotated_width(name, x, x.shape[-1])
    if source == target:
        return x
    xp = namespace(x)
    *leading, width = x.shape
    halves = (2, width // 2) if source == "half" else (width // 2, 2)
    return xp.reshape(xp.moveaxis(xp.reshape(x, (*leading, *halves)), -1, -2), x.shape)


def window_from_size(size: int) -> Window:
    """Turn a window that counts the token itself into our two sides.

    Args:
        size: How many keys a query may see, its own the last of them, as the
            `sliding_window` of Mistral and Hugging Face says.

    Returns:
        `(left, right)` for `sliding_window_mask`: one less than the size, and 0.

    Raises:
        TypeError: If `size` is no integer.
        ValueError: If `size` is below 1.

    Example:
        >>> window_from_size(4096)
        (4095, 0)

    References:
        Jiang et al. (2023), *Mistral 7B*, section 2.
    """
    check_count("window_from_size", "size", size)
    return size - 1, 0


def window_from_flash_attention(window_size: tuple[int, int]) -> Window:
    """Turn flash-attention's `window_size`, where −1 is unlimited, into ours.

    Args:
        window_size: How many keys before and after; −1 on a side without an end.

    Returns:
        `(left, right)` for `sliding_window_mask`, `None` on a side without an end.

    Raises:
        TypeError: If it is no pair of integers.
        ValueError: If a number is below −1.

    Note:
        Its windows are aligned at the lower right, as its causal flag is.

    Example:
        >>> window_from_flash_attention((256, -1))
        (256, None)
    """
    check_window_pair("window_from_flash_attention", "window_size", window_size)
    left, right = (None if side == -1 else side for side in window_size)
    return left, right
