"""Rotary embeddings: turn pairs of numbers by an angle that grows with position."""

from typing import Literal, TypeAlias

from attention_ref._arrays import Array, Namespace, computing_dtype, home, namespace
from attention_ref._checks import (
    check_arrays,
    check_axes,
    check_base,
    check_choice,
    check_floating,
    check_pairs,
    check_positions_of,
    check_rotated_width,
    common_dtype,
)
from attention_ref._positions import rotation_angles

Layout: TypeAlias = Literal["half", "interleaved"]
LAYOUTS = ("half", "interleaved")


def rotary_embedding(
    x: Array,
    positions: Array | None = None,
    *,
    layout: Layout,
    base: float = 10000.0,
    width: int | None = None,
) -> Array:
    r"""Turn each pair of numbers by an angle that grows with the token's position.

    $$ \begin{pmatrix} a' \\ b' \end{pmatrix} =
       \begin{pmatrix} \cos\theta & -\sin\theta \\ \sin\theta & \cos\theta \end{pmatrix}
       \begin{pmatrix} a \\ b \end{pmatrix}, \qquad \theta = p \, b^{-2i/d} $$

    The dot product of a rotated query and a rotated key then depends on their
    distance only.

    Args:
        x: `(..., length, width)`, floating. Queries or keys.
        positions: `(..., length)`, integers. The position of each token, counted from
            the start of the text, not of the chunk. For a batch with heads they are
            `(batch, 1, length)`. `None` counts from 0.
        layout: Which numbers form pair `i`. `"half"`: `i` and `i + width / 2`;
            `"interleaved"`: `2 i` and `2 i + 1`.
        base: What the frequencies fall with.
        width: How many of the numbers are rotated; the others pass. `None` is all.

    Returns:
        The shape and dtype of `x`.

    Raises:
        ShapeError: If `positions` does not broadcast, or the width is odd or too
            large.
        TypeError: If an array or its dtype does not fit.
        ValueError: If `layout` or `base` is no valid choice.

    Note:
        Angles, and the rotation itself, are computed in at least float32, rounded
        once.

    Example:
        >>> import numpy as np
        >>> x = np.asarray([[1.0, 0.0], [1.0, 0.0]])
        >>> rotary_embedding(x, layout="half").round(3)
        array([[1.   , 0.   ],
               [0.54 , 0.841]])

    References:
        Su et al. (2021), *RoFormer*, section 3.2.2. The paper's layout is
        `"interleaved"`.
    """
    name = "rotary_embedding"
    check_arrays(name, {"x": x, "positions": positions})
    check_floating(name, {"x": x})
    check_axes(name, "x", x, "..., length, width", 2)
    check_choice(name, "layout", layout, LAYOUTS)
    check_base(name, base)
    width = x.shape[-1] if width is None else width
    check_rotated_width(name, x, width)
    xp, device = home(x)
    if positions is None:
        positions = xp.arange(x.shape[-2], device=device)
    check_positions_of(name, positions, x)
    wide = computing_dtype(xp, x.dtype)
    angles = rotation_angles(xp, positions, width, base, wide)
    return _rotate(xp, x, xp.cos(angles), xp.sin(angles), layout)


def rotate_pairs(x: Array, cosine: Array, sine: Array, *, layout: Layout) -> Array:
    """Turn pairs of numbers by angles whose cosines and sines are given.

    Args:
        x: `(..., length, width)`, floating.
        cosine: `(..., length, pairs)`, floating. The first `2 * pairs` numbers are
            rotated, the others pass.
        sine: `(..., length, pairs)`, floating.
        layout: As in `rotary_embedding`.

    Returns:
        The shape of `x`, in its dtype.

    Raises:
        ShapeError: If `cosine` and `sine` do not broadcast, or have too many pairs.
        TypeError: If an array or its dtype does not fit.
        ValueError: If `layout` is no valid choice.

    Note:
        Computed in at least float32, rounded once.

    Example:
        >>> import numpy as np
        >>> right_angle = np.zeros((1, 1)), np.ones((1, 1))
        >>> rotate_pairs(np.asarray([[3.0, 4.0]]), *right_angle, layout="half")
        array([[-4.,  3.]])

    References:
        Su et al. (2021), *RoFormer*, section 3.4.2.
    """
    name = "rotate_pairs"
    arrays = {"x": x, "cosine": cosine, "sine": sine}
    check_arrays(name, arrays)
    check_floating(name, arrays)
    for argument, array in arrays.items():
        check_axes(name, argument, array, "..., length, width", 2)
    check_choice(name, "layout", layout, LAYOUTS)
    check_pairs(name, x, cosine, sine)
    common_dtype(name, arrays)
    return _rotate(namespace(x), x, cosine, sine, layout)


def _rotate(
    xp: Namespace, x: Array, cosine: Array, sine: Array, layout: Layout
) -> Array:
    wide = computing_dtype(xp, x.dtype)
    cosine, sine = xp.astype(cosine, wide), xp.astype(sine, wide)
    pairs = cosine.shape[-1]
    rotated = xp.astype(x[..., : 2 * pairs], wide)
    if layout == "half":
        first, second = rotated[..., :pairs], rotated[..., pairs:]
    else:
        first, second = rotated[..., 0::2], rotated[..., 1::2]
    turned = first * cosine - second * sine, first * sine + second * cosine
    if layout == "half":
        rotated = xp.concat(turned, axis=-1)
    else:
        rotated = xp.reshape(xp.stack(turned, axis=-1), rotated.shape)
    rotated = xp.astype(rotated, x.dtype)
    return xp.concat([rotated, x[..., 2 * pairs :]], axis=-1)
