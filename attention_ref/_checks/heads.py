"""Numbers of heads, and projections that fit them."""

from collections.abc import Mapping
from typing import Any

from attention_ref._arrays import Array
from attention_ref._checks.arrays import check_axes
from attention_ref._checks.numbers import check_count
from attention_ref._checks.wording import ShapeError, listed, refuse


def check_heads_argument(function: str, x: Array, num_heads: Any) -> None:
    """Require a number of heads that divides the width."""
    check_count(function, "num_heads", num_heads)
    width = x.shape[-1]
    if width % num_heads:
        divisors = [n for n in range(1, width + 1) if width % n == 0]
        refuse(
            ShapeError,
            function,
            "width must divide into num_heads equal parts",
            f"width {width} and num_heads {num_heads}",
            f"Use {listed(divisors, 'or')} heads.",
        )


def check_projections(
    function: str, inputs: Mapping[str, Array], projections: Any, num_heads: Any
) -> None:
    """Require projections that fit the inputs, the heads and each other."""
    for name in ("query", "key", "value", "output"):
        _check_matrix(function, f"projections.{name}", getattr(projections, name))
    for name, x in inputs.items():
        check_axes(function, name, x, "..., length, model_width", 2)
        _check_rows(function, projections, name, f"{name} is wide", x.shape[-1])
    check_heads_argument(function, projections.query, num_heads)
    width = projections.query.shape[1] // num_heads
    _check_columns(function, projections, "key", "the width of a query head", width)
    key_heads = projections.key.shape[1] // width
    _check_columns(function, projections, "value", "the number of key heads", key_heads)
    merged = projections.value.shape[1] // key_heads * num_heads
    _check_rows(function, projections, "output", "the merged heads are wide", merged)
    for name in ("query", "key", "value", "output"):
        _check_projection_bias(function, projections, name)


def _check_matrix(function: str, name: str, weight: Array) -> None:
    if weight.ndim != 2:
        refuse(
            ShapeError,
            function,
            f"{name} must have 2 axes (in, out)",
            f"shape {tuple(weight.shape)}",
            "x @ weight projects.",
        )


def _check_rows(
    function: str, projections: Any, name: str, what: str, rows: int
) -> None:
    weight = getattr(projections, name)
    if weight.shape[0] != rows:
        refuse(
            ShapeError,
            function,
            f"projections.{name} must have as many rows as {what} = {rows}",
            f"shape {tuple(weight.shape)}",
            "x @ weight projects; torch stores the transpose.",
        )


def _check_columns(
    function: str, projections: Any, name: str, what: str, factor: int
) -> None:
    columns = getattr(projections, name).shape[1]
    if 0 in (factor, columns) or columns % factor:
        refuse(
            ShapeError,
            function,
            f"columns of projections.{name} must be a multiple of {what} = {factor}",
            f"shape {tuple(getattr(projections, name).shape)}",
            "All heads have the same width, and it is not 0.",
        )


def _check_projection_bias(function: str, projections: Any, name: str) -> None:
    bias = getattr(projections, f"{name}_bias")
    columns = getattr(projections, name).shape[1]
    if bias is not None and tuple(bias.shape) != (columns,):
        refuse(
            ShapeError,
            function,
            f"projections.{name}_bias must have shape (columns,) = ({columns},)",
            tuple(bias.shape),
            f"It has one number for each column of projections.{name}.",
        )
