"""An outline written in few characters is still the same outline."""

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_ref.lessons.figures.paths import Box, bounds, number, read, write

tenths = st.integers(-9999, 9999)
points = st.tuples(tenths, tenths)


def corners(outline):
    """Follow relative commands as a browser does; return where each one leads."""
    at = start = (0, 0)
    visited = []
    for command, text in re.findall(r"([Mhvlqcz])([^A-Za-z]*)", outline):
        steps = [
            round(10 * float(n)) for n in re.findall(r"-?(?:\d+\.?\d*|\.\d+)", text)
        ]
        x, y = at
        if command == "M":
            at = start = (steps[0], steps[1])
        elif command == "h":
            at = (x + steps[0], y)
        elif command == "v":
            at = (x, y + steps[0])
        elif command == "z":
            at = start
        else:
            at = (x + steps[-2], y + steps[-1])
        visited.append(at)
    return visited


def without_repetition(visited):
    return [place for place, _ in itertools.groupby(visited)]


@given(st.lists(points, min_size=2, max_size=11))
def test_lines_lead_where_they_led(vertices):
    absolute = "M" + " L ".join(f"{x / 10} {y / 10}" for x, y in vertices)

    assert without_repetition(corners(write(read(absolute)))) == without_repetition(
        vertices
    )


@given(st.lists(points, min_size=4, max_size=4))
def test_curves_lead_where_they_led(vertices):
    (start, *controls) = [f"{x / 10} {y / 10}" for x, y in vertices]
    written = write(read(f"M {start} C {' '.join(controls)} Q {controls[0]} {start} z"))

    assert corners(written) == [vertices[0], vertices[3], vertices[0], vertices[0]]


@pytest.mark.parametrize(
    ("outline", "short"),
    [
        ("M 1 2 L 4.04 2 L 4.04 7 L 1 7 L 1 2 z", "M1 2h3v5h-3z"),
        ("M 1 2 L 4 2 L 4 7 L 1 2", "M1 2h3v5z"),
        ("M 0 0 L 1 1 M 5 5 L 6 6", "M0 0l1 1M5 5l1 1"),
        ("M 0 0 L 1 0 z M 5 5 L 6 5 z", "M0 0h1zM5 5h1z"),
        ("M 0 0 C 1 2 3 4 5 6 C 6 7 8 9 9 9", "M0 0c1 2 3 4 5 6c1 1 3 3 4 3"),
        ("M 0.25 -0.5 L 0.25 -0.75", "M.2-.5v-.3"),
        ("M 1e-3 7 L 2 7", "M0 7h2"),
        ("", ""),
    ],
)
def test_outlines_are_short(outline, short):
    assert write(read(outline)) == short


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0, "0"),
        (-0.01, "0"),
        (0.25, ".2"),
        (-0.5, "-.5"),
        (10, "10"),
        (-10.06, "-10.1"),
    ],
)
def test_numbers_are_written_to_a_tenth(value, written):
    assert number(value) == written


def test_a_box_holds_all_points():
    assert bounds(read("M 1 2 L -3 4 C 0 0 9 9 2 2")) == Box(-3, 0, 9, 9)
    assert bounds(read("")) is None


def test_a_box_contains_what_sticks_out_by_less_than_a_rounding():
    box = Box(0, 0, 10, 10)

    assert box.contains(Box(-0.1, 0, 10.1, 10))
    for outside in (
        Box(-0.2, 0, 1, 1),
        Box(0, -0.2, 1, 1),
        Box(0, 0, 10.2, 1),
        Box(0, 0, 1, 10.2),
    ):
        assert not box.contains(outside)
