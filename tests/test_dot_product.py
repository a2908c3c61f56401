"""Scaled dot-product attention: the output, the weights, the log-sum-exp."""

import math

import numpy as np
import pytest
import torch
from array_libraries import to_numpy

import attention_ref as ar
from attention_ref import (
    attention_weights,
    attention_with_log_sum_exp,
    scaled_dot_product_attention,
)

LOG2, LOG3, LOG4 = map(math.log, (2, 3, 4))


@pytest.fixture
def arrays(rng):
    """Query, key and value whose axes all have different prime lengths."""
    query = rng.standard_normal((2, 3, 5, 7))
    key = rng.standard_normal((2, 3, 11, 7))
    value = rng.standard_normal((2, 3, 11, 13))
    return query, key, value


def by_definition(query, key, value, allowed, scale):
    """One head, by explicit loops over queries and keys."""
    rows = []
    for i, q in enumerate(query):
        terms = [
            math.exp(scale * (q @ k)) if allowed[i, j] else 0 for j, k in enumerate(key)
        ]
        weights = np.asarray(terms) / (sum(terms) or 1)
        rows.append(weights @ value)
    return np.asarray(rows)


def test_weights_can_be_found_on_paper(library):
    query, key = library.array([[1.0]]), library.array([[0.0], [LOG3]])
    value = library.array([[4.0], [8.0]])

    output, log_sum = attention_with_log_sum_exp(query, key, value)

    np.testing.assert_allclose(to_numpy(attention_weights(query, key)), [[0.25, 0.75]])
    np.testing.assert_allclose(to_numpy(output), [[7.0]])
    np.testing.assert_allclose(to_numpy(log_sum), [LOG4])
    np.testing.assert_allclose(
        to_numpy(scaled_dot_product_attention(query, key, value)), [[7.0]]
    )


def test_the_definition_by_loops_gives_the_same(arrays, rng):
    query, key, value = arrays
    mask = rng.random((5, 11)) < 0.6

    output = scaled_dot_product_attention(query, key, value, mask=mask)

    for index in np.ndindex(2, 3):
        expected = by_definition(
            query[index], key[index], value[index], mask, 1 / math.sqrt(7)
        )
        np.testing.assert_allclose(output[index], expected, atol=1e-14)


def test_one_key_is_copied():
    value = np.asarray([[3.0, -5.0]])

    output = scaled_dot_product_attention(np.ones((4, 2)), np.ones((1, 2)), value)

    np.testing.assert_array_equal(output, np.repeat(value, 4, axis=0))


def test_equal_keys_give_the_mean():
    value = np.asarray([[1.0], [2.0], [6.0]])

    output = scaled_dot_product_attention(np.ones((1, 2)), np.ones((3, 2)), value)

    np.testing.assert_allclose(output, [[3.0]])


def test_the_default_scale_is_one_over_the_root_of_the_width():
    query, key = np.ones((1, 4)), np.asarray([[0.0] * 4, [LOG3 / 2] * 4])

    np.testing.assert_allclose(attention_weights(query, key), [[0.25, 0.75]])


@pytest.mark.parametrize(
    ("scale", "weight"), [(0.0, 0.5), (1.0, 0.75), (-1.0, 0.25), (2, 0.9)]
)
def test_a_scale_is_taken_literally(scale, weight):
    query, key = np.ones((1, 1)), np.asarray([[0.0], [LOG3]])

    weights = attention_weights(query, key, scale=scale)

    np.testing.assert_allclose(weights, [[1 - weight, weight]])


def test_a_scale_may_be_an_array_without_axes(library):
    query, key = library.array([[1.0]]), library.array([[0.0], [LOG3]])

    weights = attention_weights(query, key, scale=library.array(-1.0))

    np.testing.assert_allclose(to_numpy(weights), [[0.75, 0.25]])


def test_a_softcap_squeezes_the_scaled_scores_before_the_bias(library):
    query, key = library.array([[1.0]]), library.array([[0.0], [100.0]])
    bias = library.array([[0.0, LOG2]])

    weights = attention_weights(query, key, softcap=2.0, scale=0.01, bias=bias)

    ratio = 2 * math.exp(2 * math.tanh(0.5))
    np.testing.assert_allclose(
        to_numpy(weights), [[1 / (1 + ratio), ratio / (1 + ratio)]]
    )


def test_a_bias_is_added_after_the_scale(library):
    query, key = library.array([[0.0]]), library.array([[5.0], [7.0]])
    bias = library.array([[0.0, LOG3]])

    weights = attention_weights(query, key, bias=bias, scale=17.0)

    np.testing.assert_allclose(to_numpy(weights), [[0.25, 0.75]])


def test_a_bias_broadcasts_and_does_not_widen_the_result(rng):
    query = rng.standard_normal((3, 2, 5)).astype(np.float32)
    bias = rng.standard_normal((1, 2))

    output = scaled_dot_product_attention(query, query, query, bias=bias)

    assert output.dtype == np.float32


def test_a_bias_of_minus_infinity_hides_like_a_mask(arrays, rng):
    query, key, value = arrays
    mask = rng.random((5, 11)) < 0.6
    mask[2] = False
    value = np.where(mask.any(0)[:, None], value, np.nan)
    bias = np.where(mask, 0.0, -np.inf)

    np.testing.assert_array_equal(
        scaled_dot_product_attention(query, key, value, bias=bias),
        scaled_dot_product_attention(query, key, value, mask=mask),
    )


def test_true_in_a_mask_means_may_attend(library):
    one = library.array([[0.0]])
    keys, value = library.array([[0.0]] * 3), library.array([[1.0], [2.0], [4.0]])
    mask = library.booleans([[True, False, True]])

    weights = attention_weights(one, keys, mask=mask)

    np.testing.assert_array_equal(to_numpy(weights), [[0.5, 0.0, 0.5]])
    np.testing.assert_array_equal(
        to_numpy(scaled_dot_product_attention(one, keys, value, mask=mask)), [[2.5]]
    )


def test_a_mask_may_lack_axes_or_have_axes_of_length_one(arrays, rng):
    query, key, value = arrays
    keys_only = rng.random(11) < 0.5
    full = np.broadcast_to(keys_only, (2, 3, 5, 11))

    expected = scaled_dot_product_attention(query, key, value, mask=full)

    for mask in (keys_only, keys_only[None], keys_only[None, None, None]):
        output = scaled_dot_product_attention(query, key, value, mask=mask)
        np.testing.assert_array_equal(output, expected)


def test_a_mask_without_axes_is_for_all(arrays):
    output = scaled_dot_product_attention(*arrays, mask=np.asarray(False))

    np.testing.assert_array_equal(output, np.zeros((2, 3, 5, 13)))


@pytest.mark.parametrize("causal", ["upper-left", "lower-right"])
def test_causal_is_the_same_as_its_mask(arrays, causal):
    mask = ar.causal_mask(5, 11, alignment=causal)

    np.testing.assert_array_equal(
        scaled_dot_product_attention(*arrays, causal=causal),
        scaled_dot_product_attention(*arrays, mask=mask),
    )


@pytest.mark.parametrize("causal", [True, "upper-left", "lower-right"])
def test_causal_spellings_agree_for_equal_lengths(arrays, causal):
    query, _, _ = arrays
    value = query[..., :3]

    np.testing.assert_array_equal(
        scaled_dot_product_attention(query, query, value, causal=causal),
        scaled_dot_product_attention(query, query, value, mask=ar.causal_mask(5)),
    )


@pytest.mark.parametrize("causal", [None, False])
def test_no_causal_rule_lets_every_query_see_every_key(arrays, causal):
    np.testing.assert_array_equal(
        scaled_dot_product_attention(*arrays, causal=causal),
        scaled_dot_product_attention(*arrays),
    )


def test_mask_and_causal_must_both_allow(arrays, rng):
    query, _, _ = arrays
    mask = rng.random((5, 5)) < 0.5

    np.testing.assert_array_equal(
        attention_weights(query, query, mask=mask, causal=True),
        attention_weights(query, query, mask=mask & ar.causal_mask(5)),
    )


def test_a_query_without_keys_gets_zeros(library):
    query, key = library.array(np.ones((2, 3))), library.array(np.ones((4, 3)))
    mask = library.booleans([[False] * 4, [True] * 4])

    output, log_sum = attention_with_log_sum_exp(query, key, key, mask=mask)
    weights = attention_weights(query, key, mask=mask)

    np.testing.assert_array_equal(to_numpy(output)[0], np.zeros(3))
    np.testing.assert_array_equal(to_numpy(weights)[0], np.zeros(4))
    assert to_numpy(log_sum)[0] == -math.inf
    np.testing.assert_allclose(to_numpy(log_sum)[1], math.sqrt(3) + LOG4)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_what_is_masked_never_influences_the_result(library, arrays, bad):
    query, key, value = arrays
    mask = np.arange(11) < 8
    spoilt_key, spoilt_value = key.copy(), value.copy()
    spoilt_key[..., 8:, :], spoilt_value[..., 8:, :] = bad, bad

    def attend(key, value):
        arrays = (library.array(array) for array in (query, key, value))
        return attention_with_log_sum_exp(*arrays, mask=library.booleans(mask))

    for clean, spoilt in zip(
        attend(key, value), attend(spoilt_key, spoilt_value), strict=True
    ):
        np.testing.assert_allclose(to_numpy(spoilt), to_numpy(clean), rtol=1e-13)


def test_a_visible_value_that_is_not_finite_is_seen(library):
    key = library.array(np.zeros((3, 1)))
    value = library.array(
        [
            [math.nan, math.inf, math.inf, -math.inf, 1.0],
            [1.0, 1.0, -math.inf, 1.0, math.nan],
            [math.inf, 1.0, 1.0, 1.0, -math.inf],
        ]
    )
    mask = library.booleans([[True, True, False], [False, True, False]])

    output = to_numpy(scaled_dot_product_attention(key[:2, :], key, value, mask=mask))

    inf, nan = math.inf, math.nan
    np.testing.assert_array_equal(
        output, [[nan, inf, nan, -inf, nan], [1.0, 1.0, -inf, 1.0, nan]]
    )


def test_a_visible_infinity_is_seen_even_if_its_weight_underflows():
    query, key = np.ones((1, 1)), np.asarray([[0.0], [-2000.0]])
    value = np.asarray([[1.0], [math.inf]])

    assert scaled_dot_product_attention(query, key, value) == math.inf


def test_nan_in_a_query_stays_in_its_row(arrays):
    query, key, value = (array.copy() for array in arrays)
    query[..., 1, :] = math.nan

    output = scaled_dot_product_attention(query, key, value)

    assert np.isnan(output[..., 1, :]).all()
    assert np.isfinite(np.delete(output, 1, axis=-2)).all()


def test_a_sink_stands_in_the_denominator_only(library):
    query, key = library.array([[0.0]]), library.array([[0.0], [0.0]])
    value = library.array([[4.0], [8.0]])

    output, log_sum = attention_with_log_sum_exp(query, key, value, sink=LOG2)
    weights = attention_weights(query, key, sink=LOG2)

    np.testing.assert_allclose(to_numpy(weights), [[0.25, 0.25]])
    np.testing.assert_allclose(to_numpy(output), [[3.0]])
    np.testing.assert_allclose(to_numpy(log_sum), [LOG4])


@pytest.mark.parametrize("sink", [500.0, -500.0])
def test_a_sink_of_any_size_does_not_overflow(sink):
    key = np.zeros((2, 1))

    weights = attention_weights(key, key, sink=sink)

    np.testing.assert_allclose(weights, np.full((2, 2), 1 / (2 + math.exp(sink))))


def test_each_head_has_its_own_sink(library):
    zeros = library.array(np.zeros((2, 3, 1, 1)))
    sink = library.array([0.0, LOG3, -math.inf])

    weights = to_numpy(attention_weights(zeros, zeros, sink=sink))

    np.testing.assert_allclose(weights[..., 0, 0], [[0.5, 0.25, 1.0]] * 2)


def test_a_sink_takes_everything_where_nothing_is_visible(library):
    one = library.array([[1.0]])
    mask = library.booleans([[False]])

    output, log_sum = attention_with_log_sum_exp(one, one, one, mask=mask, sink=3.0)

    assert to_numpy(output) == 0
    np.testing.assert_allclose(to_numpy(log_sum), [3.0])


def test_a_group_of_query_heads_shares_a_key_head(rng):
    query = rng.standard_normal((2, 6, 5, 7))
    key = rng.standard_normal((2, 3, 11, 7))
    value = rng.standard_normal((2, 3, 11, 13))
    mask = rng.random((6, 5, 11)) < 0.5

    repeated = [np.repeat(array, 2, axis=1) for array in (key, value)]

    np.testing.assert_allclose(
        scaled_dot_product_attention(query, key, value, mask=mask),
        scaled_dot_product_attention(query, *repeated, mask=mask),
        atol=1e-14,
    )
    np.testing.assert_allclose(
        attention_weights(query, key, mask=mask),
        attention_weights(query, repeated[0], mask=mask),
        atol=1e-15,
    )


def test_one_key_head_serves_all(rng):
    query = rng.standard_normal((2, 5, 3, 7))
    key = rng.standard_normal((2, 1, 11, 7))

    np.testing.assert_allclose(
        scaled_dot_product_attention(query, key, key),
        scaled_dot_product_attention(query, key[:, 0][:, None], key),
    )


def test_keys_without_a_heads_axis_serve_all_heads(rng):
    query, key = rng.standard_normal((3, 5, 7)), rng.standard_normal((11, 7))
    value = rng.standard_normal((3, 11, 2))

    output = scaled_dot_product_attention(query, key, value)

    for head in range(3):
        np.testing.assert_allclose(
            output[head], scaled_dot_product_attention(query[head], key, value[head])
        )


def test_a_query_without_a_heads_axis_asks_all_heads(rng):
    query, key = rng.standard_normal((5, 7)), rng.standard_normal((3, 11, 7))

    output = scaled_dot_product_attention(query, key, key)

    for head in range(3):
        np.testing.assert_allclose(
            output[head], scaled_dot_product_attention(query, key[head], key[head])
        )


def test_values_with_heads_can_meet_keys_with_one(rng):
    query, key = rng.standard_normal((5, 7)), rng.standard_normal((1, 11, 7))
    value = rng.standard_normal((3, 11, 2))

    output = scaled_dot_product_attention(query, key, value)

    assert output.shape == (3, 5, 2)
    np.testing.assert_allclose(
        output[2], scaled_dot_product_attention(query, key[0], value[2])
    )


@pytest.mark.parametrize(
    ("queries", "keys", "width", "value_width"),
    [(0, 3, 2, 5), (3, 0, 2, 5), (0, 0, 2, 5), (3, 2, 2, 0), (3, 2, 0, 5)],
)
def test_empty_axes_give_zeros_of_the_right_shape(queries, keys, width, value_width):
    output, log_sum = attention_with_log_sum_exp(
        np.ones((2, queries, width)),
        np.ones((2, keys, width)),
        np.ones((2, keys, value_width)),
    )

    assert output.shape == (2, queries, value_width)
    assert log_sum.shape == (2, queries)
    assert (output == (1 if keys else 0)).all()
    assert keys or (log_sum == -math.inf).all()


def test_strides_do_not_matter(arrays):
    query, key, value = arrays
    turned = [
        np.asarray(a.swapaxes(-1, -2), order="C").swapaxes(-1, -2) for a in arrays
    ]

    np.testing.assert_allclose(
        scaled_dot_product_attention(*turned),
        scaled_dot_product_attention(query, key, value),
        rtol=1e-13,
    )


def test_inputs_are_left_as_they_are(arrays):
    before = [array.copy() for array in arrays]

    scaled_dot_product_attention(*arrays, softcap=1.0, causal="upper-left", scale=2.0)
    attention_weights(*arrays[:2])

    for array, copy in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_gradients_are_right(rng):
    arrays = [
        torch.as_tensor(rng.standard_normal(shape)).requires_grad_()
        for shape in ((2, 5, 3), (1, 7, 3), (1, 7, 2), (5, 7), (2,))
    ]
    mask = torch.as_tensor(rng.random((5, 7)) < 0.7)
    mask[2] = False

    def attend(query, key, value, bias, sink):
        return attention_with_log_sum_exp(
            query, key, value, mask=mask, bias=bias, sink=sink, softcap=3.0
        )

    assert torch.autograd.gradcheck(attend, arrays)


def test_gradients_of_empty_rows_are_zero():
    query, key, value = (
        torch.ones(2, 3, dtype=torch.float64, requires_grad=True) for _ in range(3)
    )
    mask = torch.tensor([[False, False], [True, False]])

    output = scaled_dot_product_attention(query, key, value, mask=mask)
    output.sum().backward()

    assert (query.grad == 0).all()
    np.testing.assert_array_equal(key.grad, np.zeros((2, 3)))
    np.testing.assert_array_equal(value.grad, [[1.0] * 3, [0.0] * 3])


def test_a_sink_given_as_a_number_is_not_rounded_to_half_precision(rng):
    query, key = (rng.standard_normal((3, 5)).astype(np.float16) for _ in "qk")

    _, log_sum = attention_with_log_sum_exp(query, key, key, sink=0.1)

    wide = (array.astype(np.float32) for array in (query, key, key))
    _, right = attention_with_log_sum_exp(*wide, sink=0.1)
    np.testing.assert_array_equal(log_sum, right)


def test_the_value_alone_may_bring_the_batch_and_the_heads(rng):
    query, key = rng.standard_normal((5, 7)), rng.standard_normal((11, 7))
    value = rng.standard_normal((2, 3, 11, 13))
    mask = rng.random((2, 3, 5, 11)) < 0.7

    for attend in (scaled_dot_product_attention, ar.blockwise_attention):
        output = attend(query, key, value, mask=mask)

        assert output.shape == (2, 3, 5, 13)
        for batch, head in np.ndindex(2, 3):
            own = attend(query, key, value[batch, head], mask=mask[batch, head])
            np.testing.assert_allclose(output[batch, head], own, atol=1e-15)


@pytest.mark.parametrize("kind", [">f4", ">f8"])
def test_the_order_of_bytes_does_not_matter(rng, kind):
    x = rng.standard_normal((5, 3)).astype(kind)

    output = scaled_dot_product_attention(x, x, x, causal=True)

    native = x.astype(x.dtype.newbyteorder("="))
    right = scaled_dot_product_attention(native, native, native, causal=True)
    np.testing.assert_array_equal(output, right)


def test_a_large_sink_leaves_weights_that_are_as_small_as_they_should_be():
    one = np.zeros((1, 1), np.float32)

    weights = attention_weights(one, one, sink=95.0)

    assert weights == pytest.approx(math.exp(-95), rel=1e-2, abs=0)


def test_a_softcap_below_one_may_be_an_array(rng):
    query, key, value = (rng.standard_normal((3, 5)) for _ in "qkv")

    output = scaled_dot_product_attention(query, key, value, softcap=np.asarray(0.5))

    right = scaled_dot_product_attention(query, key, value, softcap=0.5)
    np.testing.assert_array_equal(output, right)


def test_without_keys_the_sink_is_the_whole_sum():
    query, none = np.ones((3, 5)), np.ones((0, 5))

    output, log_sum = attention_with_log_sum_exp(query, none, none, sink=1.5)

    np.testing.assert_array_equal(output, np.zeros((3, 5)))
    np.testing.assert_array_equal(log_sum, [1.5] * 3)
