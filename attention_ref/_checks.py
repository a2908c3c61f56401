"""The only place that words an error about shapes or arguments.

Every message has one form: which function, which argument, the rule in symbols and in
numbers, what came instead, and what to do.
"""

import math
from collections.abc import Mapping
from typing import Any, NoReturn

from attention_ref._arrays import (
    FLOATING,
    Array,
    Shape,
    broadcast_shapes,
    dtype_name,
    is_array,
    is_floating,
    known_to_hold,
    library_name,
    namespace,
)


class ShapeError(ValueError):
    """Arrays whose shapes do not go together."""


def _refuse(kind: type[Exception], function: str, message: str) -> NoReturn:
    raise kind(f"{function}: {message}")


def check_arrays(function: str, arrays: Mapping[str, Array | None]) -> None:
    """Require arrays, all of one library and on one device; None is left out."""
    given = {name: array for name, array in arrays.items() if array is not None}
    for name, array in given.items():
        if not is_array(array):
            _refuse(
                TypeError,
                function,
                f"{name} must be an array, got {type(array).__name__}. "
                "Make one with numpy.asarray, torch.tensor or jax.numpy.asarray.",
            )
    _check_one_home(
        function, "array library", "Convert", library_name, given, TypeError
    )
    if library_name(next(iter(given.values()))) == "torch":
        _check_one_home(
            function,
            "device",
            "Move",
            lambda array: str(array.device),
            given,
            ValueError,
        )


def _check_one_home(
    function: str,
    home: str,
    verb: str,
    home_of: Any,
    arrays: Mapping[str, Array],
    kind: type[Exception],
) -> None:
    homes = {name: home_of(array) for name, array in arrays.items()}
    (first, wanted), *others = homes.items()
    for name, found in others:
        if found != wanted:
            _refuse(
                kind,
                function,
                f"all arrays must share one {home}, got {first} from {wanted} "
                f"and {name} from {found}. {verb} one of them.",
            )


def check_floating(function: str, arrays: Mapping[str, Array | None]) -> None:
    """Require float16, bfloat16, float32 or float64."""
    for name, array in arrays.items():
        if array is not None and not is_floating(array):
            _refuse(
                TypeError,
                function,
                f"{name} must be float16, bfloat16, float32 or float64, "
                f"got {dtype_name(array.dtype)}. Convert it to one of them.",
            )


def common_dtype(function: str, arrays: Mapping[str, Array]) -> Any:
    """Return the dtype that the library gives these arrays together."""
    xp = namespace(*arrays.values())
    try:
        return xp.result_type(*arrays.values())
    except TypeError:
        names = [dtype_name(array.dtype) for array in arrays.values()]
        _refuse(
            TypeError,
            function,
            f"{listed(list(arrays))} must have dtypes with a common type, "
            f"got {listed(names)}. Convert them to one dtype.",
        )


def check_axes(function: str, name: str, array: Array, axes: str, least: int) -> None:
    """Require at least so many axes."""
    if array.ndim < least:
        _refuse(
            ShapeError,
            function,
            f"{name} must have at least {least} axes ({axes}), "
            f"got shape {tuple(array.shape)}. Add the missing axes with reshape.",
        )


def check_axis(function: str, name: str, array: Array, axis: int) -> None:
    """Require an axis that the array has."""
    if not -array.ndim <= axis < array.ndim:
        _refuse(
            ShapeError,
            function,
            f"axis must be an axis of {name}, got axis {axis} for shape "
            f"{tuple(array.shape)}. Axes count from 0, or from the end as -1.",
        )


def check_attention_shapes(
    function: str, query: Array, key: Array, value: Array | None
) -> None:
    """Require shapes of query, key and value that go together."""
    check_axes(function, "query", query, "..., queries, width", 2)
    check_axes(function, "key", key, "..., keys, width", 2)
    if query.shape[-1] != key.shape[-1]:
        _refuse(
            ShapeError,
            function,
            "query and key must have the same width, "
            f"got query {tuple(query.shape)} and key {tuple(key.shape)}. "
            "A query is compared with a key number by number.",
        )
    if value is not None:
        check_axes(function, "value", value, "..., keys, value_width", 2)
        _check_key_and_value(function, key, value)
    _check_leading_axes(function, query, key, value)


def _check_key_and_value(function: str, key: Array, value: Array) -> None:
    if key.shape[-2] != value.shape[-2]:
        _refuse(
            ShapeError,
            function,
            "key and value must have the same length, "
            f"got key {tuple(key.shape)} and value {tuple(value.shape)}. "
            "They describe the same positions.",
        )
    heads = key.shape[-3:-2], value.shape[-3:-2]
    if broadcast_shapes(*map(tuple, heads)) is None:
        _refuse(
            ShapeError,
            function,
            "key and value must have the same number of heads, "
            f"got key {tuple(key.shape)} and value {tuple(value.shape)}. "
            "Heads are axis -3.",
        )


def _check_leading_axes(
    function: str, query: Array, key: Array, value: Array | None
) -> None:
    given = {"query": query, "key": key}
    if value is not None:
        given["value"] = value
    if query.ndim > 2:
        for name in ("key", "value"):
            if name in given and given[name].ndim > 2:
                _check_heads(function, query, name, given[name])
    batches = [tuple(array.shape[:-3]) for array in given.values()]
    if broadcast_shapes(*batches) is None:
        shapes = " and ".join(f"{n} {tuple(a.shape)}" for n, a in given.items())
        _refuse(
            ShapeError,
            function,
            f"leading axes of {listed(list(given))} must broadcast together, "
            f"got {shapes}. Axes before (heads, length, width) are batch axes.",
        )


def _check_heads(function: str, query: Array, name: str, array: Array) -> None:
    heads, key_heads = query.shape[-3], array.shape[-3]
    if heads == key_heads or (key_heads and heads and heads % key_heads == 0):
        return
    _refuse(
        ShapeError,
        function,
        f"{name} heads must divide query heads, got {key_heads} {name} heads "
        f"and {heads} query heads (axis -3 of {name} {tuple(array.shape)} "
        f"and query {tuple(query.shape)}). Each {name} head serves a whole group.",
    )


def check_mask(function: str, mask: Array | None, scores_shape: Shape) -> None:
    """Require a boolean mask that broadcasts to the shape of the scores."""
    if mask is None:
        return
    kind = dtype_name(mask.dtype)
    if kind in FLOATING:
        _refuse(
            TypeError,
            function,
            "mask must be boolean, True where a query may see a key, "
            f"got {kind}. To add numbers to the scores, pass them as bias.",
        )
    if kind != "bool":
        _refuse(
            TypeError,
            function,
            "mask must be boolean, True where a query may see a key, "
            f"got {kind}. Compare it with something, for example mask != 0.",
        )
    check_broadcast(function, "mask", mask, "(..., queries, keys)", scores_shape)


def check_bias(function: str, bias: Array | None, scores_shape: Shape) -> None:
    """Require a floating bias that broadcasts to the shape of the scores."""
    if bias is None:
        return
    if dtype_name(bias.dtype) == "bool":
        _refuse(
            TypeError,
            function,
            "bias must be floating, to be added to the scores, "
            "got bool. To hide keys, pass it as mask.",
        )
    check_floating(function, {"bias": bias})
    check_broadcast(function, "bias", bias, "(..., queries, keys)", scores_shape)


def check_broadcast(
    function: str, name: str, array: Array, axes: str, target: Shape
) -> None:
    """Require a shape that broadcasts to the target without enlarging it."""
    shape = tuple(array.shape)
    if broadcast_shapes(shape, target) == target:
        return
    advice = "Check its length and the order of its axes."
    if len(shape) > len(target):
        advice = "It has too many axes; give the other arrays a heads axis or drop one."
    elif len(shape) > 1 and broadcast_shapes((*shape[:-2], *shape[:-3:-1]), target):
        advice = "Query positions come first; transpose it."
    _refuse(
        ShapeError,
        function,
        f"{name} must broadcast to {axes} = {target}, got {shape}. {advice}",
    )


def diagonal(
    function: str,
    causal: bool | str | None,
    query_length: int,
    key_length: int,
    *,
    name: str = "causal",
) -> int | None:
    """Return d such that query i may see key j where j <= i + d; None for every key."""
    if causal is None or causal is False:
        return None
    if causal is True and query_length != key_length:
        _refuse(
            ValueError,
            function,
            f'{name} must be "upper-left" or "lower-right" if the lengths differ, '
            f"got {query_length} queries and {key_length} keys. "
            "Choose where the diagonal starts.",
        )
    if causal is True or causal == "upper-left":
        return 0
    if causal == "lower-right":
        return key_length - query_length
    _refuse(
        ValueError,
        function,
        f'{name} must be None, True, "upper-left" or "lower-right", '
        f"got {causal!r}. Choose one of them.",
    )


def check_number(function: str, name: str, number: Any, *, positive: bool) -> None:
    """Require None, a finite number, or an array without axes (not looked into)."""
    rule = "a positive finite number" if positive else "a finite number"
    if number is None:
        return
    if is_array(number):
        if number.ndim == 0:
            return
        _refuse(
            ShapeError,
            function,
            f"{name} must be None or {rule}, got an array of shape "
            f"{tuple(number.shape)}. Pass one number.",
        )
    if isinstance(number, bool) or not isinstance(number, int | float):
        _refuse(
            TypeError,
            function,
            f"{name} must be None or {rule}, got {type(number).__name__}. "
            "Pass one number.",
        )
    if not math.isfinite(number) or (positive and number <= 0):
        off = "None means none." if positive else "None means 1/sqrt(width)."
        _refuse(
            ValueError,
            function,
            f"{name} must be None or {rule}, got {number}. {off}",
        )


def check_length(function: str, name: str, length: Any) -> None:
    """Require a count: an integer that is not negative."""
    if isinstance(length, bool) or not hasattr(length, "__index__"):
        _refuse(
            TypeError,
            function,
            f"{name} must be an integer, got {type(length).__name__}. "
            "A length is a count of positions.",
        )
    if length < 0:
        _refuse(
            ValueError,
            function,
            f"{name} must be at least 0, got {length}. "
            "A length is a count of positions.",
        )


def check_lengths(function: str, lengths: Array, key_length: int) -> None:
    """Require one integer for each sequence, none longer than the keys."""
    check_arrays(function, {"lengths": lengths})
    if not dtype_name(lengths.dtype).startswith(("int", "uint")):
        _refuse(
            TypeError,
            function,
            f"lengths must be integers, got {dtype_name(lengths.dtype)}. "
            "A length counts the keys that are real.",
        )
    if lengths.ndim != 1:
        _refuse(
            ShapeError,
            function,
            f"lengths must have one axis (batch,), got shape {tuple(lengths.shape)}. "
            "Give one length for each sequence.",
        )
    xp = namespace(lengths)
    outside = (lengths < 0) | (lengths > key_length)
    if known_to_hold(xp.any(outside)):
        _refuse(
            ValueError,
            function,
            f"lengths must be between 0 and key_length = {key_length}, "
            f"got {int(lengths[xp.argmax(xp.astype(outside, xp.int8))])}. "
            "A length counts the keys that are real.",
        )


def check_heads_argument(function: str, x: Array, num_heads: Any) -> None:
    """Require a number of heads that divides the width."""
    check_count(function, "num_heads", num_heads)
    width = x.shape[-1]
    if width % num_heads:
        divisors = [n for n in range(1, width + 1) if width % n == 0]
        _refuse(
            ShapeError,
            function,
            "width must divide into num_heads equal parts, "
            f"got width {width} and num_heads {num_heads}. "
            f"Use {listed([str(n) for n in divisors], 'or')} heads.",
        )


def check_count(function: str, name: str, count: Any) -> None:
    """Require an integer of at least 1."""
    if isinstance(count, bool) or not hasattr(count, "__index__"):
        _refuse(
            TypeError,
            function,
            f"{name} must be an integer, got {type(count).__name__}. Count from 1.",
        )
    if count < 1:
        _refuse(
            ValueError,
            function,
            f"{name} must be at least 1, got {count}. Count from 1.",
        )


def check_projections(
    function: str, inputs: Mapping[str, Array], projections: Any, num_heads: Any
) -> None:
    """Require projections that fit the inputs, the heads and each other."""
    for name in ("query", "key", "value", "output"):
        weight = getattr(projections, name)
        if weight.ndim != 2:
            _refuse(
                ShapeError,
                function,
                f"projections.{name} must have 2 axes (in, out), "
                f"got shape {tuple(weight.shape)}. x @ weight projects.",
            )
    for name, x in inputs.items():
        check_axes(function, name, x, "..., length, model_width", 2)
        weight = getattr(projections, name)
        _check_inner(function, f"projections.{name}", weight, f"{name}", x.shape[-1])
    check_heads_argument(function, projections.query, num_heads)
    width = projections.query.shape[1] // num_heads
    key_heads = projections.key.shape[1] // max(width, 1)
    if not key_heads or projections.key.shape[1] % max(width, 1):
        _refuse(
            ShapeError,
            function,
            f"projections.key must have a multiple of the head width = {width} columns, "
            f"got shape {tuple(projections.key.shape)}. Queries and keys share a width.",
        )
    if projections.value.shape[1] % key_heads:
        _refuse(
            ShapeError,
            function,
            "projections.value must have a multiple of the key heads "
            f"= {key_heads} columns, got shape {tuple(projections.value.shape)}. "
            "Keys and values share their heads.",
        )
    merged = num_heads * (projections.value.shape[1] // key_heads)
    _check_inner(
        function, "projections.output", projections.output, "the merged heads", merged
    )
    for name in ("query", "key", "value", "output"):
        bias, weight = getattr(projections, f"{name}_bias"), getattr(projections, name)
        if bias is not None and tuple(bias.shape) != (weight.shape[1],):
            _refuse(
                ShapeError,
                function,
                f"projections.{name}_bias must have shape {(weight.shape[1],)}, "
                f"got {tuple(bias.shape)}. One number for each column.",
            )


def _check_inner(function: str, name: str, weight: Array, of: str, width: int) -> None:
    if weight.shape[0] != width:
        _refuse(
            ShapeError,
            function,
            f"{name} must have as many rows as {of} is wide = {width}, "
            f"got shape {tuple(weight.shape)}. x @ weight projects; "
            "torch stores the transpose.",
        )


def listed(names: list[str], word: str = "and") -> str:
    """Join names as a sentence does."""
    *most, last = names
    return f"{', '.join(most)} {word} {last}" if most else last


# --- Pictures -----------------------------------------------------------------------


def check_matrix(function: str, name: str, shape: Shape) -> None:
    """Require one matrix of queries and keys, with something in it."""
    if len(shape) != 2 or 0 in shape:
        _refuse(
            ShapeError,
            function,
            f"{name} must have the shape (queries, keys) with at least one of each, "
            f"got {shape}. Choose one batch and one head, as in {name}[0, 0].",
        )


def check_labels(function: str, name: str, axis: str, count: int, wanted: int) -> None:
    """Require one label for each position of an axis."""
    if count != wanted:
        _refuse(
            ShapeError,
            function,
            f"{name} must hold one label per {axis} = {wanted}, got {count}. "
            "Pass the tokens in their order.",
        )


def check_drawn_mask(function: str, dtype: Any, shape: Shape, matrix: Shape) -> None:
    """Require a boolean mask that fits the matrix that is drawn."""
    if dtype != bool:
        _refuse(
            TypeError,
            function,
            f"mask must be boolean, got {dtype}. "
            "True means that the query may attend to the key.",
        )
    ends = zip(shape[::-1], matrix[::-1], strict=False)
    if len(shape) > 2 or any(size not in (1, whole) for size, whole in ends):
        _refuse(
            ShapeError,
            function,
            f"mask must broadcast to (queries, keys) = {matrix}, got {shape}. "
            "Queries come first; choose one batch and one head.",
        )


def check_limits(function: str, low: float, high: float) -> None:
    """Require the two ends of a scale in ascending order."""
    if not low < high:
        _refuse(
            ValueError,
            function,
            f"limits must be low < high, got low = {low} and high = {high}. "
            "Leave limits out to take them from the values.",
        )


def check_bars(function: str, shape: Shape, label_count: int) -> None:
    """Require one row of bars, each with a label."""
    if shape != (label_count,):
        _refuse(
            ShapeError,
            function,
            f"values must have the shape (labels,) = ({label_count},), got {shape}. "
            "Choose one row, as in weights[0], and label each of its values.",
        )


def check_bar_lengths(function: str, lowest: float, highest: float, width: int) -> None:
    """Require values that have a length, and room to draw them."""
    if not 0 <= lowest <= highest < math.inf:
        _refuse(
            ValueError,
            function,
            f"values must be finite and at least 0, got {lowest:g} to {highest:g}. "
            "A bar shows a weight; take the softmax of scores first.",
        )
    if width < 1:
        _refuse(
            ValueError,
            function,
            f"width must be at least 1, got {width}. "
            "It is the number of characters of the longest bar.",
        )
