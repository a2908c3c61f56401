"""Kernel regression."""

import math

import numpy as np
import pytest
from array_libraries import to_numpy

from attention_ref import kernel_regression


def test_weights_are_gaussians_of_the_distance(library):
    query, key = library.array([[0.0, 0.0]]), library.array([[3.0, 4.0], [0.0, 0.0]])
    value = library.array([[1.0], [0.0]])

    output = kernel_regression(query, key, value, bandwidth=5.0)

    odds = math.exp(-25 / (2 * 25))
    np.testing.assert_allclose(to_numpy(output), [[odds / (1 + odds)]])


def test_the_default_bandwidth_is_one():
    query, key = np.zeros((1, 1)), np.asarray([[1.0], [0.0]])
    value = np.asarray([[1.0], [0.0]])

    odds = math.exp(-1 / 2)
    assert kernel_regression(query, key, value) == pytest.approx(odds / (1 + odds))


def test_a_narrow_kernel_finds_the_nearest_and_a_wide_one_the_mean():
    query, key = np.asarray([[0.9]]), np.asarray([[0.0], [1.0], [2.0]])
    value = np.asarray([[1.0], [2.0], [6.0]])

    assert kernel_regression(query, key, value, bandwidth=1e-3) == 2
    mean = kernel_regression(query, key, value, bandwidth=1e6)
    np.testing.assert_allclose(mean, [[3.0]])


def test_far_from_everything_the_nearest_wins():
    query, key = np.asarray([[1e6]]), np.asarray([[0.0], [1.0]])

    assert kernel_regression(query, key, key) == 1


def test_masked_observations_are_not_there():
    query, key = np.zeros((2, 1)), np.asarray([[1.0], [math.nan]])
    mask = np.asarray([[True, False], [False, False]])

    output = kernel_regression(query, key, key, mask=mask)

    np.testing.assert_array_equal(output, [[1.0], [0.0]])


def test_batches_broadcast_and_the_dtype_stays(rng):
    query = rng.standard_normal((2, 5, 3)).astype(np.float32)
    key = rng.standard_normal((7, 3)).astype(np.float32)

    output = kernel_regression(query, key, key)

    assert output.shape == (2, 5, 3)
    assert output.dtype == np.float32
    np.testing.assert_allclose(output[1], kernel_regression(query[1], key, key))


def test_doubles_are_averaged_in_double_precision():
    query, key = np.asarray([[0.0]]), np.asarray([[0.0], [1.0]])
    value = np.asarray([[0.0], [1.0]])

    output = kernel_regression(query, key, value)

    right = 1 / (1 + math.exp(0.5))
    np.testing.assert_allclose(output, [[right]], rtol=1e-15)
