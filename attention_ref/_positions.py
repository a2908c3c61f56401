"""Where is each token? Positions, and encodings that are added or looked up."""

from collections.abc import Callable

from attention_ref._arrays import Array, Namespace, computing_dtype, home, namespace
from attention_ref._checks import (
    check_arrays,
    check_axes,
    check_base,
    check_boolean,
    check_even,
    check_floating,
    check_position_arrays,
)


def positions_from_mask(mask: Array) -> Array:
    """Count the real tokens of each sequence: the first of them is position 0.

    Args:
        mask: `(..., length)`, boolean. `True` where a token is real, on whichever side
            the padding lies.

    Returns:
        `(..., length)`, integers. Padding gets 0, which no one looks at.

    Raises:
        ShapeError: If `mask` has no axis.
        TypeError: If `mask` is no boolean array.

    Example:
        >>> import numpy as np
        >>> positions_from_mask(np.asarray([[False, False, True, True]]))
        array([[0, 0, 0, 1]])
    """
    check_arrays("positions_from_mask", {"mask": mask})
    check_boolean("positions_from_mask", mask)
    check_axes("positions_from_mask", "mask", mask, "..., length", 1)
    xp, device = home(mask)
    integer = xp.arange(0, device=device).dtype
    count = _running(xp, xp.add, xp.astype(mask, integer))
    return xp.where(mask, count - 1, 0)


def positions_from_documents(documents: Array) -> Array:
    """Number the tokens of packed documents, each document from 0.

    Args:
        documents: `(..., length)`, integers. The document of each token. Where it
            changes, a new document begins.

    Returns:
        `(..., length)`, integers.

    Raises:
        ShapeError: If `documents` has no axis.
        TypeError: If `documents` is no array of integers.

    Example:
        >>> import numpy as np
        >>> positions_from_documents(np.asarray([7, 7, 7, 3, 3]))
        array([0, 1, 2, 0, 1])
    """
    check_position_arrays("positions_from_documents", {"documents": documents})
    xp, device = home(documents)
    index = xp.arange(documents.shape[-1], device=device)
    begins = (index == 0) | (documents != xp.roll(documents, 1, axis=-1))
    return index - _running(xp, xp.maximum, xp.where(begins, index, 0))


def _running(xp: Namespace, combine: Callable[..., Array], x: Array) -> Array:
    """Combine each number with all before it, in steps that double.

    After each step a number knows of twice as many before it. Not every library has a
    running maximum, and for this no library needs a loop over positions.
    """
    reach = 1
    while reach < x.shape[-1]:
        x = xp.concat(
            [x[..., :reach], combine(x[..., reach:], x[..., :-reach])], axis=-1
        )
        reach *= 2
    return x


def sinusoidal_positions(
    positions: Array, width: int, *, base: float = 10000.0, like: Array | None = None
) -> Array:
    r"""Encode each position by sines and cosines of falling frequency.

    $$ P_{p,\,2i} = \sin\!\left(p \, b^{-2i/d}\right), \qquad
       P_{p,\,2i+1} = \cos\!\left(p \, b^{-2i/d}\right) $$

    Args:
        positions: `(..., length)`, integers.
        width: How many numbers encode one position. Even.
        base: What the frequencies fall with.
        like: An array whose dtype the result gets. `None` is the default floating
            dtype of the library of `positions`.

    Returns:
        `(..., length, width)`. Sines at even places, cosines at odd ones.

    Raises:
        ShapeError: If `positions` has no axis.
        TypeError: If `positions` is no array of integers, or `like` is not floating.
        ValueError: If `width` is odd or below 2, or `base` is not above 0.

    Note:
        Angles are computed in at least float32.

    Example:
        >>> import numpy as np
        >>> sinusoidal_positions(np.arange(2), 4).round(3)
        array([[0.   , 1.   , 0.   , 1.   ],
               [0.841, 0.54 , 0.01 , 1.   ]])

    References:
        Vaswani et al. (2017), *Attention is all you need*, section 3.5. Our `width` is
        their $d_\text{model}$, our `base` their 10000.
    """
    name = "sinusoidal_positions"
    check_position_arrays(name, {"positions": positions})
    check_even(name, "width", width)
    check_base(name, base)
    check_arrays(name, {"positions": positions, "like": like})
    check_floating(name, {"like": like})
    xp = namespace(positions)
    dtype = like.dtype if like is not None else xp.asarray(0.0).dtype
    angles = rotation_angles(xp, positions, width, base, computing_dtype(xp, dtype))
    pairs = xp.stack([xp.sin(angles), xp.cos(angles)], axis=-1)
    return xp.astype(xp.reshape(pairs, (*positions.shape, width)), dtype)


def rotation_angles(
    xp: Namespace, positions: Array, width: int, base: float, dtype: object
) -> Array:
    """Return `(..., length, width / 2)`: the angle of each pair at each position."""
    frequencies = [float(base) ** (-even / width) for even in range(0, width, 2)]
    _, device = home(positions)
    frequency = xp.asarray(frequencies, dtype=dtype, device=device)
    return xp.astype(positions, dtype)[..., None] * frequency
