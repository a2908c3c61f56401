"""The shorter way through large problems in NumPy."""

import math

import numpy as np
import pytest

import attention_ref as ar
from attention_ref import _tiles

LENGTH = 700
"""Longer than two tiles of the size set here."""


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch):
    """Let there be several tiles without large problems."""
    monkeypatch.setattr(_tiles, "QUERIES", 512)
    monkeypatch.setattr(_tiles, "KEYS", 64)


@pytest.fixture
def ways(monkeypatch):
    """Note which way each part of a problem was taken."""
    taken = []
    for way in ("_short_way", "_usual_way"):
        take = getattr(_tiles, way)

        def noted(*arguments, way=way, take=take):
            result = take(*arguments)
            taken.append((way, bool(result)))
            return result

        monkeypatch.setattr(_tiles, way, noted)
    return taken


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("causal", [None, True])
@pytest.mark.parametrize("scale", [None, -0.5, 3.0])
def test_the_result_is_as_exact_as_the_dtype_allows(rng, ways, dtype, causal, scale):
    arrays = [rng.standard_normal((LENGTH, 8)).astype(dtype) for _ in "qkv"]
    options = {"causal": causal, "scale": scale}

    output, log_sum = ar.attention_with_log_sum_exp(*arrays, **options)

    exact = [array.astype(np.longdouble) for array in arrays]
    factor = 1 / math.sqrt(8) if scale is None else scale
    scores = exact[0] @ exact[1].T * factor
    scores = np.where(ar.causal_mask(LENGTH) if causal else True, scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    total = weights.sum(-1, keepdims=True)
    weights /= total
    size = (weights @ np.abs(exact[2])).astype(dtype)
    largest = np.max(np.abs(exact[0]) @ np.abs(exact[1]).T) * abs(factor)
    unit = np.finfo(dtype).eps / 2
    allowed = np.spacing(size) + 4 * (1 + largest) * unit * size
    assert (np.abs(output - weights @ exact[2]) <= allowed).all()
    expected = scores.max(-1) + np.log(total[:, 0])
    assert np.abs(log_sum - expected).max() <= 4 * (1 + largest) * unit
    assert ways == [("_short_way", True)] * 2


def test_a_bound_that_is_far_off_leads_back_to_the_usual_way(rng, ways, monkeypatch):
    query, key, value = (rng.standard_normal((LENGTH, 8)) for _ in "qkv")
    query *= 200
    added, add = [], _tiles.add_tile
    monkeypatch.setattr(_tiles, "add_tile", lambda *x: added.append(x) or add(*x))

    output = ar.scaled_dot_product_attention(query, key, value)

    trace = ar.trace_attention(query, key, value)
    np.testing.assert_allclose(output, trace.output, atol=1e-12)
    assert ways == [("_short_way", False), ("_usual_way", True)] * 2
    assert len(added) == 2  # the first tile of each is enough to see it


def test_one_query_that_is_far_off_takes_only_its_rows_with_it(rng, ways):
    query, key, value = (rng.standard_normal((LENGTH, 8)) for _ in "qkv")
    query[3] *= 500

    output = ar.scaled_dot_product_attention(query, key, value)

    trace = ar.trace_attention(query, key, value)
    np.testing.assert_allclose(output, trace.output, atol=1e-12)
    assert ways == [
        ("_short_way", False),
        ("_usual_way", True),
        ("_short_way", True),
    ]


def test_empty_rows_get_zeros(rng):
    query, key, value = (rng.standard_normal((LENGTH, 8)) for _ in "qkv")
    mask = rng.random((LENGTH, LENGTH)) < 0.5
    mask[[5, 600]] = False

    output, log_sum = ar.attention_with_log_sum_exp(query, key, value, mask=mask)

    trace = ar.trace_attention(query, key, value, mask=mask)
    np.testing.assert_allclose(output, trace.output, atol=1e-13)
    np.testing.assert_allclose(log_sum, trace.log_sum_exp, atol=1e-13)
    assert (output[[5, 600]] == 0).all()
    assert (log_sum[[5, 600]] == -math.inf).all()


@pytest.mark.parametrize("bad", [math.nan, math.inf, 1e200])
@pytest.mark.parametrize("where", ["query", "key", "value"])
def test_what_is_not_finite_takes_the_usual_way(rng, ways, bad, where):
    arrays = {name: rng.standard_normal((LENGTH, 8)) for name in ("query", "key")}
    arrays["value"] = rng.standard_normal((LENGTH, 8))
    arrays[where][-1, 0] = bad
    mask = np.arange(LENGTH) < LENGTH - 1

    output = ar.scaled_dot_product_attention(**arrays, mask=mask)

    expected = ar.trace_attention(**arrays, mask=mask).output
    np.testing.assert_allclose(output, expected, atol=1e-12)
    if where != "value" or bad != 1e200:
        assert ("_usual_way", True) in ways


def test_a_hidden_nan_is_seen_even_where_values_have_no_width(rng):
    query, key = rng.standard_normal((2, LENGTH, 8))
    key[-1] = math.nan
    mask = np.arange(LENGTH) < LENGTH - 1

    _, log_sum = ar.attention_with_log_sum_exp(query, key, key[:, :0], mask=mask)

    expected = ar.trace_attention(query, key, key[:, :0], mask=mask).log_sum_exp
    np.testing.assert_allclose(log_sum, expected, atol=1e-12)


def test_values_so_large_that_their_sums_overflow_take_the_usual_way(ways):
    query = key = np.full((LENGTH, 1), 4, np.float32)
    value = np.full((LENGTH, 1), 1e34, np.float32)

    output = ar.scaled_dot_product_attention(query, key, value)

    np.testing.assert_allclose(output, value, rtol=1e-6)
    assert ways == [("_short_way", False), ("_usual_way", True)] * 2


@pytest.mark.parametrize(("scale", "subtracts"), [(2.0, False), (2.01, True)])
def test_nothing_is_subtracted_from_scores_that_are_low(monkeypatch, scale, subtracts):
    shifts, bound = [], _tiles.bounded
    monkeypatch.setattr(
        _tiles, "bounded", lambda *x: shifts.append(bound(*x).shift) or bound(*x)
    )
    ones = np.full((LENGTH, 16), math.sqrt(math.log(2)))  # 16 each, in units of base 2

    output = ar.scaled_dot_product_attention(ones, ones, ones, scale=scale)

    np.testing.assert_allclose(output, ones)
    assert [shift is not None for shift in shifts] == [subtracts]


@pytest.mark.parametrize(
    "option", [{"bias": np.zeros(1)}, {"softcap": 3.0}, {"sink": 0.0}], ids=str
)
def test_what_changes_the_scores_takes_the_usual_way(rng, ways, option):
    query, key, value = (rng.standard_normal((LENGTH, 8)) for _ in "qkv")

    output = ar.scaled_dot_product_attention(query, key, value, **option)

    trace = ar.trace_attention(query, key, value, **option)
    np.testing.assert_allclose(output, trace.output, atol=1e-13)
    assert ways == [("_usual_way", True)] * 2


def test_a_scale_in_an_array_does_not_widen_anything(rng, ways):
    arrays = [rng.standard_normal((LENGTH, 8)).astype(np.float32) for _ in "qkv"]

    output, log_sum = ar.attention_with_log_sum_exp(*arrays, scale=np.asarray(0.3))

    assert output.dtype == log_sum.dtype == np.float32
    assert ways[0] == ("_short_way", True)
