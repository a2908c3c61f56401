"""ONNX's attention operators, expressed with `attention_ref`.

Each function takes the operator's inputs as a mapping from the schema's formal
names to NumPy arrays, and the attributes that the node sets, and returns the
outputs by their formal names. The operators are those of opset 23 to 25:
https://onnx.ai/onnx/operators/onnx__Attention.html and its neighbours.

What the operators decide differently is translated here, and only here: heads
packed into the last axis, a float mask that is added, a mask that may be shorter
than the keys, a causal diagonal behind whatever the cache holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import attention_ref as ar

Arrays = Mapping[str, np.ndarray]

# What the fourth output shows, by the attribute qk_matmul_output_mode.
TRACED = {0: "scaled", 1: "capped", 2: "masked", 3: "weights"}


def run_attention(
    inputs: Arrays, attributes: Mapping[str, Any]
) -> dict[str, np.ndarray]:
    """Compute every output of Attention."""
    query, key, value = (inputs[name] for name in "QKV")
    packed_heads = query.ndim == 3
    if packed_heads:
        query = ar.split_heads(query, attributes["q_num_heads"])
        key = ar.split_heads(key, attributes["kv_num_heads"])
        value = ar.split_heads(value, attributes["kv_num_heads"])
    if "past_key" in inputs:
        key = np.concatenate((inputs["past_key"], key), axis=-2)
        value = np.concatenate((inputs["past_value"], value), axis=-2)

    given, bias = _given_mask(inputs, key.shape[-2])
    mask = _positions_mask(inputs, attributes, query.shape[-2], key.shape[-2])
    trace = ar.trace_attention(
        query,
        key,
        value,
        mask=mask if given is None else mask & given,
        bias=bias,
        scale=attributes.get("scale"),
        softcap=attributes.get("softcap") or None,
    )
    output = trace.output
    traced = getattr(trace, TRACED[attributes.get("qk_matmul_output_mode", 0)])
    return {
        "Y": ar.merge_heads(output) if packed_heads else output,
        "present_key": key,
        "present_value": value,
        "qk_matmul_output": traced.astype(query.dtype),
    }


def _given_mask(
    inputs: Arrays, key_length: int
) -> tuple[np.ndarray | None, np.ndarray | None]:
    """The input `attn_mask` as a boolean mask or as a bias; beyond it all is hidden."""
    if "attn_mask" not in inputs:
        return None, None
    given = inputs["attn_mask"]
    hidden = False if given.dtype == np.bool_ else -np.inf
    missing = key_length - given.shape[-1]
    widths = [(0, 0)] * (given.ndim - 1) + [(0, missing)]
    padded = np.pad(given, widths, constant_values=hidden)
    return (padded, None) if given.dtype == np.bool_ else (None, padded)


def _positions_mask(
    inputs: Arrays, attributes: Mapping[str, Any], query_length: int, key_length: int
) -> np.ndarray:
    """What causality, window and number of valid keys allow together."""
    positions = np.arange(query_length)
    lengths = inputs.get("nonpad_kv_seqlen")
    if "past_key" in inputs:
        positions = positions + inputs["past_key"].shape[-2]
    elif lengths is not None:
        positions = positions + lengths[:, None] - query_length
    mask = ar.position_mask(
        positions,
        np.arange(key_length),
        left=_side(attributes.get("left_window_size", -1)),
        right=(
            0
            if attributes.get("is_causal", 0)
            else _side(attributes.get("right_window_size", -1))
        ),
    )
    return mask if lengths is None else mask & ar.padding_mask(lengths, key_length)


def _side(size: int) -> int | None:
    """One side of a window; the operator says -1 for a side without an end."""
    return None if size < 0 else size


def run_rotary_embedding(
    inputs: Arrays, attributes: Mapping[str, Any]
) -> dict[str, np.ndarray]:
    """Compute the output of RotaryEmbedding."""
    x, cosine, sine = (inputs[name] for name in ("X", "cos_cache", "sin_cache"))
    if "position_ids" in inputs:
        cosine, sine = (cache[inputs["position_ids"]] for cache in (cosine, sine))
    packed_heads = x.ndim == 3
    if packed_heads:
        x = ar.split_heads(x, attributes["num_heads"])
    layout = "interleaved" if attributes.get("interleaved", 0) else "half"
    heads_axis = -3
    output = ar.rotate_pairs(
        x,
        np.expand_dims(cosine, heads_axis),
        np.expand_dims(sine, heads_axis),
        layout=layout,
    )
    return {"Y": ar.merge_heads(output) if packed_heads else output}
