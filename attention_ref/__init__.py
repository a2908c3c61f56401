"""attention_ref: what the right answer is, for attention.

The names stand in teaching order.
"""

# ruff: noqa: I001, RUF022 - teaching order, not the alphabet's
from attention_ref._softmax import softmax, log_sum_exp
from attention_ref._dot_product import (
    attention_weights,
    scaled_dot_product_attention,
    attention_with_log_sum_exp,
)
from attention_ref._trace import AttentionTrace, trace_attention
from attention_ref._masks import (
    causal_mask,
    padding_mask,
    sliding_window_mask,
    prefix_mask,
)
from attention_ref._position_masks import document_mask, position_mask
from attention_ref._heads import (
    split_heads,
    merge_heads,
    HeadProjections,
    multi_head_attention,
)
from attention_ref._additive import (
    AdditiveProjections,
    additive_scores,
    additive_attention,
)
from attention_ref._kernel_regression import kernel_regression
from attention_ref._positions import (
    sinusoidal_positions,
    positions_from_mask,
    positions_from_documents,
)
from attention_ref._rotary import rotary_embedding, rotate_pairs
from attention_ref._alibi import alibi_slopes, alibi_bias
from attention_ref._cache import KeyValueCache
from attention_ref._conventions import (
    from_key_padding_mask,
    to_torch_attn_mask,
    bias_from_mask,
    heads_before_length,
    length_before_heads,
    change_rotary_layout,
    window_from_size,
    window_from_flash_attention,
)
from attention_ref._torch_layer import projections_from_torch
from attention_ref._blockwise import blockwise_attention, merge_partial_results
from attention_ref._linear import linear_attention
from attention_ref._checks import ShapeError

__all__ = [
    "softmax",
    "log_sum_exp",
    "attention_weights",
    "scaled_dot_product_attention",
    "attention_with_log_sum_exp",
    "AttentionTrace",
    "trace_attention",
    "causal_mask",
    "padding_mask",
    "sliding_window_mask",
    "prefix_mask",
    "document_mask",
    "position_mask",
    "split_heads",
    "merge_heads",
    "HeadProjections",
    "multi_head_attention",
    "AdditiveProjections",
    "additive_scores",
    "additive_attention",
    "kernel_regression",
    "sinusoidal_positions",
    "positions_from_mask",
    "positions_from_documents",
    "rotary_embedding",
    "rotate_pairs",
    "alibi_slopes",
    "alibi_bias",
    "KeyValueCache",
    "from_key_padding_mask",
    "to_torch_attn_mask",
    "bias_from_mask",
    "heads_before_length",
    "length_before_heads",
    "change_rotary_layout",
    "window_from_size",
    "window_from_flash_attention",
    "projections_from_torch",
    "blockwise_attention",
    "merge_partial_results",
    "linear_attention",
    "ShapeError",
]
