"""Rotary embeddings."""

import math

import numpy as np
import pytest
from array_libraries import dtype_name, libraries, to_numpy

from attention_ref import rotary_embedding, rotate_pairs

LAYOUTS = ["half", "interleaved"]


def turned(x, angle):
    """Turn one pair."""
    a, b = x
    cosine, sine = math.cos(angle), math.sin(angle)
    return a * cosine - b * sine, a * sine + b * cosine


def test_halves_are_paired(library):
    x = library.array([[9.0, 9.0, 9.0, 9.0], [1.0, 2.0, 3.0, 4.0]])

    rotated = to_numpy(rotary_embedding(x, layout="half"))

    (a, c), (b, d) = turned((1, 3), 1), turned((2, 4), 0.01)
    np.testing.assert_allclose(rotated, [[9.0] * 4, [a, b, c, d]])


def test_neighbours_are_paired(library):
    x = library.array([[9.0, 9.0, 9.0, 9.0], [1.0, 2.0, 3.0, 4.0]])

    rotated = to_numpy(rotary_embedding(x, layout="interleaved"))

    expected = [*turned((1, 2), 1), *turned((3, 4), 0.01)]
    np.testing.assert_allclose(rotated, [[9.0] * 4, expected])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_positions_are_absolute(layout, rng):
    x = rng.standard_normal((2, 3, 11, 6))
    positions = np.asarray([7, 2, 5])

    rotated = rotary_embedding(x[..., positions, :], positions, layout=layout)

    whole = rotary_embedding(x, layout=layout)
    np.testing.assert_array_equal(rotated, whole[..., positions, :])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_positions_may_differ_within_a_batch(library, layout, rng):
    x = rng.standard_normal((2, 3, 4, 6))
    positions = np.asarray([[[0, 1, 2, 3]], [[5, 6, 7, 8]]])

    rotated = to_numpy(
        rotary_embedding(library.array(x), library.integers(positions), layout=layout)
    )

    for b in range(2):
        expected = rotary_embedding(x[b], positions[b, 0], layout=layout)
        np.testing.assert_allclose(rotated[b], expected, rtol=1e-14)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_scores_depend_on_the_distance_only(layout, rng):
    query, key = rng.standard_normal((2, 1, 8))

    def score(m, n):
        turned = (
            rotary_embedding(x, np.asarray([p]), layout=layout)
            for x, p in ((query, m), (key, n))
        )
        return float(np.vecdot(*turned)[0])

    assert score(5, 3) == pytest.approx(score(102, 100)) == pytest.approx(score(2, 0))
    assert score(5, 3) != pytest.approx(score(5, 4))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_part_of_the_width_is_rotated_as_if_alone(layout, rng):
    x = rng.standard_normal((5, 10))

    rotated = rotary_embedding(x, layout=layout, width=4)

    alone = rotary_embedding(x[:, :4], layout=layout)
    np.testing.assert_array_equal(rotated[:, :4], alone)
    np.testing.assert_array_equal(rotated[:, 4:], x[:, 4:])


def test_no_width_at_all_rotates_nothing(rng):
    x = rng.standard_normal((5, 3))

    np.testing.assert_array_equal(rotary_embedding(x, layout="half", width=0), x)


def test_the_base_can_be_chosen():
    rotated = rotary_embedding(
        np.asarray([[0.0, 1.0, 0.0, 0.0]]), np.asarray([1]), layout="half", base=4.0
    )

    np.testing.assert_allclose(rotated, [[0, math.cos(0.5), 0, math.sin(0.5)]])


@pytest.mark.parametrize("library", libraries(dtypes=("float16", "bfloat16")), ids=str)
def test_narrow_numbers_are_turned_in_float32_and_rounded_once(library, rng):
    x = to_numpy(library.array(rng.standard_normal((4, 6)))).astype(np.float32)
    positions = [255, 256, 257, 259]

    rotated = rotary_embedding(
        library.array(x), library.integers(positions), layout="half"
    )

    wide = rotary_embedding(x, np.asarray(positions), layout="half")
    assert dtype_name(rotated) == library.dtype
    difference = np.abs(to_numpy(rotated) - wide)
    half_unit = {"float16": 2.0**-11, "bfloat16": 2.0**-8}[library.dtype]
    assert (difference <= 1.001 * half_unit * np.abs(wide)).all()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_given_angles_turn_the_same_way(library, layout, rng):
    x, angles = rng.standard_normal((3, 5, 6)), rng.standard_normal((5, 2))

    rotated = rotate_pairs(
        *map(library.array, (x, np.cos(angles), np.sin(angles))), layout=layout
    )

    first, second = ([0, 1], [2, 3]) if layout == "half" else ([0, 2], [1, 3])
    expected = x.copy()
    expected[..., first], expected[..., second] = (
        x[..., first] * np.cos(angles) - x[..., second] * np.sin(angles),
        x[..., first] * np.sin(angles) + x[..., second] * np.cos(angles),
    )
    np.testing.assert_allclose(to_numpy(rotated), expected, rtol=1e-13)
