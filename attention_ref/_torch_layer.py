"""The projections of a torch layer, in our layout.

Torch is not imported: the layer is known by the attributes that it has.
"""

from typing import Any

from attention_ref._arrays import Array
from attention_ref._checks import check_torch_layer
from attention_ref._heads import HeadProjections


def projections_from_torch(layer: Any) -> HeadProjections:
    """Take the projections out of a `torch.nn.MultiheadAttention`.

    Args:
        layer: The layer, with or without biases, with key and value as wide as the
            query or of other widths (`kdim`, `vdim`).

    Returns:
        The projections for `multi_head_attention`, as views of the layer's
        parameters: gradients reach them, and training the layer changes them.

    Raises:
        TypeError: If `layer` lacks what such a layer has.
        ValueError: If the layer was made with `add_bias_kv` or `add_zero_attn`, which
            append a key of their own.

    Note:
        Torch stores a weight as `(out, in)`; ours are `(in, out)`, so they are
        transposed. `layer.num_heads` is what to pass as `num_heads`.

    Example:
        >>> import torch
        >>> layer = torch.nn.MultiheadAttention(6, 2)
        >>> projections_from_torch(layer).query.shape
        torch.Size([6, 6])

    References:
        Vaswani et al. (2017), *Attention is all you need*, section 3.2.2.
    """
    check_torch_layer("projections_from_torch", layer)
    query, key, value = _input_weights(layer)
    query_bias, key_bias, value_bias = _input_biases(layer)
    return HeadProjections(
        query=query.mT,
        key=key.mT,
        value=value.mT,
        output=layer.out_proj.weight.mT,
        query_bias=query_bias,
        key_bias=key_bias,
        value_bias=value_bias,
        output_bias=layer.out_proj.bias,
    )


def _input_weights(layer: Any) -> tuple[Array, Array, Array]:
    """Return the three weights, which lie below each other if they are equally wide."""
    if layer.in_proj_weight is None:
        return layer.q_proj_weight, layer.k_proj_weight, layer.v_proj_weight
    return _thirds(layer.in_proj_weight, layer.embed_dim)


def _input_biases(layer: Any) -> tuple[Array | None, Array | None, Array | None]:
    if layer.in_proj_bias is None:
        return None, None, None
    return _thirds(layer.in_proj_bias, layer.embed_dim)


def _thirds(stacked: Array, size: int) -> tuple[Array, Array, Array]:
    return stacked[:size], stacked[size : 2 * size], stacked[2 * size :]
