"""What is drawn: matrices, labels, limits and bars."""

import math
from typing import Any

from attention_ref._arrays import Shape
from attention_ref._checks.wording import ShapeError, refuse


def check_matrix(function: str, name: str, shape: Shape) -> None:
    """Require one matrix of queries and keys, with something in it."""
    if len(shape) != 2 or 0 in shape:
        refuse(
            ShapeError,
            function,
            f"{name} must have the shape (queries, keys) with at least one of each",
            shape,
            f"Choose one batch and one head, as in {name}[0, 0].",
        )


def check_labels(function: str, name: str, axis: str, count: int, wanted: int) -> None:
    """Require one label for each position of an axis."""
    if count != wanted:
        refuse(
            ShapeError,
            function,
            f"{name} must hold one label per {axis} = {wanted}",
            count,
            "Pass the tokens in their order.",
        )


def check_drawn_mask(function: str, dtype: Any, shape: Shape, matrix: Shape) -> None:
    """Require a boolean mask that fits the matrix that is drawn."""
    if dtype.kind != "b":
        refuse(
            TypeError,
            function,
            "mask must be boolean",
            dtype,
            "True means that the query may attend to the key.",
        )
    ends = zip(shape[::-1], matrix[::-1], strict=False)
    if len(shape) > 2 or any(size not in (1, whole) for size, whole in ends):
        refuse(
            ShapeError,
            function,
            f"mask must broadcast to (queries, keys) = {matrix}",
            shape,
            "Queries come first; choose one batch and one head.",
        )


def check_limits(function: str, low: float, high: float) -> None:
    """Require the two ends of a scale in ascending order."""
    if not low < high:
        refuse(
            ValueError,
            function,
            "limits must be low < high",
            f"low = {low} and high = {high}",
            "Leave limits out to take them from the values.",
        )


def check_bars(function: str, shape: Shape, label_count: int) -> None:
    """Require one row of bars, each with a label."""
    if shape != (label_count,):
        refuse(
            ShapeError,
            function,
            f"values must have the shape (labels,) = ({label_count},)",
            shape,
            "Choose one row, as in weights[0], and label each of its values.",
        )


def check_bar_lengths(function: str, lowest: float, highest: float, width: int) -> None:
    """Require values that have a length, and room to draw them."""
    if not 0 <= lowest <= highest < math.inf:
        refuse(
            ValueError,
            function,
            "values must be finite and at least 0",
            f"{lowest:g} to {highest:g}",
            "A bar shows a weight; take the softmax of scores first.",
        )
    if width < 1:
        refuse(
            ValueError,
            function,
            "width must be at least 1",
            width,
            "It is the number of characters of the longest bar.",
        )
