"""Every intermediate by name."""

import numpy as np
import pytest
from array_libraries import to_numpy

import attention_ref as ar


def test_each_step_follows_from_the_one_before(library, rng):
    query, key, value = (library.array(rng.standard_normal((3, 5, 4))) for _ in "qkv")
    bias = library.array(rng.standard_normal((5, 5)))
    mask = np.tril(rng.random((5, 5)) < 0.7)

    steps = ar.trace_attention(
        query, key, value, bias=bias, mask=library.booleans(mask), scale=3, softcap=2.0
    )
    trace = steps._make(map(to_numpy, steps))

    products = to_numpy(query) @ to_numpy(key).swapaxes(-1, -2)
    np.testing.assert_allclose(trace.scores, products)
    np.testing.assert_allclose(trace.scaled, 3 * trace.scores)
    np.testing.assert_allclose(trace.capped, 2 * np.tanh(trace.scaled / 2))
    np.testing.assert_allclose(trace.biased, trace.capped + to_numpy(bias))
    np.testing.assert_array_equal(trace.masked, np.where(mask, trace.biased, -np.inf))
    np.testing.assert_allclose(trace.weights, ar.softmax(trace.masked))
    np.testing.assert_allclose(trace.output, trace.weights @ to_numpy(value))
    np.testing.assert_allclose(trace.log_sum_exp, ar.log_sum_exp(trace.masked))


def test_a_step_that_was_not_asked_for_equals_the_one_before(rng):
    x = rng.standard_normal((3, 4))

    trace = ar.trace_attention(x, x, x, scale=1.0)

    for step in ("scaled", "capped", "biased", "masked"):
        np.testing.assert_array_equal(getattr(trace, step), trace.scores)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_results_are_those_of_the_other_functions(rng, dtype):
    query, key, value = (rng.standard_normal((2, 5, 4)).astype(dtype) for _ in "qkv")
    options = {"causal": True, "sink": 0.5, "softcap": 2.0}

    trace = ar.trace_attention(query, key, value, **options)

    output, log_sum = ar.attention_with_log_sum_exp(query, key, value, **options)
    weights = ar.attention_weights(query, key, **options)
    for ours, other in (
        (trace.output, output),
        (trace.log_sum_exp, log_sum),
        (trace.weights, weights),
    ):
        assert ours.dtype == other.dtype
        np.testing.assert_array_equal(ours, other)
    assert trace.scores.dtype == (np.float64 if dtype == np.float64 else np.float32)


def test_steps_have_the_heads_of_the_query(rng):
    query, key = rng.standard_normal((6, 5, 4)), rng.standard_normal((3, 7, 4))

    trace = ar.trace_attention(query, key, key)

    assert trace.scores.shape == trace.weights.shape == (6, 5, 7)
