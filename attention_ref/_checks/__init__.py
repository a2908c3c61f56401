"""The only place that words an error about shapes or arguments.

Every message has one form: which function, which argument, the rule in symbols and in
numbers, what came instead, and what to do.
"""

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
    diagonal,
)
from attention_ref._checks.heads import check_heads_argument, check_projections
from attention_ref._checks.numbers import (
    check_choice,
    check_count,
    check_length,
    check_lengths,
    check_number,
)
from attention_ref._checks.pictures import (
    check_bar_lengths,
    check_bars,
    check_drawn_mask,
    check_labels,
    check_limits,
    check_matrix,
)
from attention_ref._checks.wording import ShapeError

__all__ = [
    "ShapeError",
    "check_arrays",
    "check_attention_shapes",
    "check_axes",
    "check_axis",
    "check_bar_lengths",
    "check_bars",
    "check_bias",
    "check_broadcast",
    "check_choice",
    "check_count",
    "check_drawn_mask",
    "check_floating",
    "check_heads_argument",
    "check_labels",
    "check_length",
    "check_lengths",
    "check_limits",
    "check_mask",
    "check_matrix",
    "check_number",
    "check_projections",
    "common_dtype",
    "diagonal",
]
