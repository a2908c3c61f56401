"""Linear attention."""

import math

import numpy as np
import pytest
from array_libraries import to_numpy

import attention_ref as ar
from attention_ref import linear_attention


def positive(x):
    """Map numbers to positive ones: the exponential linear unit, plus 1."""
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


def by_definition(query, key, value, allowed):
    """Average with weights written out."""
    scores = np.where(allowed, positive(query) @ positive(key).swapaxes(-1, -2), 0)
    return scores @ value / scores.sum(-1, keepdims=True)


@pytest.fixture
def arrays(rng):
    """Query, key and value that are longer than two chunks."""
    return (
        rng.standard_normal((2, 4, 131, 5)),
        rng.standard_normal((2, 2, 131, 5)),
        rng.standard_normal((2, 2, 131, 3)),
    )


@pytest.mark.parametrize("causal", [False, True])
def test_summing_keys_first_changes_nothing(library, arrays, causal):
    query, key, value = arrays

    output = to_numpy(linear_attention(*map(library.array, arrays), causal=causal))

    allowed = ar.causal_mask(131) if causal else True
    repeated = (np.repeat(array, 2, axis=1) for array in (key, value))
    expected = by_definition(query, *repeated, allowed)
    np.testing.assert_allclose(output, expected, atol=1e-12)


@pytest.mark.parametrize("length", [1, 63, 64, 65, 128])
def test_chunks_may_end_anywhere(arrays, length):
    x = arrays[1][..., :length, :]

    output = linear_attention(x, x, x, causal=True)

    expected = by_definition(x, x, x, ar.causal_mask(length))
    np.testing.assert_allclose(output, expected, atol=1e-12)


@pytest.mark.parametrize("causal", [False, True])
def test_padding_is_not_there_whatever_it_holds(library, arrays, causal):
    query, key, value = (array[:, :2, :70, :] for array in arrays)
    spoilt_key, spoilt_value = key.copy(), value.copy()
    spoilt_key[1, :, 40:], spoilt_value[1, :, 40:] = math.inf, math.nan
    mask = ar.padding_mask(library.integers([70, 40]), 70)

    output = linear_attention(
        *map(library.array, (query, spoilt_key, spoilt_value)), mask=mask, causal=causal
    )

    allowed = to_numpy(mask) & (ar.causal_mask(70) if causal else True)
    expected = by_definition(query, key, value, allowed)
    np.testing.assert_allclose(to_numpy(output), expected, atol=1e-12)


def test_features_can_be_chosen():
    query, key = np.asarray([[2.0]]), np.asarray([[1.0], [3.0]])
    value = np.asarray([[0.0], [10.0]])

    output = linear_attention(query, key, value, feature_map=lambda x: x**2)

    np.testing.assert_allclose(output, [[9.0]])


def test_a_denominator_of_zero_gives_zero():
    one = np.ones((2, 1))

    np.testing.assert_array_equal(
        linear_attention(one, one, one, mask=np.zeros((1, 2), bool)), np.zeros((2, 1))
    )
    np.testing.assert_array_equal(
        linear_attention(one, one, one, feature_map=np.zeros_like), np.zeros((2, 1))
    )


def test_large_negative_numbers_do_not_overflow():
    x = np.asarray([[-1e4], [1e4]])

    np.testing.assert_array_equal(linear_attention(x, x, x), [[0.0], [1e4]])


def test_the_dtype_stays(arrays):
    output = linear_attention(*(array[0, :2].astype(np.float16) for array in arrays))

    assert output.dtype == np.float16


def test_no_tokens_at_all_give_none():
    empty = np.ones((2, 0, 3))

    for causal in (False, True):
        assert linear_attention(empty, empty, empty, causal=causal).shape == (2, 0, 3)


def test_chosen_features_keep_every_axis_but_the_last(arrays):
    def twice(x):
        return np.concatenate([np.exp(x), np.exp(-x)], axis=-1)

    output = linear_attention(*arrays, feature_map=twice)

    for batch in range(len(arrays[0])):
        own = linear_attention(*(x[batch] for x in arrays), feature_map=twice)
        np.testing.assert_allclose(output[batch], own, atol=1e-12)


@pytest.mark.parametrize("axes", [2, 3, 5])
def test_chunks_are_put_together_whatever_axes_come_before(rng, axes):
    shape = (*[1] * (axes - 2), 130, 3)
    x = rng.standard_normal(shape)

    output = linear_attention(x, x, x, causal=True)

    right = linear_attention(*[x.reshape(130, 3)] * 3, causal=True)
    weights = np.tril(features(x) @ features(x).mT)
    weights /= weights.sum(-1, keepdims=True)
    np.testing.assert_array_equal(output.reshape(130, 3), right)
    np.testing.assert_allclose(output, weights @ x, atol=1e-13)


def features(x):
    """The features of Katharopoulos et al."""
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))
