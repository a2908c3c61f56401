"""What may be appended to a cache, and what may ask it."""

from attention_ref._arrays import Array, Shape, dtype_name, known_to_hold, namespace
from attention_ref._checks.arrays import check_arrays, check_axes, check_floating
from attention_ref._checks.numbers import check_integers
from attention_ref._checks.wording import ShapeError, refuse


def check_appended(
    function: str,
    key: Array,
    value: Array,
    stored_key: Array | None,
    stored_value: Array | None,
) -> None:
    """Require keys and values that fit each other and what is stored."""
    check_arrays(function, {"key": key, "value": value, "the cache": stored_key})
    check_floating(function, {"key": key, "value": value})
    check_axes(function, "key", key, "..., key_heads, length, width", 3)
    if tuple(key.shape[:-1]) != tuple(value.shape[:-1]):
        refuse(
            ShapeError,
            function,
            "key and value must have the same axes before the last",
            f"key {tuple(key.shape)} and value {tuple(value.shape)}",
            "They describe the same tokens.",
        )
    _check_fits(function, "key", key, stored_key)
    _check_fits(function, "value", value, stored_value)


def _check_fits(function: str, name: str, new: Array, stored: Array | None) -> None:
    if stored is None:
        return
    if _without_length(new) != _without_length(stored):
        refuse(
            ShapeError,
            function,
            f"{name} must equal what is stored in all axes but the length",
            f"{tuple(new.shape)} and stored {tuple(stored.shape)}",
            "A cache belongs to one batch and one layer.",
        )
    if new.dtype != stored.dtype:
        refuse(
            TypeError,
            function,
            f"{name} must have the dtype of what is stored = "
            f"{dtype_name(stored.dtype)}",
            dtype_name(new.dtype),
            "Convert it first.",
        )


def _without_length(array: Array) -> Shape:
    return (*array.shape[:-2], array.shape[-1])


def check_chunk_lengths(function: str, lengths: Array, key: Array) -> None:
    """Require one length for each sequence, none longer than the chunk."""
    check_arrays(function, {"key": key, "lengths": lengths})
    check_integers(function, "lengths", lengths)
    batch, length = tuple(key.shape[:-3]), key.shape[-2]
    if tuple(lengths.shape) != batch:
        refuse(
            ShapeError,
            function,
            f"lengths must have the batch axes of key = {batch}",
            tuple(lengths.shape),
            "Give one length for each sequence.",
        )
    xp = namespace(lengths)
    if known_to_hold(xp.any((lengths < 0) | (lengths > length))):
        refuse(
            ValueError,
            function,
            f"lengths must be between 0 and the appended length = {length}",
            f"{int(xp.min(lengths))} to {int(xp.max(lengths))}",
            "They count the real tokens of this chunk.",
        )


def check_cached_query(function: str, query: Array, positions: Array | None) -> None:
    """Require a cache that holds the tokens that ask."""
    if positions is None:
        refuse(
            ValueError,
            function,
            "the cache must hold the tokens that ask",
            "an empty cache",
            "Append their keys and values first.",
        )
    check_arrays(function, {"query": query, "the cache": positions})
    check_axes(function, "query", query, "..., heads, queries, width", 3)
    slots = positions.shape[-1]
    if query.shape[-2] > slots:
        refuse(
            ShapeError,
            function,
            f"query must not be longer than the cache = {slots}",
            f"length {query.shape[-2]}",
            "Append the keys and values of these tokens first.",
        )
