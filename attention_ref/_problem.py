"""One attention problem: its arguments, checked and widened."""

import math
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias

from attention_ref._arrays import (
    Array,
    Namespace,
    broadcast_shapes,
    computing_dtype,
    namespace,
)
from attention_ref._checks import (
    check_arrays,
    check_attention_shapes,
    check_bias,
    check_broadcast,
    check_floating,
    check_mask,
    check_number,
    check_sink,
    common_dtype,
    diagonal,
)

Causal: TypeAlias = bool | Literal["upper-left", "lower-right"] | None


PositionRule: TypeAlias = Callable[[Array, Array], Array]
"""A function of query positions `(queries, 1)` and key positions `(keys,)`."""


class Options(NamedTuple):
    """What may vary in scaled dot-product attention, as the caller gave it."""

    mask: Array | PositionRule | None = None
    bias: Array | None = None
    causal: Causal = None
    scale: float | Array | None = None
    softcap: float | None = None
    sink: float | Array | None = None


class Problem(NamedTuple):
    """The same after checking, in the dtype in which we compute."""

    xp: Namespace
    query: Array
    key: Array
    value: Array
    mask: Array | None
    rule: PositionRule | None
    """The mask as a function of positions, if it was given so."""
    bias: Array | None
    diagonal: int | None
    """Query i may see key j where j <= i + diagonal; None lets it see every key."""
    scale: float | Array
    softcap: float | None
    sink: Array | None
    """`(..., heads, 1, 1)`, to stand beside the scores."""
    dtype: Any
    """The dtype of the result."""


def prepare(
    function: str, query: Array, key: Array, value: Array | None, options: Options
) -> Problem:
    """Check all arguments of one of the attention functions and widen its arrays."""
    inputs = {"query": query, "key": key}
    if value is not None:
        inputs["value"] = value
    scale, softcap, sink = options.scale, options.softcap, options.sink
    rule = options.mask if callable(options.mask) else None
    mask = options.mask if rule is None else None
    extra = {"mask": mask, "bias": options.bias}
    if not isinstance(sink, int | float):
        extra["sink"] = sink
    check_arrays(function, inputs | extra)
    check_floating(function, inputs)
    check_attention_shapes(function, query, key, value)
    check_number(function, "scale", scale, positive=False)
    check_number(function, "softcap", softcap, positive=True)
    check_sink(function, sink)

    xp = namespace(query)
    dtype = common_dtype(function, inputs)
    wide = computing_dtype(xp, dtype)
    shape = scores_shape(query, key, value)
    check_mask(function, mask, shape)
    check_bias(function, options.bias, shape)
    return Problem(
        xp=xp,
        query=xp.astype(query, wide, copy=False),
        key=xp.astype(key, wide, copy=False),
        value=None if value is None else xp.astype(value, wide, copy=False),
        mask=mask,
        rule=None if rule is None else _checked_rule(function, rule, shape[:-2]),
        bias=None if options.bias is None else xp.astype(options.bias, wide),
        diagonal=diagonal(function, "causal", options.causal, shape[-2], shape[-1]),
        scale=1 / math.sqrt(max(query.shape[-1], 1)) if scale is None else scale,
        softcap=softcap,
        sink=_sink_beside_scores(function, xp, sink, wide, shape, query),
        dtype=dtype,
    )


def _checked_rule(
    function: str, rule: PositionRule, leading: tuple[int, ...]
) -> PositionRule:
    def checked(query_position: Array, key_position: Array) -> Array:
        mask = rule(query_position, key_position)
        check_arrays(function, {"query positions": query_position, "mask": mask})
        lengths = query_position.shape[0], key_position.shape[0]
        check_mask(function, mask, (*leading, *lengths))
        return mask

    return checked


def scores_shape(query: Array, key: Array, value: Array | None) -> tuple[int, ...]:
    """Return the shape of the scores, `(..., heads, queries, keys)`."""
    arrays = [query, key] if value is None else [query, key, value]
    batches = broadcast_shapes(*(tuple(array.shape[:-3]) for array in arrays)) or ()
    heads = query.shape[-3:-2] or broadcast_shapes(
        *(tuple(array.shape[-3:-2]) for array in arrays)
    )
    return (*batches, *(heads or ()), query.shape[-2], key.shape[-2])


def _sink_beside_scores(
    function: str,
    xp: Namespace,
    sink: float | Array | None,
    dtype: Any,
    shape: tuple[int, ...],
    query: Array,
) -> Array | None:
    if sink is None:
        return None
    if isinstance(sink, int | float):
        return xp.zeros_like(query[..., :1, :1], dtype=dtype) + sink
    check_floating(function, {"sink": sink})
    check_broadcast(function, "sink", sink, "(..., heads)", shape[:-2])
    return xp.astype(sink, dtype)[..., None, None]
