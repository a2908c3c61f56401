"""Checks for those who write attention themselves: each says what is wrong, and why.

A check calls a reader's function with inputs of its own. It prints a line if all
answers are right, and raises `NotYet`, with one sentence, if one is not.
"""

from attention_ref.exercises._attention import check_attention
from attention_ref.exercises._causal_mask import check_causal_mask
from attention_ref.exercises._empty_rows import check_empty_rows
from attention_ref.exercises._half_precision import check_half_precision
from attention_ref.exercises._judging import NotYet
from attention_ref.exercises._masked_weights import check_masked_weights
from attention_ref.exercises._merge_heads import check_merge_heads
from attention_ref.exercises._multi_head import check_multi_head_attention
from attention_ref.exercises._padding_mask import check_padding_mask
from attention_ref.exercises._repeat_heads import check_repeat_heads
from attention_ref.exercises._scores import check_scores
from attention_ref.exercises._softmax import check_softmax
from attention_ref.exercises._split_heads import check_split_heads
from attention_ref.exercises._stable_softmax import check_stable_softmax
from attention_ref.exercises._timing import check_median_seconds

__all__ = [
    "NotYet",
    "check_attention",
    "check_causal_mask",
    "check_empty_rows",
    "check_half_precision",
    "check_masked_weights",
    "check_median_seconds",
    "check_merge_heads",
    "check_multi_head_attention",
    "check_padding_mask",
    "check_repeat_heads",
    "check_scores",
    "check_softmax",
    "check_split_heads",
    "check_stable_softmax",
]
