"""Masks from what is known of each position."""

import numpy as np
from array_libraries import to_numpy
from test_masks import picture

from attention_ref import causal_mask, document_mask, position_mask


def test_documents_see_themselves_only(library):
    documents = library.integers([5, 5, 2, 5])

    assert picture(document_mask(documents)) == ["xx.x", "xx.x", "..x.", "xx.x"]


def test_documents_of_queries_and_keys_may_differ(library):
    mask = document_mask(library.integers([1, 0]), library.integers([0, 1, 1]))

    assert picture(mask) == [".xx", "x.."]


def test_documents_of_a_batch_get_an_axis_for_heads(library):
    mask = document_mask(library.integers([[0, 0], [0, 1]]))

    assert mask.shape == (2, 1, 2, 2)
    assert picture(mask[0, 0, ...]) == ["xx", "xx"]
    assert picture(mask[1, 0, ...]) == ["x.", ".x"]


def test_packed_documents_are_causal_within_themselves():
    mask = document_mask(np.asarray([0, 0, 1])) & causal_mask(3)

    assert picture(mask) == ["x..", "xx.", "..x"]


def test_positions_decide_wherever_keys_are_stored(library):
    stored = library.integers([3, 4, 2, -1])
    query = library.integers([4, 3])

    assert picture(position_mask(query, stored)) == ["xxx.", "x.x."]
    assert picture(position_mask(query, stored, left=1)) == ["xx..", "x.x."]
    assert picture(position_mask(query, stored, left=0)) == [".x..", "x..."]
    assert picture(position_mask(query, stored, right=1)) == ["xxx.", "xxx."]
    assert picture(position_mask(query, stored, right=None)) == ["xxx.", "xxx."]


def test_positions_in_their_order_give_the_causal_mask():
    positions = np.arange(5)

    np.testing.assert_array_equal(position_mask(positions, positions), causal_mask(5))


def test_position_zero_is_a_position():
    zero = np.asarray([0])

    assert picture(position_mask(zero, zero)) == ["x"]


def test_positions_of_a_batch_get_an_axis_for_heads(library):
    mask = position_mask(
        library.integers([[1], [0]]), library.integers([[0, 1], [0, 1]])
    )

    assert to_numpy(mask).tolist() == [[[[True, True]]], [[[True, False]]]]
