"""Several heads: split, attend, merge, project."""

import numpy as np
import pytest
import torch
from array_libraries import Library, to_numpy

import attention_ref as ar
from attention_ref import (
    HeadProjections,
    merge_heads,
    multi_head_attention,
    split_heads,
)


def projections_of(layer, width):
    """Take the learned arrays out of a torch layer."""
    weight, bias = layer.in_proj_weight.detach(), layer.in_proj_bias.detach()
    parts = [weight[i * width : (i + 1) * width].T for i in range(3)]
    biases = [bias[i * width : (i + 1) * width] for i in range(3)]
    out = layer.out_proj
    return HeadProjections(*parts, out.weight.detach().T, *biases, out.bias.detach())


@pytest.fixture
def grouped(rng):
    """Projections for 6 query heads of width 4 and 2 key heads, values of width 5."""
    shapes = {
        "query": (7, 24),
        "key": (11, 8),
        "value": (13, 10),
        "output": (30, 3),
        "query_bias": (24,),
        "key_bias": (8,),
        "value_bias": (10,),
        "output_bias": (3,),
    }
    return HeadProjections(**{n: rng.standard_normal(s) for n, s in shapes.items()})


def test_head_zero_gets_the_first_numbers(library):
    x = library.integers([[1, 2, 3, 4, 5, 6]])

    assert to_numpy(split_heads(x, 3)).tolist() == [[[1, 2]], [[3, 4]], [[5, 6]]]


def test_merging_undoes_splitting(library, rng):
    x = library.array(rng.standard_normal((2, 3, 5, 12)))

    heads = split_heads(x, 4)

    assert heads.shape == (2, 3, 4, 5, 3)
    np.testing.assert_array_equal(to_numpy(merge_heads(heads)), to_numpy(x))


def test_torchs_layer_gives_the_same(rng):
    torch.manual_seed(0)
    layer = torch.nn.MultiheadAttention(12, 3, batch_first=True, dtype=torch.float64)
    torch.nn.init.normal_(layer.in_proj_bias)
    torch.nn.init.normal_(layer.out_proj.bias)
    query, key = (torch.as_tensor(rng.standard_normal((2, n, 12))) for n in (5, 7))

    ours = multi_head_attention(query, key, key, projections_of(layer, 12), num_heads=3)

    with torch.no_grad():
        expected, _ = layer(query, key, key)
    np.testing.assert_allclose(ours, expected, atol=1e-14)


def test_heads_are_attended_one_by_one(grouped, rng):
    query, key = rng.standard_normal((2, 5, 7)), rng.standard_normal((2, 9, 11))
    value = rng.standard_normal((2, 9, 13))
    bias = rng.standard_normal((6, 5, 9))
    mask = rng.random((2, 1, 1, 9)) < 0.7
    options = {"scale": 0.3, "softcap": 2.0, "causal": "lower-right"}

    output = multi_head_attention(
        query, key, value, grouped, num_heads=6, mask=mask, bias=bias, **options
    )

    q = query @ grouped.query + grouped.query_bias
    k = key @ grouped.key + grouped.key_bias
    v = value @ grouped.value + grouped.value_bias
    heads = [
        ar.scaled_dot_product_attention(
            q[..., 4 * h : 4 * h + 4],
            k[..., 4 * (h // 3) : 4 * (h // 3) + 4],
            v[..., 5 * (h // 3) : 5 * (h // 3) + 5],
            mask=mask[:, 0],
            bias=bias[h],
            **options,
        )
        for h in range(6)
    ]
    expected = np.concatenate(heads, axis=-1) @ grouped.output + grouped.output_bias
    np.testing.assert_allclose(output, expected, atol=1e-12)


def test_every_library_gives_the_same(library, grouped, rng):
    x, y = rng.standard_normal((5, 7)), rng.standard_normal((9, 11))
    z = rng.standard_normal((9, 13))
    arrays = [library.array(array) for array in (x, y, z)]
    projections = HeadProjections(*map(library.array, grouped))

    output = multi_head_attention(*arrays, projections, num_heads=6)

    expected = multi_head_attention(x, y, z, grouped, num_heads=6)
    np.testing.assert_allclose(to_numpy(output), expected, atol=1e-12)


def test_the_layer_works_without_biases(rng):
    x = rng.standard_normal((5, 4))
    weights = [rng.standard_normal((4, 4)) for _ in range(4)]
    zeros = [np.zeros(4)] * 4

    np.testing.assert_array_equal(
        multi_head_attention(x, x, x, HeadProjections(*weights), num_heads=2),
        multi_head_attention(x, x, x, HeadProjections(*weights, *zeros), num_heads=2),
    )


def test_half_precision_is_rounded_at_the_end_only(rng):
    x = rng.standard_normal((5, 4)).astype(np.float16)
    weights = [rng.standard_normal((4, 4)).astype(np.float16) for _ in range(4)]

    output = multi_head_attention(x, x, x, HeadProjections(*weights), num_heads=2)

    wide = [weight.astype(np.float32) for weight in weights]
    x = x.astype(np.float32)
    expected = multi_head_attention(x, x, x, HeadProjections(*wide), num_heads=2)
    assert output.dtype == np.float16
    np.testing.assert_array_equal(output, expected.astype(np.float16))


def test_a_query_without_keys_gets_the_output_bias(grouped, rng):
    query, key = rng.standard_normal((5, 7)), rng.standard_normal((9, 11))
    value = rng.standard_normal((9, 13))

    output = multi_head_attention(
        query, key, value, grouped, num_heads=6, mask=np.zeros((1, 9), bool)
    )

    np.testing.assert_array_equal(output, np.tile(grouped.output_bias, (5, 1)))


def test_torchs_half_precision_is_widened_as_numpys_is(grouped, rng):
    x = [rng.standard_normal((5, width)) for width in (7, 11, 13)]
    outputs = []
    for name in ("numpy", "torch"):
        half = Library(name, "float16").array
        projections = HeadProjections(*map(half, grouped))
        outputs.append(multi_head_attention(*map(half, x), projections, num_heads=6))

    assert outputs[1].dtype == torch.float16
    np.testing.assert_allclose(*map(to_numpy, outputs), rtol=2**-10)


def test_heads_may_be_one_number_wide(rng):
    query, key, value = (rng.standard_normal((5, 2)) for _ in "qkv")
    identity = np.eye(2)
    projections = HeadProjections(identity, identity, identity, identity)

    output = multi_head_attention(query, key, value, projections, num_heads=2)

    heads = (ar.split_heads(x, 2) for x in (query, key, value))
    right = ar.scaled_dot_product_attention(*heads)
    np.testing.assert_allclose(output, merge_heads(right), atol=1e-15)


def test_all_heads_may_share_one_key_head(rng):
    query, key, value = (rng.standard_normal((5, 4)) for _ in "qkv")
    shared = np.eye(4)[:, :2]
    projections = HeadProjections(np.eye(4), shared, shared, np.eye(4))

    output = multi_head_attention(query, key, value, projections, num_heads=2)

    right = ar.scaled_dot_product_attention(
        split_heads(query, 2), key[None, :, :2], value[None, :, :2]
    )
    np.testing.assert_allclose(output, merge_heads(right), atol=1e-15)
