"""Positions, and the widths that encode them."""

from typing import Any

from attention_ref._arrays import Array, broadcast_shapes, dtype_name
from attention_ref._checks.arrays import check_broadcast
from attention_ref._checks.numbers import check_count, check_integers, check_number
from attention_ref._checks.wording import ShapeError, refuse


def check_boolean(function: str, mask: Array) -> None:
    """Require a boolean mask of tokens."""
    if dtype_name(mask.dtype) != "bool":
        refuse(
            TypeError,
            function,
            "mask must be boolean, True where a token is real",
            dtype_name(mask.dtype),
            "Compare it, for instance mask != 0.",
        )


def check_even(function: str, name: str, width: Any) -> None:
    """Require an even number of at least 2."""
    check_count(function, name, width, least=2)
    if width % 2:
        advice = "Numbers come in pairs."
        refuse(ValueError, function, f"{name} must be even", width, advice)


def check_base(function: str, base: Any) -> None:
    """Require a positive number that frequencies fall with."""
    check_number(function, "base", base, positive=True, optional=False)


def check_rotated_width(function: str, x: Array, width: Any) -> None:
    """Require an even number of rotated numbers, no more than there are."""
    check_count(function, "width", width, least=0)
    if width % 2 or width > x.shape[-1]:
        refuse(
            ShapeError,
            function,
            f"width must be even and at most the width of x = {x.shape[-1]}",
            width,
            "Numbers are rotated in pairs.",
        )


def check_positions_of(function: str, positions: Array, x: Array) -> None:
    """Require integers, one for each token of x."""
    check_integers(function, "positions", positions)
    target = tuple(x.shape[:-1])
    check_broadcast(function, "positions", positions, "(..., length)", target)


def check_pairs(function: str, x: Array, cosine: Array, sine: Array) -> None:
    """Require cosines and sines that fit x, and each other."""
    if cosine.shape[-1] != sine.shape[-1] or 2 * cosine.shape[-1] > x.shape[-1]:
        refuse(
            ShapeError,
            function,
            "cosine and sine must have the same number of pairs, "
            f"at most half the width of x = {x.shape[-1]}",
            f"cosine {tuple(cosine.shape)} and sine {tuple(sine.shape)}",
            "Each pair has one angle.",
        )
    target = tuple(x.shape[:-1])
    for name, array in (("cosine", cosine), ("sine", sine)):
        if broadcast_shapes(tuple(array.shape[:-1]), target) != target:
            refuse(
                ShapeError,
                function,
                f"{name} must broadcast to (..., length, pairs) = "
                f"{(*target, cosine.shape[-1])}",
                tuple(array.shape),
                "Make each axis as long as that one, or 1.",
            )
