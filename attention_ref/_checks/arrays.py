"""Arrays: their kind, library, device, dtype and axes."""

from collections.abc import Callable, Mapping
from typing import Any

from attention_ref._arrays import (
    Array,
    Shape,
    broadcast_shapes,
    dtype_name,
    is_array,
    is_floating,
    is_torch,
    library_name,
    namespace,
)
from attention_ref._checks.wording import ShapeError, listed, refuse


def check_arrays(function: str, arrays: Mapping[str, Array | None]) -> None:
    """Require arrays, all of one library and on one device; None is left out."""
    given = {name: array for name, array in arrays.items() if array is not None}
    for name, array in given.items():
        if not is_array(array):
            refuse(
                TypeError,
                function,
                f"{name} must be an array",
                type(array).__name__,
                "Make one with numpy.asarray, torch.tensor or jax.numpy.asarray.",
            )
    _check_same(function, "array library", given, library_name, TypeError)
    if all(map(is_torch, given.values())):
        _check_same(function, "device", given, _device_name, ValueError)


def _device_name(array: Array) -> str:
    return str(array.device)


def _check_same(
    function: str,
    home: str,
    arrays: Mapping[str, Array],
    home_of: Callable[[Array], str],
    kind: type[Exception],
) -> None:
    (first, *others) = arrays
    for name in others:
        wanted, found = home_of(arrays[first]), home_of(arrays[name])
        if found != wanted:
            refuse(
                kind,
                function,
                f"{first} and {name} must have the same {home}",
                f"{wanted} and {found}",
                "Convert one of them.",
            )


def check_floating(function: str, arrays: Mapping[str, Array | None]) -> None:
    """Require float16, bfloat16, float32 or float64."""
    for name, array in arrays.items():
        if array is not None and not is_floating(array):
            refuse(
                TypeError,
                function,
                f"{name} must be float16, bfloat16, float32 or float64",
                dtype_name(array.dtype),
                "Convert it to one of them.",
            )


def common_dtype(function: str, arrays: Mapping[str, Array]) -> Any:
    """Return the dtype that the library gives these arrays together."""
    dtypes = {name: array.dtype for name, array in arrays.items()}
    try:
        return namespace(*arrays.values()).result_type(*dtypes.values())
    except TypeError:
        refuse(
            TypeError,
            function,
            f"{listed(dtypes)} must have dtypes with a common type",
            listed(map(dtype_name, dtypes.values())),
            "Convert them to one dtype.",
        )


def check_axes(function: str, name: str, array: Array, axes: str, least: int) -> None:
    """Require at least so many axes."""
    if array.ndim < least:
        refuse(
            ShapeError,
            function,
            f"{name} must have at least {least} {'axis' if least == 1 else 'axes'} "
            f"({axes})",
            f"shape {tuple(array.shape)}",
            "Add the missing axes with reshape.",
        )


def check_axis(function: str, name: str, array: Array, axis: int) -> None:
    """Require an axis that the array has."""
    if not -array.ndim <= axis < array.ndim:
        refuse(
            ShapeError,
            function,
            f"axis must be one of the {array.ndim} axes of {name} {tuple(array.shape)}",
            axis,
            "Count from 0, or from the end with -1.",
        )


def check_broadcast(
    function: str, name: str, array: Array, axes: str, target: Shape
) -> None:
    """Require a shape that broadcasts to the target without enlarging it."""
    shape = tuple(array.shape)
    if broadcast_shapes(shape, target) == target:
        return
    if len(shape) > len(target):
        advice = "It has more axes than the scores; take one away."
    elif _fits_transposed(shape, target):
        advice = "Query positions come first; transpose it."
    else:
        advice = "Make each axis as long as that one, or 1."
    refuse(
        ShapeError,
        function,
        f"{name} must broadcast to {axes} = {target}",
        shape,
        advice,
    )


def _fits_transposed(shape: Shape, target: Shape) -> bool:
    if len(shape) < 2 or len(target) < 2:
        return False
    *leading, rows, columns = shape
    return broadcast_shapes((*leading, columns, rows), target) == target
