"""Partial results that are merged, and features that stand for a softmax."""

from collections.abc import Sequence

from attention_ref._arrays import Array, Shape, is_array
from attention_ref._checks.arrays import check_axes
from attention_ref._checks.attention import check_mask
from attention_ref._checks.wording import ShapeError, refuse


def check_partial_results(
    function: str, outputs: Sequence[Array], log_sum_exps: Sequence[Array]
) -> None:
    """Require as many log-sum-exps as outputs, of shapes that fit."""
    if len(outputs) == 0 or len(outputs) != len(log_sum_exps):
        refuse(
            ValueError,
            function,
            "outputs and log_sum_exps must be as many, at least 1",
            f"{len(outputs)} and {len(log_sum_exps)}",
            "Give both for each part of the keys.",
        )
    if not all(map(is_array, (*outputs, *log_sum_exps))):
        return  # check_arrays says so
    shape = tuple(outputs[0].shape)
    for name, arrays, wanted in (
        ("outputs", outputs, shape),
        ("log_sum_exps", log_sum_exps, shape[:-1]),
    ):
        for i, array in enumerate(arrays):
            _check_shape(function, f"{name}[{i}]", tuple(array.shape), wanted)


def _check_shape(function: str, name: str, shape: Shape, wanted: Shape) -> None:
    if shape != wanted:
        refuse(
            ShapeError,
            function,
            f"{name} must have the shape that outputs[0] asks for = {wanted}",
            shape,
            "All parts belong to the same queries.",
        )


def check_key_mask(function: str, mask: Array | None, key: Array) -> None:
    """Require a mask that is the same for all queries."""
    if mask is None:
        return
    check_axes(function, "mask", mask, "..., 1, keys", 2)
    check_mask(function, mask, (*key.shape[:-2], 1, key.shape[-2]))


def check_features(function: str, x: Array, features: Array) -> None:
    """Require features for each position."""
    if not is_array(features) or tuple(features.shape[:-1]) != tuple(x.shape[:-1]):
        got = tuple(features.shape) if is_array(features) else type(features).__name__
        refuse(
            ShapeError,
            function,
            f"feature_map must return the shape (..., features) of {tuple(x.shape)}",
            got,
            "Only the last axis may change.",
        )
