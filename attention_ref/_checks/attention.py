"""Query, key, value, and what may be added to them."""

from attention_ref._arrays import FLOATING, Array, Shape, broadcast_shapes, dtype_name
from attention_ref._checks.arrays import check_axes, check_broadcast, check_floating
from attention_ref._checks.wording import ShapeError, listed, refuse


def check_attention_shapes(
    function: str, query: Array, key: Array, value: Array | None
) -> None:
    """Require shapes of query, key and value that go together."""
    check_axes(function, "query", query, "..., queries, width", 2)
    check_axes(function, "key", key, "..., keys, width", 2)
    check_same_width(function, query, key)
    given = {"query": query, "key": key}
    if value is not None:
        check_axes(function, "value", value, "..., keys, value_width", 2)
        _check_key_and_value(function, key, value)
        given["value"] = value
    _check_heads(function, given)
    _check_batches(function, given)


def check_same_width(function: str, query: Array, key: Array) -> None:
    """Require queries and keys of the same width."""
    if query.shape[-1] != key.shape[-1]:
        refuse(
            ShapeError,
            function,
            "query and key must have the same width",
            f"query {tuple(query.shape)} and key {tuple(key.shape)}",
            "A query is compared with a key number by number.",
        )


def check_pairwise(
    function: str, query: Array, key: Array, value: Array | None
) -> Shape:
    """Require axes before the last two that broadcast; return the scores' shape."""
    check_axes(function, "query", query, "..., queries, width", 2)
    check_axes(function, "key", key, "..., keys, width", 2)
    given = {"query": query, "key": key}
    if value is not None:
        check_axes(function, "value", value, "..., keys, value_width", 2)
        _check_same_length(function, key, value)
        given["value"] = value
    leading = broadcast_shapes(*(tuple(array.shape[:-2]) for array in given.values()))
    if leading is None:
        refuse(
            ShapeError,
            function,
            f"leading axes of {listed(given)} must broadcast together",
            listed(f"{name} {tuple(array.shape)}" for name, array in given.items()),
            "Leading axes are those before the last two.",
        )
    return (*leading, query.shape[-2], key.shape[-2])


def _check_same_length(function: str, key: Array, value: Array) -> None:
    if key.shape[-2] != value.shape[-2]:
        refuse(
            ShapeError,
            function,
            "key and value must have the same length",
            f"key {tuple(key.shape)} and value {tuple(value.shape)}",
            "They describe the same positions.",
        )


def _check_key_and_value(function: str, key: Array, value: Array) -> None:
    _check_same_length(function, key, value)
    if broadcast_shapes(tuple(key.shape[-3:-2]), tuple(value.shape[-3:-2])) is None:
        refuse(
            ShapeError,
            function,
            "key and value must have the same number of heads",
            f"key {tuple(key.shape)} and value {tuple(value.shape)}",
            "Heads are axis -3.",
        )


def _check_heads(function: str, given: dict[str, Array]) -> None:
    query, *others = given
    if given[query].ndim == 2:
        return  # without a heads axis there is nothing to divide
    heads = given[query].shape[-3]
    for name in others:
        if given[name].ndim == 2:
            continue
        key_heads = given[name].shape[-3]
        if heads != key_heads and (key_heads == 0 or heads % max(key_heads, 1)):
            refuse(
                ShapeError,
                function,
                f"{name} heads must divide query heads (axis -3)",
                f"query {tuple(given[query].shape)} "
                f"and {name} {tuple(given[name].shape)}",
                f"Each {name} head serves an equal group of query heads.",
            )


def _check_batches(function: str, given: dict[str, Array]) -> None:
    if broadcast_shapes(*(tuple(array.shape[:-3]) for array in given.values())) is None:
        refuse(
            ShapeError,
            function,
            f"batch axes of {listed(given)} must broadcast together",
            listed(f"{name} {tuple(array.shape)}" for name, array in given.items()),
            "Batch axes are those before (heads, length, width).",
        )


def check_mask(function: str, mask: Array | None, scores_shape: Shape) -> None:
    """Require a boolean mask that broadcasts to the shape of the scores."""
    if mask is None:
        return
    kind = dtype_name(mask.dtype)
    if kind != "bool":
        floating = "To add numbers to the scores, pass them as bias."
        refuse(
            TypeError,
            function,
            "mask must be boolean, True where a query may see a key",
            kind,
            floating if kind in FLOATING else "Compare it, for instance mask != 0.",
        )
    check_broadcast(function, "mask", mask, "(..., queries, keys)", scores_shape)


def check_bias(function: str, bias: Array | None, scores_shape: Shape) -> None:
    """Require a floating bias that broadcasts to the shape of the scores."""
    if bias is None:
        return
    if dtype_name(bias.dtype) == "bool":
        refuse(
            TypeError,
            function,
            "bias must be floating, to be added to the scores",
            "bool",
            "To hide keys, pass it as mask.",
        )
    check_floating(function, {"bias": bias})
    check_broadcast(function, "bias", bias, "(..., queries, keys)", scores_shape)


def diagonal(
    function: str,
    name: str,
    causal: bool | str | None,
    query_length: int,
    key_length: int,
) -> int | None:
    """Return d such that query i may see key j where j <= i + d; None for every key."""
    if causal is None or causal is False:
        return None
    return offset(function, name, causal, query_length, key_length)


def offset(
    function: str, name: str, causal: bool | str, query_length: int, key_length: int
) -> int:
    """Return how far the diagonal of a causal rule starts behind the first key."""
    if causal is not True and causal not in ("upper-left", "lower-right"):
        refuse(
            ValueError,
            function,
            f'{name} must be None, True, "upper-left" or "lower-right"',
            repr(causal),
            "Choose one of them.",
        )
    if causal is True and query_length != key_length:
        refuse(
            ValueError,
            function,
            f'{name} must be "upper-left" or "lower-right" if the lengths differ',
            f"{query_length} queries and {key_length} keys",
            "Choose where the diagonal starts.",
        )
    return key_length - query_length if causal == "lower-right" else 0
