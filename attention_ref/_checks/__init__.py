"""The only place that words an error about shapes or arguments.

Every message has one form: which function, which argument, the rule in symbols and in
numbers, what came instead, and what to do.
"""

from attention_ref._checks.additive import check_additive
from attention_ref._checks.arrays import (
    check_arrays,
    check_axes,
    check_axis,
    check_broadcast,
    check_floating,
    common_dtype,
)
from attention_ref._checks.attention import (
    check_attention_shapes,
    check_bias,
    check_mask,
    check_pairwise,
    check_same_width,
    diagonal,
    offset,
)
from attention_ref._checks.blockwise import (
    check_features,
    check_key_mask,
    check_partial_results,
)
from attention_ref._checks.cache import (
    check_appended,
    check_cached_query,
    check_chunk_lengths,
)
from attention_ref._checks.conventions import (
    check_boolean_mask,
    check_torch_layer,
    check_window_pair,
)
from attention_ref._checks.heads import check_heads_argument, check_projections
from attention_ref._checks.numbers import (
    check_choice,
    check_count,
    check_length,
    check_lengths,
    check_number,
    check_position_arrays,
    check_sink,
    check_window,
)
from attention_ref._checks.pictures import (
    check_bar_lengths,
    check_bars,
    check_drawn_mask,
    check_labels,
    check_limits,
    check_matrix,
)
from attention_ref._checks.positions import (
    check_base,
    check_boolean,
    check_even,
    check_pairs,
    check_positions_of,
    check_rotated_width,
)
from attention_ref._checks.wording import ShapeError

__all__ = [
    "ShapeError",
    "check_additive",
    "check_appended",
    "check_arrays",
    "check_attention_shapes",
    "check_axes",
    "check_axis",
    "check_bar_lengths",
    "check_bars",
    "check_base",
    "check_bias",
    "check_boolean",
    "check_boolean_mask",
    "check_broadcast",
    "check_cached_query",
    "check_choice",
    "check_chunk_lengths",
    "check_count",
    "check_drawn_mask",
    "check_even",
    "check_features",
    "check_floating",
    "check_heads_argument",
    "check_key_mask",
    "check_labels",
    "check_length",
    "check_lengths",
    "check_limits",
    "check_mask",
    "check_matrix",
    "check_number",
    "check_pairs",
    "check_pairwise",
    "check_partial_results",
    "check_position_arrays",
    "check_positions_of",
    "check_projections",
    "check_rotated_width",
    "check_same_width",
    "check_sink",
    "check_torch_layer",
    "check_window",
    "check_window_pair",
    "common_dtype",
    "diagonal",
    "offset",
]
