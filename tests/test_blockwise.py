"""Blockwise attention and merging partial results."""

import math
import tracemalloc

import numpy as np
import pytest
from array_libraries import to_numpy

import attention_ref as ar
from attention_ref import _tiles, blockwise_attention, merge_partial_results

BATCH, HEADS, KEY_HEADS, QUERIES, KEYS, WIDTH, VALUE_WIDTH = 2, 6, 3, 13, 17, 5, 7


@pytest.fixture
def arrays(rng):
    """Query, key and value with grouped heads."""
    return (
        rng.standard_normal((BATCH, HEADS, QUERIES, WIDTH)),
        rng.standard_normal((BATCH, KEY_HEADS, KEYS, WIDTH)),
        rng.standard_normal((BATCH, KEY_HEADS, KEYS, VALUE_WIDTH)),
    )


@pytest.fixture
def options(rng):
    """A mask with an empty row, and everything else that varies."""
    mask = rng.random((BATCH, 1, QUERIES, KEYS)) < 0.5
    mask[1, 0, 3] = False
    return {
        "mask": mask,
        "bias": rng.standard_normal((HEADS, 1, KEYS)),
        "sink": rng.standard_normal(HEADS),
    }


def in_library(library, options):
    """Take the arrays among the options into a library."""
    return {
        name: library.booleans(option) if name == "mask" else library.array(option)
        for name, option in options.items()
    }


@pytest.mark.parametrize("block_size", [1, 4, 13, 16, 100])
def test_any_block_size_gives_the_direct_result(library, arrays, options, block_size):
    output = blockwise_attention(
        *map(library.array, arrays),
        **in_library(library, options),
        block_size=block_size,
    )

    direct = ar.scaled_dot_product_attention(*arrays, **options)
    np.testing.assert_allclose(to_numpy(output), direct, atol=1e-13)


@pytest.mark.parametrize("causal", ["upper-left", "lower-right"])
@pytest.mark.parametrize("queries", [3, 17, 23])
@pytest.mark.parametrize("softcap", [None, 1.5])
def test_the_diagonal_may_cross_blocks_anywhere(rng, causal, queries, softcap):
    query, key = rng.standard_normal((queries, 5)), rng.standard_normal((17, 5))
    options = {"causal": causal, "softcap": softcap, "scale": 0.7}

    direct = ar.scaled_dot_product_attention(query, key, key, **options)

    for block_size in (2, 3, 5, 7):
        output = blockwise_attention(query, key, key, block_size=block_size, **options)
        np.testing.assert_allclose(output, direct, atol=1e-14)


def test_a_mask_may_be_a_function_of_positions(library, arrays):
    def window(query_position, key_position):
        distance = query_position - key_position
        return (distance <= 3) & (distance >= -1)

    output = blockwise_attention(
        *map(library.array, arrays), mask=window, causal="lower-right", block_size=4
    )

    mask = window(np.arange(QUERIES)[:, None], np.arange(KEYS))
    direct = ar.scaled_dot_product_attention(*arrays, mask=mask, causal="lower-right")
    np.testing.assert_allclose(to_numpy(output), direct, atol=1e-13)


def test_a_function_of_positions_may_differ_between_heads_and_sequences(arrays):
    lengths = np.asarray([9, 4])[:, None, None, None]
    lefts = np.arange(HEADS)[:, None, None]

    def rule(query_position, key_position):
        return (key_position < lengths) & (query_position - key_position <= lefts)

    output = blockwise_attention(*arrays, mask=rule, block_size=4)

    mask = rule(np.arange(QUERIES)[:, None], np.arange(KEYS))
    direct = ar.scaled_dot_product_attention(*arrays, mask=mask)
    np.testing.assert_allclose(output, direct, atol=1e-13)


@pytest.mark.parametrize("bias", [None, np.zeros(1)], ids=["short", "usual"])
@pytest.mark.parametrize(
    "option",
    [
        {"causal": True},
        {"mask": ar.causal_mask(12)},
        {"mask": lambda query, key: key <= query},
    ],
    ids=["causal", "array", "function"],
)
def test_blocks_that_are_hidden_are_skipped(arrays, monkeypatch, option, bias):
    x = arrays[1][0, 0, :12]
    taken = []
    way = "add_tile" if bias is None else "absorb"
    take = getattr(_tiles, way)
    monkeypatch.setattr(_tiles, way, lambda *tile: taken.append(tile) or take(*tile))

    output = blockwise_attention(x, x, x, block_size=1, bias=bias, **option)

    direct = ar.scaled_dot_product_attention(x, x, x, causal=True)
    np.testing.assert_allclose(output, direct, atol=1e-14)
    assert len(taken) == 5 + 10 + 12  # five queries at a time


def test_queries_that_the_diagonal_hides_from_a_block_are_left_out(rng, monkeypatch):
    x = rng.standard_normal((12, 2))
    rows, add = [], _tiles.add_tile
    monkeypatch.setattr(
        _tiles, "add_tile", lambda *tile: rows.append(tile[-2]) or add(*tile)
    )

    blockwise_attention(x, x, x, block_size=1, causal=True)

    pairs = sum(some.stop - some.start for some in rows)
    assert pairs == 12 * 13 / 2


@pytest.mark.parametrize("axes", [2, 3])
@pytest.mark.parametrize("block_size", [1, 2])
def test_arrays_may_have_fewer_axes(library, arrays, axes, block_size):
    few = [array[(0,) * (4 - axes)] for array in (arrays[0], arrays[1], arrays[1])]

    output = blockwise_attention(*map(library.array, few), block_size=block_size)

    direct = ar.scaled_dot_product_attention(*few)
    np.testing.assert_allclose(to_numpy(output), direct, atol=1e-14)


def test_batch_axes_broadcast(library, rng):
    arrays = (
        rng.standard_normal((2, 3, 2, 13, 5)),
        rng.standard_normal((3, 1, 17, 5)),
        rng.standard_normal((2, 1, 1, 17, 3)),
    )
    mask = rng.random((3, 1, 13, 17)) < 0.7

    output = blockwise_attention(
        *map(library.array, arrays), mask=library.booleans(mask), block_size=1
    )

    direct = ar.trace_attention(*arrays, mask=mask).output
    np.testing.assert_allclose(to_numpy(output), direct, atol=1e-14)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_values_that_are_not_finite_behave_as_in_one_piece(arrays, bad):
    query, key, value = (array.copy() for array in arrays)
    value[0, 0, 5, 0] = bad
    value[0, 0, 11, 1] = -math.inf
    value[0, 0, 2, 1] = math.inf
    key[1, 1, 7] = bad
    mask = np.ones((QUERIES, KEYS), dtype=bool)
    mask[4, 5] = mask[:, 7] = False

    output = blockwise_attention(query, key, value, mask=mask, block_size=4)

    direct = ar.scaled_dot_product_attention(query, key, value, mask=mask)
    np.testing.assert_allclose(output, direct, atol=1e-13)
    assert not np.isfinite(output[0, 0, 3, 0])
    assert np.isfinite(output[0, 0, 4, 0])


def test_very_low_scores_are_not_lost():
    query, key = np.ones((1, 1)), np.asarray([[-60000.0], [-60001.0]])
    value = np.asarray([[1.0], [3.0]])

    output = blockwise_attention(query, key, value, block_size=1)

    np.testing.assert_allclose(output, [[1 + 2 / (1 + math.e)]])


def test_the_order_of_huge_and_tiny_scores_does_not_matter():
    query = np.ones((1, 1))
    for scores in ([800.0, 0.0, 799.0], [0.0, 799.0, 800.0], [799.0, 800.0, 0.0]):
        key = np.asarray(scores)[:, None]
        output = blockwise_attention(query, key, key, block_size=1)
        np.testing.assert_allclose(output, [[800 - 1 / (1 + math.e)]], rtol=1e-15)


def test_empty_axes_are_as_in_one_piece():
    for queries, keys in ((0, 3), (3, 0), (0, 0)):
        x, y = np.ones((2, queries, 5)), np.ones((2, keys, 5))
        assert blockwise_attention(x, y, y).shape == (2, queries, 5)
        assert (blockwise_attention(x, y, y) == (1 if keys else 0)).all()
    assert blockwise_attention(*[np.ones((0, 2, 3))] * 3).shape == (0, 2, 3)


def test_half_precision_is_rounded_once(rng):
    arrays = [rng.standard_normal((50, 8)).astype(np.float16) for _ in range(3)]

    output = blockwise_attention(*arrays, block_size=8)

    wide = blockwise_attention(*(a.astype(np.float32) for a in arrays), block_size=8)
    assert output.dtype == np.float16
    np.testing.assert_array_equal(output, wide.astype(np.float16))


def test_memory_grows_with_the_length_only(rng):
    peaks = []
    for length in (1024, 2048):
        x = rng.standard_normal((length, 8)).astype(np.float32)
        tracemalloc.start()
        blockwise_attention(x, x, x, causal=True, block_size=64)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()

    assert peaks[1] < 2.2 * peaks[0]
    assert peaks[1] < 2048 * 2048 / 2


def test_tiles_are_small_for_any_shape():
    for queries, keys in ((300, 30_000), (30_000, 300)):
        query, key = np.ones((queries, 1)), np.ones((keys, 1))
        tracemalloc.start()
        blockwise_attention(query, key, key)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()

        assert peak < 1.5 * _tiles.QUERIES * _tiles.KEYS * 8


@pytest.mark.parametrize("causal", [None, "upper-left", "lower-right"])
def test_large_direct_problems_are_cut_into_rows_unseen(rng, monkeypatch, causal):
    monkeypatch.setattr(_tiles, "QUERIES", 128)
    monkeypatch.setattr(_tiles, "KEYS", 32)
    query = rng.standard_normal((2, 2, 301, 5))
    key = rng.standard_normal((2, 1, 307, 5))
    value = rng.standard_normal((1, 1, 307, 3))
    options = {
        "mask": rng.random((2, 1, 1, 307)) < 0.9,
        "bias": rng.standard_normal((2, 301, 1)),
        "sink": rng.standard_normal(2),
        "causal": causal,
    }

    output, log_sum = ar.attention_with_log_sum_exp(query, key, value, **options)

    trace = ar.trace_attention(query, key, value, **options)
    assert output.shape == (2, 2, 301, 3)
    np.testing.assert_allclose(output, trace.output, atol=1e-14)
    np.testing.assert_allclose(log_sum, trace.log_sum_exp, atol=1e-13)


def test_parts_are_merged_into_the_whole(library, arrays, rng):
    query, key, value = map(library.array, arrays)
    mask = rng.random((QUERIES, KEYS)) < 0.5
    mask[2] = mask[3, :9] = mask[4, 9:] = False
    parts = [
        ar.attention_with_log_sum_exp(
            query,
            key[..., some, :],
            value[..., some, :],
            mask=library.booleans(mask[:, some]),
        )
        for some in (slice(0, 4), slice(4, 9), slice(9, 17))
    ]

    for order in ((0, 1, 2), (2, 0, 1)):
        outputs, log_sums = zip(*(parts[i] for i in order), strict=True)
        merged = merge_partial_results(outputs, log_sums)

        direct = ar.attention_with_log_sum_exp(*arrays, mask=mask)
        for result, expected in zip(merged, direct, strict=True):
            np.testing.assert_allclose(to_numpy(result), expected, atol=1e-13)


def test_an_empty_part_changes_nothing(library):
    empty = library.array([[0.0]]), library.array([-math.inf])
    full = library.array([[5.0]]), library.array([1.5])

    for parts in ((empty, full), (full, empty), (full,)):
        output, log_sum = merge_partial_results(*zip(*parts, strict=True))
        assert to_numpy(output) == 5
        assert to_numpy(log_sum) == 1.5

    output, log_sum = merge_partial_results(*zip(empty, empty, strict=True))
    assert to_numpy(output) == 0
    assert to_numpy(log_sum) == -math.inf


def test_what_an_empty_part_holds_does_not_matter():
    output, _ = merge_partial_results(
        [np.asarray([[math.nan]]), np.asarray([[5.0]])],
        [np.asarray([-math.inf]), np.asarray([0.0])],
    )

    assert output == 5


def test_merged_halves_are_rounded_once():
    outputs = [np.full((1, 1), x, np.float16) for x in (1.0, 2.0)]
    log_sums = [np.asarray([0.0], np.float32), np.asarray([math.log(2)], np.float32)]

    output, log_sum = merge_partial_results(outputs, log_sums)

    assert output.dtype == np.float16
    assert output == np.float16(5 / 3)
    assert log_sum.dtype == np.float32
    assert log_sum == pytest.approx(math.log(3))


@pytest.mark.parametrize("allowed", [True, False])
def test_a_mask_without_axes_is_for_every_block(arrays, allowed):
    output = blockwise_attention(*arrays, mask=np.asarray(allowed), block_size=2)

    direct = ar.scaled_dot_product_attention(*arrays)
    np.testing.assert_allclose(output, direct * allowed, atol=1e-14)
