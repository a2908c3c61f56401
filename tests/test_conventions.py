"""Our translations, against the libraries that they translate to and from."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from array_libraries import Library, dtype_name, libraries, to_numpy

import attention_ref as ar

BATCH, HEADS, QUERIES, KEYS, WIDTH = 2, 3, 5, 7, 4
MODEL = HEADS * WIDTH


def layer_of(**options) -> torch.nn.MultiheadAttention:
    """A layer with weights that differ, biases included: fresh ones are zero."""
    torch.manual_seed(0)
    layer = torch.nn.MultiheadAttention(
        MODEL, HEADS, batch_first=True, dtype=torch.float64, **options
    )
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.normal_()
    return layer


def sequences(key_width: int = MODEL, value_width: int = MODEL) -> list[torch.Tensor]:
    """Query, key and value of a cross-attention."""
    generator = torch.Generator().manual_seed(1)
    shapes = [(QUERIES, MODEL), (KEYS, key_width), (KEYS, value_width)]
    return [
        torch.randn(BATCH, *shape, generator=generator, dtype=torch.float64)
        for shape in shapes
    ]


def assert_same_as_layer(layer, arrays, mask=None, **masks) -> None:
    theirs, _ = layer(*arrays, **masks, need_weights=False)
    ours = ar.multi_head_attention(
        *arrays, ar.projections_from_torch(layer), num_heads=HEADS, mask=mask
    )
    torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-12)


# --- The projections of a layer ------------------------------------------------------


@pytest.mark.parametrize("bias", [True, False])
def test_a_torch_layer_and_its_projections_give_the_same(bias):
    assert_same_as_layer(layer_of(bias=bias), sequences())


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(("key_width", "value_width"), [(11, 13), (MODEL, 13)])
def test_keys_and_values_may_be_of_other_widths(key_width, value_width, bias):
    layer = layer_of(bias=bias, kdim=key_width, vdim=value_width)

    assert_same_as_layer(layer, sequences(key_width, value_width))


def test_projections_are_views_that_gradients_reach():
    layer = layer_of()
    projections = ar.projections_from_torch(layer)
    projections.query.sum().backward()

    assert torch.all(layer.in_proj_weight.grad[:MODEL] == 1)
    assert torch.all(layer.in_proj_weight.grad[MODEL:] == 0)
    with torch.no_grad():
        layer.out_proj.weight.zero_()
    assert torch.all(projections.output == 0)


def test_a_layer_without_biases_has_none():
    projections = ar.projections_from_torch(layer_of(bias=False))

    assert projections[4:] == (None,) * 4


@pytest.mark.parametrize("option", ["add_bias_kv", "add_zero_attn"])
def test_a_layer_that_appends_a_key_is_refused(option):
    with pytest.raises(ValueError, match="must be") as caught:
        ar.projections_from_torch(layer_of(**{option: True}))

    assert str(caught.value) == (
        "projections_from_torch: layer must be a torch.nn.MultiheadAttention without "
        f"{option}, got {option}=True. Append that key to key and value yourself."
    )


def test_what_is_no_layer_is_refused():
    with pytest.raises(TypeError) as caught:
        ar.projections_from_torch(torch.nn.Linear(2, 2))

    assert str(caught.value) == (
        "projections_from_torch: layer must be a torch.nn.MultiheadAttention, "
        "got Linear. Pass the layer itself."
    )


# --- Masks ---------------------------------------------------------------------------


def test_key_padding_masks_hide_the_same_keys():
    padding = torch.arange(KEYS) >= torch.tensor([[4], [KEYS]])

    assert_same_as_layer(
        layer_of(),
        sequences(),
        mask=ar.from_key_padding_mask(padding),
        key_padding_mask=padding,
    )


def test_one_mask_for_the_layer():
    mask = ar.causal_mask(QUERIES, KEYS, alignment="lower-right", like=torch.empty(0))

    assert_same_as_layer(
        layer_of(), sequences(), mask=mask, attn_mask=ar.to_torch_attn_mask(mask)
    )


def test_a_mask_for_every_head_of_the_layer():
    generator = torch.Generator().manual_seed(2)
    mask = torch.rand(BATCH, HEADS, QUERIES, KEYS, generator=generator) < 0.7
    mask[..., 0] = True  # the layer gives NaN where a query may see no key

    assert_same_as_layer(
        layer_of(), sequences(), mask=mask, attn_mask=ar.to_torch_attn_mask(mask)
    )


@pytest.mark.parametrize("library", libraries(), ids=str)
def test_a_bias_from_a_mask_hides_the_same_keys(library):
    mask = ar.causal_mask(3, like=library.array([0.0]))
    x = library.array(np.random.default_rng(0).standard_normal((2, 3, 4)))
    bias = ar.bias_from_mask(mask, like=x)

    assert dtype_name(bias) == library.dtype
    np.testing.assert_array_equal(
        to_numpy(bias), np.where(np.tri(3, dtype=bool), 0, -np.inf)
    )
    np.testing.assert_array_equal(
        to_numpy(ar.scaled_dot_product_attention(x, x, x, bias=bias)),
        to_numpy(ar.scaled_dot_product_attention(x, x, x, mask=mask)),
    )


@pytest.mark.parametrize(
    ("function", "name", "meaning"),
    [
        (ar.from_key_padding_mask, "key_padding_mask", "a key is padding"),
        (ar.to_torch_attn_mask, "mask", "a query may see a key"),
        (
            lambda mask: ar.bias_from_mask(mask, like=mask * 1.0),
            "mask",
            "a query may see a key",
        ),
    ],
    ids=["from_key_padding_mask", "to_torch_attn_mask", "bias_from_mask"],
)
def test_masks_that_are_not_boolean_are_refused(function, name, meaning, request):
    with pytest.raises(TypeError) as caught:
        function(np.ones((2, 3), dtype=np.int64))

    assert str(caught.value) == (
        f"{request.node.callspec.id}: {name} must be boolean, True where {meaning}, "
        f"got int64. Compare it, for instance {name} != 0."
    )


# --- Axis order ----------------------------------------------------------------------


@pytest.mark.parametrize("causal", [False, True])
def test_jax_wants_the_length_before_the_heads(causal):
    import jax

    library = Library("jax", "float32")
    rng = np.random.default_rng(0)
    arrays = [
        library.array(rng.standard_normal((BATCH, HEADS, length, WIDTH)))
        for length in (QUERIES, KEYS, KEYS)
    ]
    theirs = jax.nn.dot_product_attention(
        *map(ar.length_before_heads, arrays), is_causal=causal
    )
    ours = ar.scaled_dot_product_attention(
        *arrays, causal="upper-left" if causal else None
    )

    np.testing.assert_allclose(
        ar.heads_before_length(theirs), ours, rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize("library", libraries(dtypes=("float32",)), ids=str)
def test_the_two_swaps_undo_each_other(library):
    x = library.array(np.arange(2 * 3 * 5 * 7).reshape(2, 3, 5, 7))
    swapped = ar.length_before_heads(x)

    assert tuple(swapped.shape) == (2, 5, 3, 7)
    for there, back in ((swapped, x), (swapped[0, ...], x[0, ...])):
        for swap, one, other in (
            (ar.heads_before_length, there, back),
            (ar.length_before_heads, back, there),
        ):
            np.testing.assert_array_equal(to_numpy(swap(one)), to_numpy(other))


# --- Rotary pairs --------------------------------------------------------------------


@pytest.mark.parametrize("library", libraries(), ids=str)
def test_rotating_in_either_layout_gives_the_same_after_reordering(library):
    x = library.array(np.random.default_rng(0).standard_normal((5, 8)))
    rotated = ar.rotary_embedding(x, layout="half")
    reordered = ar.change_rotary_layout(x, source="half", target="interleaved")
    elsewhere = ar.rotary_embedding(reordered, layout="interleaved")

    np.testing.assert_array_equal(
        to_numpy(
            ar.change_rotary_layout(elsewhere, source="interleaved", target="half")
        ),
        to_numpy(rotated),
    )


def test_the_same_layout_changes_nothing():
    x = np.arange(6.0)

    for layout in ("half", "interleaved"):
        same = ar.change_rotary_layout(x, source=layout, target=layout)
        np.testing.assert_array_equal(same, x)


def test_a_checkpoint_is_converted_head_by_head():
    rng = np.random.default_rng(0)
    tokens = rng.standard_normal((5, MODEL))
    query_weight, key_weight = rng.standard_normal((2, MODEL, MODEL))

    def scores(query_weight, key_weight, layout):
        query, key = (
            ar.rotary_embedding(ar.split_heads(tokens @ weight, HEADS), layout=layout)
            for weight in (query_weight, key_weight)
        )
        return query @ np.swapaxes(key, -1, -2)

    def converted(weight):
        heads = ar.split_heads(weight, HEADS)
        return ar.merge_heads(
            ar.change_rotary_layout(heads, source="interleaved", target="half")
        )

    np.testing.assert_allclose(
        scores(converted(query_weight), converted(key_weight), "half"),
        scores(query_weight, key_weight, "interleaved"),
        rtol=1e-12,
        atol=1e-12,
    )


def test_unknown_layouts_and_odd_widths_are_refused():
    with pytest.raises(ValueError, match='source must be "half" or "interleaved"'):
        ar.change_rotary_layout(np.zeros(4), source="paired", target="half")
    with pytest.raises(ar.ShapeError, match="width must be even"):
        ar.change_rotary_layout(np.zeros(3), source="half", target="interleaved")


# --- Windows -------------------------------------------------------------------------


def test_a_size_counts_the_token_itself():
    left, right = ar.window_from_size(3)
    mask = ar.sliding_window_mask(7, left=left, right=right)

    np.testing.assert_array_equal(mask.sum(axis=-1), [1, 2, 3, 3, 3, 3, 3])
    assert ar.window_from_size(1) == (0, 0)


@pytest.mark.parametrize("window", [(0, 0), (2, 0), (1, 2), (6, 6)])
def test_jax_spells_a_window_as_we_do(window):
    import jax

    library = Library("jax", "float32")
    x = library.array(np.random.default_rng(0).standard_normal((1, 7, 1, 4)))
    theirs = jax.nn.dot_product_attention(x, x, x, local_window_size=window)
    left, right = ar.window_from_flash_attention(window)
    mask = ar.sliding_window_mask(7, left=left, right=right, like=x)
    x = ar.heads_before_length(x)
    ours = ar.scaled_dot_product_attention(x, x, x, mask=mask)

    np.testing.assert_allclose(
        ar.heads_before_length(theirs), ours, rtol=1e-5, atol=1e-6
    )


def test_minus_one_is_a_side_without_an_end():
    assert ar.window_from_flash_attention((-1, -1)) == (None, None)
    assert ar.window_from_flash_attention((-1, 0)) == (None, 0)
    assert ar.window_from_flash_attention((4, -1)) == (4, None)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (
            lambda: ar.window_from_flash_attention(4),
            TypeError,
            (
                "window_from_flash_attention: window_size must be a pair "
                "(left, right), got 4. Pass two integers."
            ),
        ),
        (
            lambda: ar.window_from_flash_attention((4, -2)),
            ValueError,
            (
                "window_from_flash_attention: window_size right must be at least -1, "
                "got -2. It is a count."
            ),
        ),
        (
            lambda: ar.window_from_size(0),
            ValueError,
            "window_from_size: size must be at least 1, got 0. It is a count.",
        ),
    ],
    ids=["no pair", "below -1", "size 0"],
)
def test_windows_that_are_none_are_refused(call, kind, message):
    with pytest.raises(kind) as caught:
        call()

    assert str(caught.value) == message


def test_each_projection_has_its_own_third_of_torchs_bias():
    layer = torch.nn.MultiheadAttention(6, 2)
    torch.nn.init.normal_(layer.in_proj_bias)

    ours = ar.projections_from_torch(layer)

    thirds = torch.stack([ours.query_bias, ours.key_bias, ours.value_bias])
    assert torch.equal(thirds.flatten(), layer.in_proj_bias)
