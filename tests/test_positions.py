"""Positions, and encodings of them."""

import math

import numpy as np
import pytest
from array_libraries import dtype_name, to_numpy

from attention_ref import (
    positions_from_documents,
    positions_from_mask,
    sinusoidal_positions,
)


def test_the_first_real_token_is_position_zero(library):
    mask = library.booleans([[0, 0, 1, 1], [1, 1, 1, 1], [1, 1, 0, 0], [0, 0, 0, 0]])

    positions = to_numpy(positions_from_mask(mask))

    assert positions.tolist() == [[0, 0, 0, 1], [0, 1, 2, 3], [0, 1, 0, 0], [0] * 4]
    assert positions.dtype.kind == "i"


@pytest.mark.parametrize("length", [0, 1, 2, 3, 5, 17])
def test_each_document_starts_at_zero(library, rng, length):
    documents = rng.integers(0, 2, (3, length))

    positions = to_numpy(positions_from_documents(library.integers(documents)))

    for row, found in zip(documents, positions, strict=True):
        expected, previous = [], None
        for document in row:
            same = document == previous
            expected.append(expected[-1] + 1 if same else 0)
            previous = document
        assert found.tolist() == expected


def test_a_long_document_is_numbered_to_its_end():
    documents = np.zeros(1000, dtype=int)

    np.testing.assert_array_equal(positions_from_documents(documents), np.arange(1000))


def test_sines_and_cosines_alternate(library):
    encoding = to_numpy(sinusoidal_positions(library.integers([0, 3]), 4))

    angles = (3, 3 / 100)
    expected = [f(angle) for angle in angles for f in (math.sin, math.cos)]
    np.testing.assert_allclose(encoding, [[0, 1, 0, 1], expected], atol=1e-7)


def test_the_base_can_be_chosen():
    encoding = sinusoidal_positions(np.asarray([3]), 4, base=4.0)

    np.testing.assert_allclose(encoding[0, 2:], [math.sin(1.5), math.cos(1.5)])


def test_encodings_have_the_dtype_of_an_array(library):
    positions = library.integers([[0, 1]])

    like = library.array([0.0])
    assert dtype_name(sinusoidal_positions(positions, 2, like=like)) == "float64"
    assert sinusoidal_positions(positions, 6).shape == (1, 2, 6)


def test_narrow_encodings_are_rounded_once():
    positions = np.arange(3000)

    narrow = sinusoidal_positions(positions, 8, like=np.zeros(0, np.float16))

    wide = sinusoidal_positions(positions, 8, like=np.zeros(0, np.float32))
    np.testing.assert_array_equal(narrow, wide.astype(np.float16))
    assert sinusoidal_positions(positions, 8).dtype == np.float64


def test_one_sequence_needs_no_batch():
    mask = np.asarray([False, True, True])

    np.testing.assert_array_equal(positions_from_mask(mask), [0, 0, 1])


def test_doubles_are_computed_in_double_precision():
    encodings = sinusoidal_positions(np.asarray([1]), 4, base=100.0)

    angles = np.asarray([1.0, 0.1])
    expected = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(1, 4)
    np.testing.assert_allclose(encodings, expected, rtol=1e-15)
