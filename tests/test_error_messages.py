"""The whole text of every message about a shape or an argument.

Each says which function, which argument, the rule, what came instead, what to do.
"""

# ruff: noqa: E501 - a message is easier to compare when it is broken at its sentences
import ast
import re
import traceback
from pathlib import Path

import numpy as np
import pytest
import torch

import attention_ref as ar
from attention_ref import ShapeError
from attention_ref import _checks as checks

# Whoever adds a file of checks adds its cases here, or tests its messages beside the
# functions that it belongs to.
TESTED_ELSEWHERE = {"pictures.py", "conventions.py"}


def ones(*shape, dtype=np.float64):
    """Return an array of ones."""
    return np.ones(shape, dtype)


def sdpa(query=None, key=None, value=None, **options):
    """Attend with arrays that fit, but for those that are given."""
    query = ones(2, 3, 5, 7) if query is None else query
    key = ones(2, 3, 11, 7) if key is None else key
    value = ones(2, 3, 11, 13) if value is None else value
    return ar.scaled_dot_product_attention(query, key, value, **options)


def heads(num_heads=2, query=None, **changed):
    """Attend with several heads through projections that fit, but for the changed."""
    weights = {
        "query": ones(6, 4),
        "key": ones(6, 4),
        "value": ones(6, 4),
        "output": ones(4, 3),
    }
    projections = ar.HeadProjections(**weights | changed)
    query = ones(5, 6) if query is None else query
    return ar.multi_head_attention(
        query, ones(5, 6), ones(5, 6), projections, num_heads=num_heads
    )


def additive(query=None, key=None, **changed):
    """Compare additively with projections that fit, but for the changed."""
    weights = {"query": ones(3, 7), "key": ones(5, 7), "output": ones(7)}
    projections = ar.AdditiveProjections(**weights | changed)
    query = ones(2, 3) if query is None else query
    key = ones(4, 5) if key is None else key
    return ar.additive_scores(query, key, projections)


def merge(*shapes):
    """Merge outputs of the first shapes with log-sum-exps of the others."""
    half = len(shapes) // 2
    arrays = [ones(*shape) for shape in shapes]
    return ar.merge_partial_results(arrays[:half], arrays[half:])


def filled():
    """Return a cache of two tokens."""
    return ar.KeyValueCache().append(ones(2, 3, 2, 7), ones(2, 3, 2, 7))


S = "scaled_dot_product_attention: "

CASES = [
    # What is no array, or has another home.
    (
        lambda: sdpa([[1.0]]),
        TypeError,
        (
            f"{S}query must be an array, got list. "
            "Make one with numpy.asarray, torch.tensor or jax.numpy.asarray."
        ),
    ),
    (
        lambda: sdpa(key=torch.ones(2, 3, 11, 7)),
        TypeError,
        (
            f"{S}query and key must have the same array library, got numpy and torch. "
            "Convert one of them."
        ),
    ),
    (
        lambda: ar.scaled_dot_product_attention(
            torch.ones(2, 3), torch.ones(2, 3), torch.ones(2, 3, device="meta")
        ),
        ValueError,
        (
            f"{S}query and value must have the same device, got cpu and meta. "
            "Convert one of them."
        ),
    ),
    # Dtypes.
    (
        lambda: sdpa(query=ones(2, 3, 5, 7, dtype=int)),
        TypeError,
        (
            f"{S}query must be float16, bfloat16, float32 or float64, got int64. "
            "Convert it to one of them."
        ),
    ),
    (
        lambda: sdpa(
            query=ones(2, 3, 5, 7, dtype=np.float16),
            key=ones(2, 3, 11, 7).astype("bfloat16"),
        ),
        TypeError,
        (
            f"{S}query, key and value must have dtypes with a common type, "
            "got float16, bfloat16 and float64. Convert them to one dtype."
        ),
    ),
    (
        lambda: ar.softmax(ones(3, dtype=complex)),
        TypeError,
        (
            "softmax: scores must be float16, bfloat16, float32 or float64, "
            "got complex128. Convert it to one of them."
        ),
    ),
    # Shapes of query, key and value.
    (
        lambda: sdpa(query=ones(7)),
        ShapeError,
        (
            f"{S}query must have at least 2 axes (..., queries, width), got shape (7,). "
            "Add the missing axes with reshape."
        ),
    ),
    (
        lambda: sdpa(query=ones(2, 3, 5, 2)),
        ShapeError,
        (
            f"{S}query and key must have the same width, "
            "got query (2, 3, 5, 2) and key (2, 3, 11, 7). "
            "A query is compared with a key number by number."
        ),
    ),
    (
        lambda: sdpa(value=ones(2, 3, 13, 7)),
        ShapeError,
        (
            f"{S}key and value must have the same length, "
            "got key (2, 3, 11, 7) and value (2, 3, 13, 7). "
            "They describe the same positions."
        ),
    ),
    (
        lambda: sdpa(value=ones(2, 2, 11, 7)),
        ShapeError,
        (
            f"{S}key and value must have the same number of heads, "
            "got key (2, 3, 11, 7) and value (2, 2, 11, 7). Heads are axis -3."
        ),
    ),
    (
        lambda: sdpa(query=ones(2, 4, 5, 7)),
        ShapeError,
        (
            f"{S}key heads must divide query heads (axis -3), "
            "got query (2, 4, 5, 7) and key (2, 3, 11, 7). "
            "Each key head serves an equal group of query heads."
        ),
    ),
    (
        lambda: sdpa(query=ones(5, 3, 5, 7)),
        ShapeError,
        (
            f"{S}batch axes of query, key and value must broadcast together, got query "
            "(5, 3, 5, 7), key (2, 3, 11, 7) and value (2, 3, 11, 13). "
            "Batch axes are those before (heads, length, width)."
        ),
    ),
    (
        lambda: ar.kernel_regression(ones(2, 5, 1), ones(3, 7, 1), ones(7, 1)),
        ShapeError,
        (
            "kernel_regression: leading axes of query, key and value must broadcast "
            "together, got query (2, 5, 1), key (3, 7, 1) and value (7, 1). "
            "Leading axes are those before the last two."
        ),
    ),
    # Masks and biases.
    (
        lambda: sdpa(mask=ones(5, 11)),
        TypeError,
        (
            f"{S}mask must be boolean, True where a query may see a key, got float64. "
            "To add numbers to the scores, pass them as bias."
        ),
    ),
    (
        lambda: sdpa(mask=ones(5, 11, dtype=int)),
        TypeError,
        (
            f"{S}mask must be boolean, True where a query may see a key, got int64. "
            "Compare it, for instance mask != 0."
        ),
    ),
    (
        lambda: sdpa(mask=ones(11, 5, dtype=bool)),
        ShapeError,
        (
            f"{S}mask must broadcast to (..., queries, keys) = (2, 3, 5, 11), "
            "got (11, 5). Query positions come first; transpose it."
        ),
    ),
    (
        lambda: sdpa(mask=ones(11, 11, dtype=bool)),
        ShapeError,
        (
            f"{S}mask must broadcast to (..., queries, keys) = (2, 3, 5, 11), "
            "got (11, 11). Make each axis as long as that one, or 1."
        ),
    ),
    (
        lambda: sdpa(mask=ones(3, dtype=bool)),
        ShapeError,
        (
            f"{S}mask must broadcast to (..., queries, keys) = (2, 3, 5, 11), "
            "got (3,). Make each axis as long as that one, or 1."
        ),
    ),
    (
        lambda: sdpa(mask=ones(1, 2, 3, 5, 11, dtype=bool)),
        ShapeError,
        (
            f"{S}mask must broadcast to (..., queries, keys) = (2, 3, 5, 11), "
            "got (1, 2, 3, 5, 11). It has more axes than the scores; take one away."
        ),
    ),
    (
        lambda: sdpa(bias=ones(5, 11, dtype=bool)),
        TypeError,
        (
            f"{S}bias must be floating, to be added to the scores, got bool. "
            "To hide keys, pass it as mask."
        ),
    ),
    (
        lambda: sdpa(bias=ones(5, 11, dtype=int)),
        TypeError,
        (
            f"{S}bias must be float16, bfloat16, float32 or float64, got int64. "
            "Convert it to one of them."
        ),
    ),
    (
        lambda: sdpa(bias=ones(5, 3)),
        ShapeError,
        (
            f"{S}bias must broadcast to (..., queries, keys) = (2, 3, 5, 11), "
            "got (5, 3). Make each axis as long as that one, or 1."
        ),
    ),
    (
        lambda: sdpa(sink=ones(2)),
        ShapeError,
        (
            f"{S}sink must broadcast to (..., heads) = (2, 3), got (2,). "
            "Make each axis as long as that one, or 1."
        ),
    ),
    (
        lambda: sdpa(sink=ones(3, dtype=int)),
        TypeError,
        (
            f"{S}sink must be float16, bfloat16, float32 or float64, got int64. "
            "Convert it to one of them."
        ),
    ),
    (
        lambda: ar.attention_weights(
            ones(5, 7), ones(11, 7), mask=ones(11, 5, dtype=bool)
        ),
        ShapeError,
        (
            "attention_weights: mask must broadcast to (..., queries, keys) = (5, 11), "
            "got (11, 5). Query positions come first; transpose it."
        ),
    ),
    (
        lambda: ar.kernel_regression(ones(5, 2), ones(7, 3), ones(7, 1)),
        ShapeError,
        (
            "kernel_regression: query and key must have the same width, "
            "got query (5, 2) and key (7, 3). "
            "A query is compared with a key number by number."
        ),
    ),
    (
        lambda: ar.merge_partial_results([ones(2, 1)], [ones(2, dtype=int)]),
        TypeError,
        (
            "merge_partial_results: log_sum_exps[0] must be float16, bfloat16, float32 "
            "or float64, got int64. Convert it to one of them."
        ),
    ),
    (
        lambda: ar.merge_partial_results([ones(2, 1)], [[1.0, 1.0]]),
        TypeError,
        (
            "merge_partial_results: log_sum_exps[0] must be an array, got list. "
            "Make one with numpy.asarray, torch.tensor or jax.numpy.asarray."
        ),
    ),
    (
        lambda: ar.kernel_regression(ones(5, 2), ones(7, 2), ones(11, 1)),
        ShapeError,
        (
            "kernel_regression: key and value must have the same length, "
            "got key (7, 2) and value (11, 1). They describe the same positions."
        ),
    ),
    (
        lambda: ar.padding_mask(3, 5),
        TypeError,
        (
            "padding_mask: lengths must be an array, got int. "
            "Make one with numpy.asarray, torch.tensor or jax.numpy.asarray."
        ),
    ),
    (
        lambda: filled().attend(ones(2, 7)),
        ShapeError,
        (
            "attend: query must have at least 3 axes (..., heads, queries, width), "
            "got shape (2, 7). Add the missing axes with reshape."
        ),
    ),
    (
        lambda: ar.rotate_pairs(
            ones(2, 4, dtype=np.float16),
            *[ones(2, 2).astype("bfloat16")] * 2,
            layout="half",
        ),
        TypeError,
        (
            "rotate_pairs: x, cosine and sine must have dtypes with a common type, "
            "got float16, bfloat16 and bfloat16. Convert them to one dtype."
        ),
    ),
    (
        lambda: ar.multi_head_attention(
            *[ones(5, 6)] * 3,
            ar.HeadProjections(ones(6, 0), ones(6, 0), ones(6, 4), ones(4, 3)),
            num_heads=2,
        ),
        ShapeError,
        (
            "multi_head_attention: columns of projections.key must be a multiple of "
            "the width of a query head = 0, got shape (6, 0). "
            "All heads have the same width, and it is not 0."
        ),
    ),
    (
        lambda: ar.linear_attention(ones(5, 2), ones(7, 2), ones(7, 1), causal=True),
        ValueError,
        (
            'linear_attention: causal must be "upper-left" or "lower-right" if the '
            "lengths differ, got 5 queries and 7 keys. Choose where the diagonal starts."
        ),
    ),
    (
        lambda: sdpa(softcap=np.asarray(0.0)),
        ValueError,
        (
            f"{S}softcap must be None or a positive finite number, got 0.0. "
            "Leave it out if you want the default."
        ),
    ),
    (
        lambda: ar.linear_attention(*[ones(5, 2)] * 3, feature_map=np.ndarray.tolist),
        ShapeError,
        (
            "linear_attention: feature_map must return the shape (..., features) "
            "of (5, 2), got list. Only the last axis may change."
        ),
    ),
    (
        lambda: ar.rotate_pairs(
            ones(3, 4), ones(1, 1, 3), ones(1, 1, 3), layout="half"
        ),
        ShapeError,
        (
            "rotate_pairs: cosine and sine must have the same number of pairs, "
            "at most half the width of x = 4, got cosine (1, 1, 3) and sine (1, 1, 3). "
            "Each pair has one angle."
        ),
    ),
    (
        lambda: ar.blockwise_attention(
            *[ones(5, 2)] * 3, mask=lambda *_: torch.ones(5, 5, dtype=torch.bool)
        ),
        TypeError,
        (
            "blockwise_attention: query positions and mask must have the same array "
            "library, got numpy and torch. Convert one of them."
        ),
    ),
    (
        lambda: ar.blockwise_attention(
            *[ones(5, 2)] * 3, mask=lambda *_: ones(2, 5, 5, dtype=bool)
        ),
        ShapeError,
        (
            "blockwise_attention: mask must broadcast to (..., queries, keys) = (5, 5), "
            "got (2, 5, 5). It has more axes than the scores; take one away."
        ),
    ),
    (
        lambda: ar.merge_partial_results(
            [ones(2, 1, dtype=np.float16)], [ones(2).astype("bfloat16")]
        ),
        TypeError,
        (
            "merge_partial_results: outputs[0] and log_sum_exps[0] must have dtypes "
            "with a common type, got float16 and bfloat16. Convert them to one dtype."
        ),
    ),
    (
        lambda: ar.change_rotary_layout(
            ones(2, 3), source="half", target="interleaved"
        ),
        ShapeError,
        (
            "change_rotary_layout: width must be even and at most the width of x = 3, "
            "got 3. Numbers are rotated in pairs."
        ),
    ),
    (
        lambda: filled().attend([1.0]),
        TypeError,
        (
            "attend: query must be an array, got list. "
            "Make one with numpy.asarray, torch.tensor or jax.numpy.asarray."
        ),
    ),
    (
        lambda: filled().attend(torch.ones(2, 3, 1, 7)),
        TypeError,
        (
            "attend: query and the cache must have the same array library, "
            "got torch and numpy. Convert one of them."
        ),
    ),
    # Options.
    (
        lambda: sdpa(causal=True),
        ValueError,
        (
            f'{S}causal must be "upper-left" or "lower-right" if the lengths differ, '
            "got 5 queries and 11 keys. Choose where the diagonal starts."
        ),
    ),
    (
        lambda: sdpa(causal="lower"),
        ValueError,
        (
            f'{S}causal must be None, True, "upper-left" or "lower-right", got \'lower\'. '
            "Choose one of them."
        ),
    ),
    (
        lambda: sdpa(causal=1),
        ValueError,
        (
            f'{S}causal must be None, True, "upper-left" or "lower-right", got 1. '
            "Choose one of them."
        ),
    ),
    (
        lambda: ar.causal_mask(2, 3),
        ValueError,
        (
            'causal_mask: alignment must be "upper-left" or "lower-right" if the lengths '
            "differ, got 2 queries and 3 keys. Choose where the diagonal starts."
        ),
    ),
    (
        lambda: ar.causal_mask(3, alignment=False),
        ValueError,
        (
            'causal_mask: alignment must be None, True, "upper-left" or "lower-right", '
            "got False. Choose one of them."
        ),
    ),
    (
        lambda: sdpa(scale=float("nan")),
        ValueError,
        (
            f"{S}scale must be None or a finite number, got nan. "
            "Leave it out if you want the default."
        ),
    ),
    (
        lambda: sdpa(scale="1"),
        TypeError,
        f"{S}scale must be None or a finite number, got str. Pass one number.",
    ),
    (
        lambda: sdpa(scale=ones(3)),
        ShapeError,
        (
            f"{S}scale must be None or a finite number, got an array of shape (3,). "
            "Pass one number."
        ),
    ),
    (
        lambda: sdpa(scale=np.asarray(np.nan)),
        ValueError,
        (
            f"{S}scale must be None or a finite number, got nan. "
            "Leave it out if you want the default."
        ),
    ),
    (
        lambda: sdpa(softcap=0),
        ValueError,
        (
            f"{S}softcap must be None or a positive finite number, got 0. "
            "Leave it out if you want the default."
        ),
    ),
    (
        lambda: sdpa(softcap=True),
        TypeError,
        (
            f"{S}softcap must be None or a positive finite number, got bool. "
            "Pass one number."
        ),
    ),
    (
        lambda: sdpa(sink=float("nan")),
        ValueError,
        f"{S}sink must not be NaN, got nan. Minus infinity is no sink.",
    ),
    (
        lambda: sdpa(sink=True),
        TypeError,
        f"{S}sink must be a number or an array, got bool. Pass one number.",
    ),
    (
        lambda: sdpa(softcap=np.asarray(-1.0)),
        ValueError,
        (
            f"{S}softcap must be None or a positive finite number, got -1.0. "
            "Leave it out if you want the default."
        ),
    ),
    (
        lambda: ar.kernel_regression(*[ones(2, 1)] * 3, bandwidth=None),
        TypeError,
        (
            "kernel_regression: bandwidth must be a positive finite number, "
            "got NoneType. Pass one number."
        ),
    ),
    (
        lambda: ar.softmax(ones(2, 3), axis=2),
        ShapeError,
        (
            "softmax: axis must be one of the 2 axes of scores (2, 3), got 2. "
            "Count from 0, or from the end with -1."
        ),
    ),
    # Lengths and counts.
    (
        lambda: ar.causal_mask(2.0),
        TypeError,
        "causal_mask: query_length must be an integer, got float. It is a count.",
    ),
    (
        lambda: ar.causal_mask(3, -1),
        ValueError,
        "causal_mask: key_length must be at least 0, got -1. It is a count.",
    ),
    (
        lambda: ar.sliding_window_mask(3, left=-1),
        ValueError,
        "sliding_window_mask: left must be at least 0, got -1. It is a count.",
    ),
    (
        lambda: ar.padding_mask([1, 4], 3),
        ValueError,
        (
            "padding_mask: lengths must be between 0 and key_length = 3, got 4. "
            "A length counts the keys that are real."
        ),
    ),
    (
        lambda: ar.padding_mask(np.asarray([3, -1]), 3),
        ValueError,
        (
            "padding_mask: lengths must be between 0 and key_length = 3, got -1. "
            "A length counts the keys that are real."
        ),
    ),
    (
        lambda: ar.padding_mask([1.0], 3),
        TypeError,
        "padding_mask: lengths must be integers, got float64. Convert them to int64.",
    ),
    (
        lambda: ar.padding_mask(np.asarray(2), 3),
        ShapeError,
        (
            "padding_mask: lengths must have one axis (batch,), got shape (). "
            "Give one length for each sequence."
        ),
    ),
    (
        lambda: ar.blockwise_attention(*[ones(2, 1)] * 3, block_size=0),
        ValueError,
        "blockwise_attention: block_size must be at least 1, got 0. It is a count.",
    ),
    # Positions.
    (
        lambda: ar.document_mask(ones(3)),
        TypeError,
        (
            "document_mask: query_documents must be integers, got float64. "
            "Convert them to int64."
        ),
    ),
    (
        lambda: ar.positions_from_documents(np.asarray(3)),
        ShapeError,
        (
            "positions_from_documents: documents must have at least 1 axis (..., length), "
            "got shape (). Add the missing axes with reshape."
        ),
    ),
    (
        lambda: ar.position_mask(ones(2, 3, dtype=int), ones(5, 4, dtype=int)),
        ShapeError,
        (
            "position_mask: batch axes of query_positions and key_positions must "
            "broadcast together, got query_positions (2, 3) and key_positions (5, 4). "
            "Only the last axis is the length."
        ),
    ),
    (
        lambda: ar.positions_from_mask(ones(3)),
        TypeError,
        (
            "positions_from_mask: mask must be boolean, True where a token is real, "
            "got float64. Compare it, for instance mask != 0."
        ),
    ),
    (
        lambda: ar.sinusoidal_positions(np.arange(3), 5),
        ValueError,
        "sinusoidal_positions: width must be even, got 5. Numbers come in pairs.",
    ),
    (
        lambda: ar.sinusoidal_positions(np.arange(3), 4, base=-1),
        ValueError,
        (
            "sinusoidal_positions: base must be a positive finite number, got -1. "
            "Leave it out if you want the default."
        ),
    ),
    (
        lambda: ar.rotary_embedding(ones(5, 4), layout="neox"),
        ValueError,
        (
            'rotary_embedding: layout must be "half" or "interleaved", got \'neox\'. '
            "Choose one of them."
        ),
    ),
    (
        lambda: ar.rotary_embedding(ones(5, 3), layout="half"),
        ShapeError,
        (
            "rotary_embedding: width must be even and at most the width of x = 3, got 3. "
            "Numbers are rotated in pairs."
        ),
    ),
    (
        lambda: ar.rotary_embedding(
            ones(2, 3, 5, 4), ones(2, 5, dtype=int), layout="half"
        ),
        ShapeError,
        (
            "rotary_embedding: positions must broadcast to (..., length) = (2, 3, 5), "
            "got (2, 5). Make each axis as long as that one, or 1."
        ),
    ),
    (
        lambda: ar.rotate_pairs(ones(5, 4), ones(5, 3), ones(5, 3), layout="half"),
        ShapeError,
        (
            "rotate_pairs: cosine and sine must have the same number of pairs, at most "
            "half the width of x = 4, got cosine (5, 3) and sine (5, 3). "
            "Each pair has one angle."
        ),
    ),
    (
        lambda: ar.rotate_pairs(ones(5, 4), ones(1, 2), ones(3, 2), layout="half"),
        ShapeError,
        (
            "rotate_pairs: sine must broadcast to (..., length, pairs) = (5, 2), "
            "got (3, 2). Make each axis as long as that one, or 1."
        ),
    ),
    # Heads and projections.
    (
        lambda: ar.split_heads(ones(3, 10), 4),
        ShapeError,
        (
            "split_heads: width must divide into num_heads equal parts, "
            "got width 10 and num_heads 4. Use 1, 2, 5 or 10 heads."
        ),
    ),
    (
        lambda: ar.split_heads(ones(3, 10), True),
        TypeError,
        "split_heads: num_heads must be an integer, got bool. It is a count.",
    ),
    (
        lambda: ar.merge_heads(ones(3, 10)),
        ShapeError,
        (
            "merge_heads: x must have at least 3 axes (..., heads, length, width), "
            "got shape (3, 10). Add the missing axes with reshape."
        ),
    ),
    (
        lambda: heads(query=ones(6)),
        ShapeError,
        (
            "multi_head_attention: query must have at least 2 axes "
            "(..., length, model_width), got shape (6,). "
            "Add the missing axes with reshape."
        ),
    ),
    (
        lambda: heads(key=ones(4)),
        ShapeError,
        (
            "multi_head_attention: projections.key must have 2 axes (in, out), "
            "got shape (4,). x @ weight projects."
        ),
    ),
    (
        lambda: heads(value=ones(4, 6)),
        ShapeError,
        (
            "multi_head_attention: projections.value must have as many rows as value is "
            "wide = 6, got shape (4, 6). "
            "x @ weight projects; torch stores the transpose."
        ),
    ),
    (
        lambda: heads(output=ones(8, 3)),
        ShapeError,
        (
            "multi_head_attention: projections.output must have as many rows as the "
            "merged heads are wide = 4, got shape (8, 3). "
            "x @ weight projects; torch stores the transpose."
        ),
    ),
    (
        lambda: heads(key=ones(6, 3)),
        ShapeError,
        (
            "multi_head_attention: columns of projections.key must be a multiple of the "
            "width of a query head = 2, got shape (6, 3). All heads have the same width, and it is not 0."
        ),
    ),
    (
        lambda: heads(value=ones(6, 3)),
        ShapeError,
        (
            "multi_head_attention: columns of projections.value must be a multiple of the "
            "number of key heads = 2, got shape (6, 3). All heads have the same width, and it is not 0."
        ),
    ),
    (
        lambda: heads(key_bias=ones(3)),
        ShapeError,
        (
            "multi_head_attention: projections.key_bias must have shape (columns,) = (4,), "
            "got (3,). It has one number for each column of projections.key."
        ),
    ),
    # Additive attention.
    (
        lambda: additive(output=ones(7, 1)),
        ShapeError,
        (
            "additive_scores: projections.output must have one axis (hidden_width,), "
            "got shape (7, 1). It makes one score of the hidden numbers."
        ),
    ),
    (
        lambda: additive(key=None, query=ones(2, 4)),
        ShapeError,
        (
            "additive_scores: projections.query must have shape "
            "(query_width, hidden_width) = (4, 7), got (3, 7). "
            "x @ weight projects; torch stores the transpose."
        ),
    ),
    # A cache.
    (
        lambda: ar.KeyValueCache(left=-1),
        ValueError,
        "KeyValueCache: left must be at least 0, got -1. It is a count.",
    ),
    (
        lambda: filled().append(ones(2, 3, 2, 7), ones(2, 3, 1, 7)),
        ShapeError,
        (
            "append: key and value must have the same axes before the last, "
            "got key (2, 3, 2, 7) and value (2, 3, 1, 7). They describe the same tokens."
        ),
    ),
    (
        lambda: filled().append(ones(2, 2, 2, 7), ones(2, 2, 2, 7)),
        ShapeError,
        (
            "append: key must equal what is stored in all axes but the length, "
            "got (2, 2, 2, 7) and stored (2, 3, 2, 7). "
            "A cache belongs to one batch and one layer."
        ),
    ),
    (
        lambda: filled().append(ones(2, 3, 1, 7), ones(2, 3, 1, 7, dtype=np.float32)),
        TypeError,
        (
            "append: value must have the dtype of what is stored = float64, "
            "got float32. Convert it first."
        ),
    ),
    (
        lambda: filled().append(
            ones(2, 3, 1, 7), ones(2, 3, 1, 7), lengths=ones(3, dtype=int)
        ),
        ShapeError,
        (
            "append: lengths must have the batch axes of key = (2,), got (3,). "
            "Give one length for each sequence."
        ),
    ),
    (
        lambda: filled().append(
            ones(2, 3, 1, 7), ones(2, 3, 1, 7), lengths=np.asarray([1, 2])
        ),
        ValueError,
        (
            "append: lengths must be between 0 and the appended length = 1, got 1 to 2. "
            "They count the real tokens of this chunk."
        ),
    ),
    (
        lambda: ar.KeyValueCache().attend(ones(2, 3, 1, 7)),
        ValueError,
        (
            "attend: the cache must hold the tokens that ask, got an empty cache. "
            "Append their keys and values first."
        ),
    ),
    (
        lambda: filled().attend(ones(2, 3, 3, 7)),
        ShapeError,
        (
            "attend: query must not be longer than the cache = 2, got length 3. "
            "Append the keys and values of these tokens first."
        ),
    ),
    # Blocks, parts and features.
    (
        lambda: ar.blockwise_attention(*[ones(3, 1)] * 3, mask=lambda i, j: i - j),
        TypeError,
        (
            "blockwise_attention: mask must be boolean, True where a query may see a key, "
            "got int64. Compare it, for instance mask != 0."
        ),
    ),
    (
        lambda: ar.blockwise_attention(*[ones(3, 1)] * 3, mask=lambda *_: True),
        TypeError,
        (
            "blockwise_attention: mask must be an array, got bool. "
            "Make one with numpy.asarray, torch.tensor or jax.numpy.asarray."
        ),
    ),
    (
        lambda: merge((2, 3), (2, 3), (2,), (3,)),
        ShapeError,
        (
            "merge_partial_results: log_sum_exps[1] must have the shape that outputs[0] "
            "asks for = (2,), got (3,). All parts belong to the same queries."
        ),
    ),
    (
        lambda: merge((2, 3), (1, 3), (2,), (2,)),
        ShapeError,
        (
            "merge_partial_results: outputs[1] must have the shape that outputs[0] "
            "asks for = (2, 3), got (1, 3). All parts belong to the same queries."
        ),
    ),
    (
        lambda: merge(),
        ValueError,
        (
            "merge_partial_results: outputs and log_sum_exps must be as many, at least 1, "
            "got 0 and 0. Give both for each part of the keys."
        ),
    ),
    (
        lambda: ar.merge_partial_results([1.0], [ones(2)]),
        TypeError,
        (
            "merge_partial_results: outputs[0] must be an array, got float. "
            "Make one with numpy.asarray, torch.tensor or jax.numpy.asarray."
        ),
    ),
    (
        lambda: ar.linear_attention(*[ones(3, 1)] * 3, mask=ones(3, 3, dtype=bool)),
        ShapeError,
        (
            "linear_attention: mask must broadcast to (..., queries, keys) = (1, 3), "
            "got (3, 3). Make each axis as long as that one, or 1."
        ),
    ),
    (
        lambda: ar.linear_attention(*[ones(3, 2)] * 3, feature_map=np.sum),
        ShapeError,
        (
            "linear_attention: feature_map must return the shape (..., features) of "
            "(3, 2), got (). Only the last axis may change."
        ),
    ),
]


@pytest.mark.parametrize(
    ("call", "kind", "text"), CASES, ids=[text[:60] for _, _, text in CASES]
)
def test_the_message_is(call, kind, text):
    with pytest.raises(kind) as caught:
        call()

    assert type(caught.value) is kind
    assert str(caught.value) == text


def test_every_message_has_the_one_form():
    form = re.compile(r"^[\w]+: .+ must .+, got .+\. .+\.$")

    assert [text for _, _, text in CASES if not form.match(text)] == []


def test_every_place_that_refuses_is_tested():
    folder = Path(checks.__file__).parent
    written = {
        (path.name, node.lineno)
        for path in folder.glob("*.py")
        if path.name not in TESTED_ELSEWHERE
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "refuse"
    }
    reached = set()
    for call, _, _ in CASES:
        with pytest.raises((TypeError, ValueError)) as caught:
            call()
        frame = traceback.extract_tb(caught.tb)[-2]
        reached.add((Path(frame.filename).name, frame.lineno))

    assert len(written) > 30
    assert written - reached == set()


def test_nothing_but_the_checks_raises():
    package = Path(ar.__file__).parent
    raising = [
        path.name
        for path in package.glob("_*.py")
        if any(
            isinstance(node, ast.Raise)
            for node in ast.walk(ast.parse(path.read_text()))
        )
    ]

    assert raising == []


def test_one_name_is_listed_by_itself():
    assert checks.wording.listed(["query"]) == "query"
    assert checks.wording.listed(["query", "key"]) == "query and key"
