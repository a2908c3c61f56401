"""softmax and log_sum_exp."""

import math

import numpy as np
import pytest
from array_libraries import Library, dtype_name, libraries, to_numpy

from attention_ref import log_sum_exp, softmax


def test_weights_are_exponentials_over_their_sum(library):
    scores = library.array([0.0, math.log(2), math.log(5)])

    np.testing.assert_allclose(to_numpy(softmax(scores)), [1 / 8, 2 / 8, 5 / 8])


def test_the_axis_can_be_chosen(library):
    scores = library.array([[0.0, math.log(3)], [0.0, 0.0]])

    columns = to_numpy(softmax(scores, axis=0))

    np.testing.assert_allclose(columns, [[1 / 2, 3 / 4], [1 / 2, 1 / 4]])


def test_scores_are_left_as_they_are(library):
    scores = library.array([1.0, 2.0])

    softmax(scores)
    log_sum_exp(scores)

    np.testing.assert_array_equal(to_numpy(scores), [1.0, 2.0])


def test_huge_scores_do_not_overflow(library):
    scores = library.array([[1e300, 1e300], [-1e300, -1e300]])

    np.testing.assert_array_equal(to_numpy(softmax(scores)), np.full((2, 2), 0.5))
    np.testing.assert_array_equal(to_numpy(log_sum_exp(scores)), [1e300, -1e300])


def test_minus_infinity_gets_no_weight(library):
    scores = library.array([0.0, -math.inf, 0.0])

    np.testing.assert_array_equal(to_numpy(softmax(scores)), [0.5, 0.0, 0.5])


def test_nothing_but_minus_infinity_gives_zeros_and_an_empty_sum(library):
    scores = library.array([-math.inf, -math.inf])

    np.testing.assert_array_equal(to_numpy(softmax(scores)), [0.0, 0.0])
    assert to_numpy(log_sum_exp(scores)) == -math.inf


def test_an_axis_of_length_zero_is_an_empty_sum(library):
    scores = library.array(np.zeros((3, 0)))

    assert to_numpy(softmax(scores)).shape == (3, 0)
    np.testing.assert_array_equal(to_numpy(log_sum_exp(scores)), [-math.inf] * 3)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_row_with_nan_or_plus_infinity_is_nan_and_others_are_not(library, bad):
    weights = to_numpy(softmax(library.array([[bad, 0.0], [0.0, 0.0]])))

    assert np.isnan(weights[0]).all()
    np.testing.assert_array_equal(weights[1], [0.5, 0.5])


def test_log_sum_exp_counts_equal_scores(library):
    scores = library.array([[7.0] * 5, [-7.0] * 5])

    expected = [7 + math.log(5), -7 + math.log(5)]
    np.testing.assert_allclose(to_numpy(log_sum_exp(scores)), expected)
    np.testing.assert_allclose(
        to_numpy(log_sum_exp(scores, axis=0)), [7 + math.log1p(math.exp(-14))] * 5
    )


@pytest.mark.parametrize("narrow", libraries(), ids=str)
def test_the_result_is_rounded_once_from_a_wide_one(narrow):
    scores = narrow.array([0.1, 0.7, -0.3, 1.9])
    wide = Library("numpy", "float64").array(to_numpy(scores))

    weights = softmax(scores)

    assert dtype_name(weights) == narrow.dtype
    expected = to_numpy(narrow.array(softmax(wide)))
    unit = {"float64": 4e-16, "float32": 2.4e-7}.get(narrow.dtype, 0)
    np.testing.assert_allclose(to_numpy(weights), expected, rtol=unit)
    assert dtype_name(log_sum_exp(scores)) == narrow.dtype


def test_each_sum_over_nothing_is_zero():
    sums = log_sum_exp(np.ones((3, 0)))

    np.testing.assert_array_equal(sums, [-np.inf] * 3)
