"""attention_ref: what the right answer is, for attention.

The names stand in teaching order.
"""

# ruff: noqa: I001, RUF022 - teaching order, not the alphabet's
from attention_ref._softmax import softmax, log_sum_exp
from attention_ref._conventions import (
    bias_from_mask,
    change_rotary_layout,
    from_key_padding_mask,
    heads_before_length,
    length_before_heads,
    to_torch_attn_mask,
    window_from_flash_attention,
    window_from_size,
)
from attention_ref._dot_product import (
    attention_weights,
    scaled_dot_product_attention,
    attention_with_log_sum_exp,
)
from attention_ref._torch_layer import projections_from_torch
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
from attention_ref._checks import ShapeError

__all__ = [
    "AdditiveProjections",
    "AttentionTrace",
    "HeadProjections",
    "KeyValueCache",
    "ShapeError",
    "additive_attention",
    "additive_scores",
    "alibi_bias",
    "alibi_slopes",
    "attention_weights",
    "attention_with_log_sum_exp",
    "bias_from_mask",
    "causal_mask",
    "change_rotary_layout",
    "document_mask",
    "from_key_padding_mask",
    "heads_before_length",
    "kernel_regression",
    "length_before_heads",
    "log_sum_exp",
    "merge_heads",
    "multi_head_attention",
    "padding_mask",
    "position_mask",
    "positions_from_documents",
    "positions_from_mask",
    "prefix_mask",
    "projections_from_torch",
    "rotary_embedding",
    "rotate_pairs",
    "scaled_dot_product_attention",
    "sinusoidal_positions",
    "sliding_window_mask",
    "softmax",
    "split_heads",
    "to_torch_attn_mask",
    "trace_attention",
    "window_from_flash_attention",
    "window_from_size",
]
