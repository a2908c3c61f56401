"""attention_ref: what the right answer is, for attention.

The names stand in teaching order.
"""

from attention_ref._softmax import softmax, log_sum_exp  # isort: skip
from attention_ref._checks import ShapeError
from attention_ref._dot_product import (
    attention_weights,
    attention_with_log_sum_exp,
    scaled_dot_product_attention,
)
from attention_ref._heads import (
    HeadProjections,
    merge_heads,
    multi_head_attention,
    split_heads,
)
from attention_ref._masks import causal_mask, padding_mask
from attention_ref._trace import AttentionTrace, trace_attention

__all__ = [
    "AttentionTrace",
    "HeadProjections",
    "ShapeError",
    "attention_weights",
    "attention_with_log_sum_exp",
    "causal_mask",
    "log_sum_exp",
    "merge_heads",
    "multi_head_attention",
    "padding_mask",
    "scaled_dot_product_attention",
    "softmax",
    "split_heads",
    "trace_attention",
]
