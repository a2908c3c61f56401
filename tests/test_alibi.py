"""ALiBi."""

import numpy as np
import pytest
from array_libraries import to_numpy

from attention_ref import alibi_bias, alibi_slopes


@pytest.mark.parametrize(
    ("heads", "halvings"),
    [
        (1, [8]),
        (2, [4, 8]),
        (3, [4, 8, 2]),
        (4, [2, 4, 6, 8]),
        (6, [2, 4, 6, 8, 1, 3]),
        (8, [1, 2, 3, 4, 5, 6, 7, 8]),
        (12, [1, 2, 3, 4, 5, 6, 7, 8, 0.5, 1.5, 2.5, 3.5]),
    ],
)
def test_slopes_follow_the_two_part_rule(heads, halvings):
    np.testing.assert_array_equal(alibi_slopes(heads), 2.0 ** -np.asarray(halvings))


def test_the_bias_grows_with_distance_on_both_sides(library):
    bias = to_numpy(alibi_bias(2, 3, like=library.array([0.0])))

    distance = np.asarray([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    np.testing.assert_array_equal(bias, [-distance / 16, -distance / 256])


def test_the_bias_follows_the_alignment():
    lower = alibi_bias(1, 1, 4, alignment="lower-right")
    upper = alibi_bias(1, 1, 4, alignment="upper-left")

    np.testing.assert_array_equal(lower * 256, [[[-3, -2, -1, 0]]])
    np.testing.assert_array_equal(upper * 256, [[[0, -1, -2, -3]]])


def test_slopes_and_bias_have_the_dtype_of_an_array(library):
    like = library.array([0.0])
    kind = type(like)

    assert type(alibi_slopes(3, like=like)) is kind
    assert alibi_slopes(3, like=like).dtype == like.dtype
    assert alibi_bias(3, 2, like=like).dtype == like.dtype
    assert alibi_slopes(3, like=np.zeros(0, np.float16)).dtype == np.float16
    assert alibi_bias(3, 2).dtype == np.float64


def test_a_narrow_bias_is_rounded_once():
    narrow = alibi_bias(12, 1, 3000, alignment="lower-right", like=np.zeros(0, "f2"))

    wide = alibi_bias(12, 1, 3000, alignment="lower-right", like=np.zeros(0, "f4"))
    np.testing.assert_array_equal(narrow, wide.astype(np.float16))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_bias_is_the_slope_times_the_distance(dtype):
    like = np.ones(1, dtype)

    bias = alibi_bias(12, 1, 100, alignment="lower-right", like=like)

    distance = np.arange(99, -1, -1, dtype=dtype)
    slopes = alibi_slopes(12, like=like)
    np.testing.assert_array_equal(bias[:, 0], -slopes[:, None] * distance)
