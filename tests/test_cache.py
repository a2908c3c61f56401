"""A key-value cache: step by step gives what the whole gives."""

import math
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from array_libraries import to_numpy

import attention_ref as ar
from attention_ref import KeyValueCache

BATCH, HEADS, KEY_HEADS, LENGTH, WIDTH, VALUE_WIDTH = 2, 6, 3, 13, 5, 7
SPLITS = [[13], [1] * 13, [5, 8], [7, 1, 1, 4], [2, 11]]


@pytest.fixture
def sequence(rng):
    """Queries, keys and values of one whole sequence."""
    return (
        rng.standard_normal((BATCH, HEADS, LENGTH, WIDTH)),
        rng.standard_normal((BATCH, KEY_HEADS, LENGTH, WIDTH)),
        rng.standard_normal((BATCH, KEY_HEADS, LENGTH, VALUE_WIDTH)),
    )


def chunks(sequence, sizes):
    """Cut a sequence into chunks of these sizes."""
    start = 0
    for size in sizes:
        yield [array[..., start : start + size, :] for array in sequence]
        start += size


@pytest.mark.parametrize("sizes", SPLITS, ids=str)
def test_any_split_gives_the_causal_pass(library, sequence, sizes):
    cache, outputs = KeyValueCache(), []

    for chunk in chunks(sequence, sizes):
        query, key, value = map(library.array, chunk)
        cache = cache.append(key, value)
        outputs.append(to_numpy(cache.attend(query)))

    whole = ar.scaled_dot_product_attention(*sequence, causal=True)
    np.testing.assert_allclose(np.concatenate(outputs, axis=2), whole, atol=1e-13)
    assert cache.key.shape[-2] == LENGTH


@pytest.mark.parametrize("left", [0, 1, 4])
@pytest.mark.parametrize("sizes", SPLITS, ids=str)
def test_any_split_gives_the_pass_through_a_window(sequence, sizes, left):
    cache, outputs = KeyValueCache(left=left), []

    for query, key, value in chunks(sequence, sizes):
        cache = cache.append(key, value)
        outputs.append(cache.attend(query))
        assert cache.key.shape[-2] <= left + key.shape[-2]

    mask = ar.sliding_window_mask(LENGTH, left=left, right=0)
    whole = ar.scaled_dot_product_attention(*sequence, mask=mask)
    np.testing.assert_allclose(np.concatenate(outputs, axis=2), whole, atol=1e-13)


@pytest.mark.parametrize("left", [None, 0, 2])
def test_sequences_of_a_batch_may_grow_at_their_own_pace(library, sequence, left):
    cache, seen = KeyValueCache(left=left), np.zeros(BATCH, dtype=int)
    found = [[], []]

    for lengths in ([3, 5], [4, 0], [6, 8]):
        query, key, value = (
            np.full((BATCH, array.shape[1], max(lengths), array.shape[3]), math.nan)
            for array in sequence
        )
        for b, length in enumerate(lengths):
            rows = slice(seen[b], seen[b] + length)
            for padded, array in zip((query, key, value), sequence, strict=True):
                padded[b, :, :length] = array[b, :, rows]
        cache = cache.append(
            library.array(key),
            library.array(value),
            lengths=library.integers(lengths),
        )
        output = to_numpy(cache.attend(library.array(query)))
        for b, length in enumerate(lengths):
            found[b].append(output[b, :, :length])
            assert (output[b, :, length:] == 0).all()
        seen += lengths

    mask = ar.sliding_window_mask(LENGTH, left=left, right=0)
    whole = ar.scaled_dot_product_attention(*sequence, mask=mask)
    for b in range(BATCH):
        steps = np.concatenate(found[b], axis=1)
        np.testing.assert_allclose(steps, whole[b], atol=1e-13)
    assert to_numpy(cache.lengths).tolist() == [LENGTH, LENGTH]


def test_appending_leaves_the_old_cache_as_it_is(sequence):
    _, key, value = sequence
    old = KeyValueCache().append(key, value)

    new = old.append(key, value)

    assert old.key.shape[-2] == LENGTH
    assert new.key.shape[-2] == 2 * LENGTH
    np.testing.assert_array_equal(old.positions, [range(LENGTH)] * BATCH)
    np.testing.assert_array_equal(new.positions, [range(2 * LENGTH)] * BATCH)


def test_only_the_last_token_may_ask(sequence):
    query, key, value = sequence
    cache = KeyValueCache().append(key, value)

    output = cache.attend(query[..., -1:, :])

    np.testing.assert_array_equal(output, cache.attend(query)[..., -1:, :])


def test_the_next_positions_follow_those_appended(library):
    cache = KeyValueCache()
    assert to_numpy(cache.next_positions(2)).tolist() == [0, 1]

    two = library.array(np.ones((2, 1, 2, 1)))
    cache = cache.append(two, two, lengths=library.integers([1, 2]))

    assert to_numpy(cache.next_positions(3)).tolist() == [[[1, 2, 3]], [[2, 3, 4]]]


def test_rotated_keys_are_rotated_by_their_own_positions(sequence):
    def rotate(x, positions=None):
        return ar.rotary_embedding(x, positions, layout="half", width=4)

    cache, outputs = KeyValueCache(left=3), []
    for query, key, value in chunks(sequence, [4, 1, 8]):
        positions = cache.next_positions(key.shape[-2])
        cache = cache.append(rotate(key, positions), value)
        outputs.append(cache.attend(rotate(query, positions)))

    query, key, value = sequence
    whole = ar.scaled_dot_product_attention(
        rotate(query),
        rotate(key),
        value,
        mask=ar.sliding_window_mask(LENGTH, left=3, right=0),
    )
    np.testing.assert_allclose(np.concatenate(outputs, axis=2), whole, atol=1e-13)


def test_a_cache_without_a_batch_has_one_row_of_positions(sequence):
    query, key, value = (array[0] for array in sequence)

    cache = KeyValueCache().append(key, value)

    assert cache.positions.shape == (LENGTH,)
    np.testing.assert_allclose(
        cache.attend(query),
        ar.scaled_dot_product_attention(query, key, value, causal=True),
        atol=1e-14,
    )


def test_options_reach_attention(sequence, rng):
    query, key, value = sequence
    options = {
        "bias": rng.standard_normal((HEADS, LENGTH, LENGTH)),
        "scale": 0.5,
        "softcap": 2.0,
        "sink": rng.standard_normal(HEADS),
    }

    output = KeyValueCache().append(key, value).attend(query, **options)

    expected = ar.scaled_dot_product_attention(*sequence, causal=True, **options)
    np.testing.assert_array_equal(output, expected)


def test_a_cache_without_a_batch_drops_what_its_window_has_passed(sequence):
    cache, (_, key, _) = KeyValueCache(left=2), sequence
    for step in range(5):
        token = key[0, :, step : step + 1]
        cache = cache.append(token, token)

    assert cache.positions.tolist() == [2, 3, 4]
    assert cache.lengths.tolist() == 5
    assert cache.attend(token).shape == token.shape


def test_a_cache_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        KeyValueCache().left = 3


def test_the_slots_of_padding_have_position_minus_one(sequence):
    _, key, value = sequence
    key, value = key[:, :, :3], value[:, :, :3]
    lengths = np.arange(len(key)) % 3

    cache = KeyValueCache().append(key, value, lengths=lengths)

    slots = np.arange(3)
    expected = np.where(slots < lengths[:, None], slots, -1)
    np.testing.assert_array_equal(cache.positions, expected)


def test_a_cache_without_a_batch_takes_one_length(sequence):
    key = sequence[1][0, :, :5]

    cache = KeyValueCache().append(key, key, lengths=np.asarray(2))

    assert cache.positions.tolist() == [0, 1, -1, -1, -1]
    assert cache.lengths == 2
    with pytest.raises(ValueError, match="the appended length = 3, got 4 to 4"):
        KeyValueCache().append(key[:, :3], key[:, :3], lengths=np.asarray(4))
