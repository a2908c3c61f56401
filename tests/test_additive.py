"""Additive attention."""

import math

import numpy as np
import pytest
from array_libraries import to_numpy

from attention_ref import (
    AdditiveProjections,
    additive_attention,
    additive_scores,
    softmax,
)


@pytest.fixture
def projections(rng):
    """Queries of width 3 and keys of width 5 meet in 7 hidden numbers."""
    return AdditiveProjections(
        rng.standard_normal((3, 7)), rng.standard_normal((5, 7)), rng.standard_normal(7)
    )


def test_scores_are_those_of_the_network(projections, rng):
    query, key = rng.standard_normal((2, 11, 3)), rng.standard_normal((2, 13, 5))

    scores = additive_scores(query, key, projections)

    for b, i, j in np.ndindex(2, 11, 13):
        hidden = np.tanh(query[b, i] @ projections.query + key[b, j] @ projections.key)
        expected = hidden @ projections.output
        assert scores[b, i, j] == pytest.approx(expected, abs=1e-13)


def test_values_are_averaged_by_the_softmax_of_the_scores(library, projections, rng):
    query, key = rng.standard_normal((2, 11, 3)), rng.standard_normal((2, 13, 5))
    value = rng.standard_normal((2, 13, 2))
    mask = rng.random((11, 13)) < 0.5
    mask[3] = False

    output = additive_attention(
        *map(library.array, (query, key, value)),
        AdditiveProjections(*map(library.array, projections)),
        mask=library.booleans(mask),
    )

    scores = additive_scores(query, key, projections)
    weights = softmax(np.where(mask, scores, -np.inf))
    np.testing.assert_allclose(to_numpy(output), weights @ value, atol=1e-13)
    assert (to_numpy(output)[:, 3] == 0).all()


def test_what_is_masked_never_influences_the_result(projections):
    query, value = np.ones((1, 3)), np.asarray([[1.0], [math.nan]])
    key = np.asarray([[1.0] * 5, [math.inf] * 5])
    mask = np.asarray([True, False])

    assert additive_attention(query, key, value, projections, mask=mask) == 1


def test_the_result_has_the_dtype_of_the_arguments(projections):
    narrow = AdditiveProjections(*(array.astype(np.float16) for array in projections))
    query, key = np.ones((1, 3), np.float16), np.ones((2, 5), np.float16)

    assert additive_scores(query, key, narrow).dtype == np.float16
    assert additive_attention(query, key, key, narrow).dtype == np.float16
