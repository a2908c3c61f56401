"""One valid call of every public function, with every array that it can take.

Tests of what all functions have in common go through these: whose errors they are,
and on which device their results lie.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import attention_ref as ar

if TYPE_CHECKING:
    from collections.abc import Callable

BATCH, HEADS, QUERIES, KEYS, WIDTH, VALUE_WIDTH = 2, 4, 3, 5, 6, 7


def floats(*shape: int) -> np.ndarray:
    """An array of floats without two that are equal."""
    return np.linspace(-1.0, 1.0, int(np.prod(shape))).reshape(shape)


def typical_calls() -> dict[str, tuple[Callable[..., Any], dict[str, Any]]]:
    """Each function with arguments that it accepts, by the name in its messages."""
    query, key = floats(BATCH, HEADS, QUERIES, WIDTH), floats(BATCH, 2, KEYS, WIDTH)
    value = floats(BATCH, 2, KEYS, VALUE_WIDTH)
    some = np.arange(KEYS) < [[4], [3]]
    options = {
        "mask": some[:, None, None, :],
        "bias": floats(HEADS, QUERIES, KEYS),
        "causal": "lower-right",
        "scale": 0.5,
        "softcap": 3.0,
        "sink": floats(HEADS),
    }
    compared = {"query": query, "key": key}
    attended = {**compared, "value": value}
    lengths = {"query_length": QUERIES, "key_length": KEYS, "alignment": "lower-right"}
    arguments = {
        ar.softmax: {"scores": query, "axis": 1},
        ar.log_sum_exp: {"scores": query, "axis": 1},
        ar.scaled_dot_product_attention: attended | options,
        ar.attention_weights: compared | options,
        ar.attention_with_log_sum_exp: attended | options,
        ar.trace_attention: attended | options,
        ar.blockwise_attention: attended | options | {"block_size": 2},
        ar.causal_mask: lengths | {"like": query},
        ar.sliding_window_mask: lengths | {"left": 1, "right": 1, "like": query},
        ar.prefix_mask: lengths | {"prefix_length": 2, "like": query},
        ar.padding_mask: {"lengths": np.asarray([4, 3]), "key_length": KEYS},
        ar.document_mask: {
            "query_documents": np.asarray([0, 1, 1]),
            "key_documents": np.asarray([0, 0, 1]),
        },
        ar.position_mask: {
            "query_positions": np.asarray([0, 1, 1]),
            "key_positions": np.asarray([0, 0, 1]),
            "left": 1,
            "right": 1,
        },
        ar.split_heads: {"x": floats(BATCH, QUERIES, WIDTH), "num_heads": 2},
        ar.merge_heads: {"x": query},
        ar.heads_before_length: {"x": query},
        ar.length_before_heads: {"x": query},
        ar.multi_head_attention: _multi_head_arguments(),
        ar.additive_scores: _additive_arguments(),
        ar.additive_attention: {
            **_additive_arguments(),
            "value": floats(BATCH, KEYS, VALUE_WIDTH),
            "mask": some[:, None, :],
        },
        ar.kernel_regression: {
            "query": floats(BATCH, QUERIES, WIDTH),
            "key": floats(BATCH, KEYS, WIDTH),
            "value": floats(BATCH, KEYS, VALUE_WIDTH),
            "bandwidth": 0.5,
            "mask": some[:, None, :],
        },
        ar.linear_attention: attended | {"mask": some[:, None, None, :]},
        ar.sinusoidal_positions: {
            "positions": np.arange(QUERIES),
            "width": WIDTH,
            "base": 100.0,
            "like": query,
        },
        ar.positions_from_mask: {"mask": some},
        ar.positions_from_documents: {"documents": np.asarray([0, 0, 1])},
        ar.rotary_embedding: {
            "x": query,
            "positions": np.arange(QUERIES),
            "layout": "half",
            "base": 100.0,
            "width": 4,
        },
        ar.rotate_pairs: {
            "x": query,
            "cosine": floats(QUERIES, 2),
            "sine": floats(QUERIES, 2),
            "layout": "half",
        },
        ar.change_rotary_layout: {
            "x": query,
            "source": "half",
            "target": "interleaved",
        },
        ar.alibi_slopes: {"num_heads": HEADS, "like": query},
        ar.alibi_bias: lengths | {"num_heads": HEADS, "like": query},
        ar.from_key_padding_mask: {"key_padding_mask": some},
        ar.to_torch_attn_mask: {
            "mask": np.broadcast_to(some[:, None, None, :], (BATCH, HEADS, 3, KEYS))
        },
        ar.bias_from_mask: {"mask": some, "like": query},
        ar.window_from_size: {"size": 2},
    }
    calls = {f.__name__: (f, given) for f, given in arguments.items()}
    calls["append"] = (_append, {"key": key, "value": value, "lengths": [4, 3]})
    calls["append"][1]["lengths"] = np.asarray([4, 3])
    return calls


def _append(**arguments: Any) -> Any:
    return ar.KeyValueCache().append(**arguments)


def _multi_head_arguments() -> dict[str, Any]:
    fields = ar.HeadProjections._fields
    shapes = {name: (WIDTH,) if "bias" in name else (WIDTH, WIDTH) for name in fields}
    return {
        "query": floats(BATCH, QUERIES, WIDTH),
        "key": floats(BATCH, KEYS, WIDTH),
        "value": floats(BATCH, KEYS, WIDTH),
        "projections": ar.HeadProjections(
            **{name: floats(*shape) for name, shape in shapes.items()}
        ),
        "num_heads": 2,
        "bias": floats(QUERIES, KEYS),
        "softcap": 3.0,
    }


def _additive_arguments() -> dict[str, Any]:
    return {
        "query": floats(BATCH, QUERIES, WIDTH),
        "key": floats(BATCH, KEYS, 3),
        "projections": ar.AdditiveProjections(
            floats(WIDTH, 11), floats(3, 11), floats(11)
        ),
    }


def with_arrays(convert: Callable[[np.ndarray], Any], given: Any) -> Any:
    """The same arguments with every array converted, those in tuples too."""
    if isinstance(given, np.ndarray):
        return convert(given)
    if isinstance(given, dict):
        return {name: with_arrays(convert, each) for name, each in given.items()}
    if isinstance(given, tuple):
        return type(given)(*(with_arrays(convert, each) for each in given))
    return given
