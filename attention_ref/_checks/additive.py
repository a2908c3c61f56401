"""The learned arrays of additive attention."""

from typing import Any

from attention_ref._arrays import Array
from attention_ref._checks.wording import ShapeError, refuse


def check_additive(function: str, query: Array, key: Array, projections: Any) -> None:
    """Require projections that fit query, key and each other."""
    hidden = projections.output.shape[-1] if projections.output.ndim == 1 else None
    if hidden is None:
        refuse(
            ShapeError,
            function,
            "projections.output must have one axis (hidden_width,)",
            f"shape {tuple(projections.output.shape)}",
            "It makes one score of the hidden numbers.",
        )
    for name, x in (("query", query), ("key", key)):
        weight = getattr(projections, name)
        wanted = (x.shape[-1], hidden)
        if tuple(weight.shape) != wanted:
            refuse(
                ShapeError,
                function,
                f"projections.{name} must have shape ({name}_width, hidden_width) = "
                f"{wanted}",
                tuple(weight.shape),
                "x @ weight projects; torch stores the transpose.",
            )
