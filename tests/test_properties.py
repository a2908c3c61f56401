"""What holds for every problem: properties that Hypothesis tries to break."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import attention_ref as ar

TRIES = settings(max_examples=60, deadline=None)
SEEDS = st.integers(0, 2**32 - 1)


@st.composite
def problems(draw, *, equal_lengths=False):
    """Query, key and value with grouped heads, and options of every kind."""
    rng = np.random.default_rng(draw(SEEDS))
    key_heads, group = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    queries = draw(st.integers(1, 9))
    keys = queries if equal_lengths else draw(st.integers(1, 9))
    width, value_width = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    size = draw(st.sampled_from([0.1, 1.0, 30.0]))
    heads = key_heads * group
    arrays = (
        size * rng.standard_normal((2, heads, queries, width)),
        rng.standard_normal((2, key_heads, keys, width)),
        rng.standard_normal((2, key_heads, keys, value_width)),
    )
    share = draw(st.sampled_from([0.0, 0.3, 0.9]))
    every = {
        "mask": rng.random((2, 1, queries, keys)) < share,
        "bias": rng.standard_normal((heads, queries, keys)),
        "causal": draw(st.sampled_from(["upper-left", "lower-right"])),
        "scale": draw(st.sampled_from([0.0, -0.5, 2.0])),
        "softcap": draw(st.sampled_from([0.5, 20.0])),
        "sink": rng.standard_normal(heads),
    }
    chosen = draw(st.sets(st.sampled_from(sorted(every))))
    return arrays, {name: every[name] for name in chosen}, rng


def without(options, *names):
    """Leave some of the options out."""
    return {name: option for name, option in options.items() if name not in names}


@TRIES
@given(problems())
def test_weights_sum_to_one_or_zero_or_to_less_with_a_sink(problem):
    (query, key, _), options, _ = problem

    weights = ar.attention_weights(query, key, **options)

    sums = weights.sum(-1)
    assert (weights >= 0).all()
    if "sink" in options:
        assert (sums < 1 + 1e-12).all()
    else:
        empty = (weights == 0).all(-1)
        np.testing.assert_allclose(sums, np.where(empty, 0, 1), atol=1e-12)


@TRIES
@given(problems())
def test_the_output_is_the_values_weighted_and_stays_between_them(problem):
    (query, key, value), options, _ = problem

    output = ar.scaled_dot_product_attention(query, key, value, **options)

    weights = ar.attention_weights(query, key, **options)
    group = query.shape[1] // key.shape[1]
    expected = weights @ np.repeat(value, group, axis=1)
    np.testing.assert_allclose(output, expected, atol=1e-12)
    assert (np.abs(output) <= np.abs(value).max() + 1e-12).all()


@TRIES
@given(problems())
def test_permuting_keys_with_their_values_changes_nothing(problem):
    (query, key, value), options, rng = problem
    options = without(options, "causal")
    order = rng.permutation(key.shape[-2])

    output = ar.scaled_dot_product_attention(query, key, value, **options)

    moved = {
        name: option[..., order] if name in ("mask", "bias") else option
        for name, option in options.items()
    }
    permuted = ar.scaled_dot_product_attention(
        query, key[..., order, :], value[..., order, :], **moved
    )
    np.testing.assert_allclose(permuted, output, atol=1e-12)


@TRIES
@given(problems(equal_lengths=True), st.sampled_from([math.nan, math.inf, 1e300]))
def test_future_tokens_do_not_change_the_past_whatever_they_hold(problem, junk):
    (query, key, value), options, rng = problem
    options = without(options, "causal")
    first = int(rng.integers(0, key.shape[-2]))

    before = ar.scaled_dot_product_attention(query, key, value, causal=True, **options)

    key, value = key.copy(), value.copy()
    key[..., first:, :], value[..., first:, :] = junk, junk
    after = ar.scaled_dot_product_attention(query, key, value, causal=True, **options)
    np.testing.assert_allclose(
        after[..., :first, :], before[..., :first, :], rtol=1e-12, atol=1e-12
    )


@TRIES
@given(problems(), st.integers(1, 10))
def test_blockwise_equals_direct(problem, block_size):
    arrays, options, _ = problem

    output = ar.blockwise_attention(*arrays, block_size=block_size, **options)

    direct = ar.scaled_dot_product_attention(*arrays, **options)
    np.testing.assert_allclose(output, direct, atol=1e-12)


@TRIES
@given(problems(), st.integers(0, 9), st.integers(0, 9))
def test_parts_merged_in_any_order_equal_the_whole(problem, one, other):
    (query, key, value), options, rng = problem
    options = without(options, "causal", "sink")
    cuts = [
        0,
        *sorted({min(cut, key.shape[-2]) for cut in (one, other)}),
        key.shape[-2],
    ]

    parts = []
    for some in map(slice, cuts[:-1], cuts[1:]):
        own = {
            name: option[..., some] if name in ("mask", "bias") else option
            for name, option in options.items()
        }
        part = key[..., some, :], value[..., some, :]
        parts.append(ar.attention_with_log_sum_exp(query, *part, **own))
    rng.shuffle(parts)
    merged = ar.merge_partial_results(*zip(*parts, strict=True))

    whole = ar.attention_with_log_sum_exp(query, key, value, **options)
    for result, expected in zip(merged, whole, strict=True):
        np.testing.assert_allclose(result, expected, atol=1e-12)


@TRIES
@given(problems(equal_lengths=True), st.none() | st.integers(0, 4), st.data())
def test_a_cache_equals_the_full_pass_for_any_split(problem, left, data):
    arrays, options, _ = problem
    options = without(options, "causal", "mask", "bias")
    length = arrays[0].shape[-2]

    cache, outputs, start = ar.KeyValueCache(left=left), [], 0
    while start < length:
        stop = start + data.draw(st.integers(1, length - start))
        query, key, value = (array[..., start:stop, :] for array in arrays)
        cache = cache.append(key, value)
        outputs.append(cache.attend(query, **options))
        start = stop

    mask = ar.sliding_window_mask(length, left=left, right=0)
    full = ar.scaled_dot_product_attention(*arrays, mask=mask, **options)
    np.testing.assert_allclose(np.concatenate(outputs, axis=2), full, atol=1e-12)


@TRIES
@given(problems())
def test_grouped_heads_equal_repeated_heads(problem):
    (query, key, value), options, _ = problem
    group = query.shape[1] // key.shape[1]

    grouped = ar.scaled_dot_product_attention(query, key, value, **options)

    repeated = (np.repeat(array, group, axis=1) for array in (key, value))
    expected = ar.scaled_dot_product_attention(query, *repeated, **options)
    np.testing.assert_allclose(grouped, expected, atol=1e-12)


@TRIES
@given(
    SEEDS,
    st.integers(0, 1000),
    st.integers(0, 1000),
    st.integers(0, 1000),
    st.sampled_from(["half", "interleaved"]),
)
def test_rotary_scores_depend_on_differences_of_positions_only(
    seed, one, other, shift, layout
):
    query, key = np.random.default_rng(seed).standard_normal((2, 1, 8))

    def score(query_position, key_position):
        q = ar.rotary_embedding(query, np.asarray([query_position]), layout=layout)
        k = ar.rotary_embedding(key, np.asarray([key_position]), layout=layout)
        return (q @ k.T).item()

    moved = score(one + shift, other + shift)
    np.testing.assert_allclose(moved, score(one, other), atol=1e-10)


@TRIES
@given(problems(), st.floats(-100, 100))
def test_shifting_all_scores_changes_nothing_but_the_log_sum(problem, shift):
    arrays, options, _ = problem
    options = without(options, "sink")
    bias = options.pop("bias", np.zeros((1, 1)))

    before = ar.attention_with_log_sum_exp(*arrays, bias=bias, **options)
    after = ar.attention_with_log_sum_exp(*arrays, bias=bias + shift, **options)

    np.testing.assert_allclose(after[0], before[0], atol=1e-11)
    np.testing.assert_allclose(after[1], before[1] + shift, atol=1e-11)
