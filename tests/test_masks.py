"""Masks from lengths."""

import numpy as np
import pytest
from array_libraries import to_numpy

from attention_ref import causal_mask, padding_mask, prefix_mask, sliding_window_mask


def picture(mask):
    """Draw a mask: one string a row, x where a query may see a key."""
    return ["".join(".x"[int(seen)] for seen in row) for row in to_numpy(mask)]


def test_causal_lets_each_position_see_itself_and_what_came_before():
    assert picture(causal_mask(3)) == ["x..", "xx.", "xxx"]


def test_upper_left_starts_the_diagonal_at_the_first_key():
    assert picture(causal_mask(2, 4, alignment="upper-left")) == ["x...", "xx.."]
    assert picture(causal_mask(3, 2, alignment="upper-left")) == ["x.", "xx", "xx"]


def test_lower_right_ends_the_diagonal_at_the_last_key():
    assert picture(causal_mask(2, 4, alignment="lower-right")) == ["xxx.", "xxxx"]
    assert picture(causal_mask(3, 2, alignment="lower-right")) == ["..", "x.", "xx"]


def test_alignment_makes_no_difference_for_equal_lengths():
    for alignment in (None, True, "upper-left", "lower-right"):
        assert picture(causal_mask(2, 2, alignment=alignment)) == ["x.", "xx"]


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (1, 0, ["x...", "xx..", ".xx.", "..xx"]),
        (0, 1, ["xx..", ".xx.", "..xx", "...x"]),
        (1, 1, ["xx..", "xxx.", ".xxx", "..xx"]),
        (0, 0, ["x...", ".x..", "..x.", "...x"]),
        (None, 0, ["x...", "xx..", "xxx.", "xxxx"]),
        (2, None, ["xxxx", "xxxx", "xxxx", ".xxx"]),
        (None, None, ["xxxx", "xxxx", "xxxx", "xxxx"]),
    ],
)
def test_a_window_counts_keys_before_and_after_the_own_one(left, right, expected):
    assert picture(sliding_window_mask(4, left=left, right=right)) == expected


def test_a_window_follows_the_alignment():
    window = {"left": 1, "right": 0}

    upper = sliding_window_mask(2, 4, alignment="upper-left", **window)
    lower = sliding_window_mask(2, 4, alignment="lower-right", **window)

    assert picture(upper) == ["x...", "xx.."]
    assert picture(lower) == [".xx.", "..xx"]


def test_a_prefix_is_seen_by_all():
    assert picture(prefix_mask(2, 4)) == ["xx..", "xx..", "xxx.", "xxxx"]
    assert picture(prefix_mask(0, 2)) == ["x.", "xx"]
    assert picture(prefix_mask(9, 2)) == ["xx", "xx"]


def test_a_prefix_follows_the_alignment():
    lower = prefix_mask(1, 2, 4, alignment="lower-right")
    upper = prefix_mask(1, 2, 4, alignment="upper-left")

    assert picture(lower) == ["xxx.", "xxxx"]
    assert picture(upper) == ["x...", "xx.."]


def test_padding_is_hidden_from_every_head_and_query():
    mask = padding_mask([2, 0, 3], 3)

    assert mask.shape == (3, 1, 1, 3)
    assert picture(mask[:, 0, 0]) == ["xx.", "...", "xxx"]


def test_padding_of_an_empty_batch_is_empty():
    assert padding_mask([], 3).shape == (0, 1, 1, 3)


def test_masks_are_combined_with_and_and_or():
    n = 3
    both = causal_mask(n) & padding_mask([2], n)
    either = causal_mask(n) | padding_mask([2], n)

    assert picture(both[0, 0]) == ["x..", "xx.", "xx."]
    assert picture(either[0, 0]) == picture(prefix_mask(2, n))


def test_masks_are_made_for_the_library_of_an_array(library):
    like = library.array([0.0])
    masks = [
        causal_mask(3, like=like),
        sliding_window_mask(3, left=1, right=0, like=like),
        prefix_mask(1, 3, like=like),
        padding_mask(library.integers([1, 2]), 3),
    ]

    for mask in masks:
        assert type(mask) is type(library.booleans([True]))
        assert to_numpy(mask).dtype == np.bool_


def test_a_length_of_zero_makes_an_empty_mask():
    assert causal_mask(0).shape == (0, 0)
    assert causal_mask(0, 3, alignment="lower-right").shape == (0, 3)
