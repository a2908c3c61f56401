"""What is handed over by other libraries, or on the way to them."""

from typing import Any

from attention_ref._arrays import Array, dtype_name, is_array
from attention_ref._checks.numbers import check_count
from attention_ref._checks.wording import refuse

TORCH_LAYER = (
    "embed_dim",
    "num_heads",
    "in_proj_weight",
    "q_proj_weight",
    "k_proj_weight",
    "v_proj_weight",
    "in_proj_bias",
    "out_proj",
)


def check_boolean_mask(function: str, name: str, mask: Array, meaning: str) -> None:
    """Require a boolean mask, and say what its `True` means."""
    if dtype_name(mask.dtype) != "bool":
        refuse(
            TypeError,
            function,
            f"{name} must be boolean, True where {meaning}",
            dtype_name(mask.dtype),
            f"Compare it, for instance {name} != 0.",
        )


def check_window_pair(function: str, name: str, pair: Any) -> None:
    """Require two counts, or −1 in place of one."""
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        rule = f"{name} must be a pair (left, right)"
        refuse(TypeError, function, rule, repr(pair), "Pass two integers.")
    for side, count in zip(("left", "right"), pair, strict=True):
        check_count(function, f"{name} {side}", count, least=-1)


def check_torch_layer(function: str, layer: Any) -> None:
    """Require what a torch.nn.MultiheadAttention has, and no keys of its own."""
    rule = "layer must be a torch.nn.MultiheadAttention"
    if not all(hasattr(layer, name) for name in TORCH_LAYER):
        got = type(layer).__name__
        refuse(TypeError, function, rule, got, "Pass the layer itself.")
    own_keys = {
        "add_bias_kv": is_array(getattr(layer, "bias_k", None)),
        "add_zero_attn": bool(getattr(layer, "add_zero_attn", False)),
    }
    for option, is_set in own_keys.items():
        if is_set:
            refuse(
                ValueError,
                function,
                f"{rule} without {option}",
                f"{option}=True",
                "Append that key to key and value yourself.",
            )
