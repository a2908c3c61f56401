"""The outlines of an SVG drawing, in few characters."""

from __future__ import annotations

import re
from typing import NamedTuple

TENTHS = 10
"""Coordinates are counted in tenths of a point: finer than a screen shows."""

_TOKEN = re.compile(r"([A-Za-z])|(-?\d*\.?\d+(?:e-?\d+)?)")


class Box(NamedTuple):
    """A rectangle along the axes, in points."""

    left: float
    top: float
    right: float
    bottom: float

    def contains(self, other: Box) -> bool:
        """Say whether nothing of another box lies outside, but for rounding."""
        slack = 1 / TENTHS
        return (
            self.left - slack <= other.left
            and self.top - slack <= other.top
            and other.right <= self.right + slack
            and other.bottom <= self.bottom + slack
        )


class Segment(NamedTuple):
    """One command of an outline with its points, all absolute, in tenths."""

    command: str
    points: list[tuple[int, int]]


def number(value: float) -> str:
    """Write a number to a tenth, without what need not be there."""
    written = f"{value:.1f}".removesuffix(".0")
    if written == "-0":
        return "0"
    return written.replace("0.", ".", 1) if written.lstrip("-")[:2] == "0." else written


def read(outline: str) -> list[Segment]:
    """Read the absolute commands that matplotlib writes: M, L, Q, C and z."""
    segments: list[Segment] = []
    values: list[int] = []
    for letter, digits in _TOKEN.findall(outline):
        if letter:
            segments.append(Segment(letter, []))
            values = []
            continue
        values.append(round(float(digits) * TENTHS))
        if len(values) == 2:
            segments[-1].points.append((values[0], values[1]))
            values = []
    return segments


def bounds(segments: list[Segment]) -> Box | None:
    """Return the box around all points, control points included."""
    points = [point for segment in segments for point in segment.points]
    if not points:
        return None
    across, down = zip(*points, strict=True)
    return Box(
        min(across) / TENTHS,
        min(down) / TENTHS,
        max(across) / TENTHS,
        max(down) / TENTHS,
    )


def write(segments: list[Segment]) -> str:
    """Write an outline with relative commands, which repeat and so compress well."""
    written: list[str] = []
    at = start = (0, 0)
    for position, (command, points) in enumerate(segments):
        if command in "zZ":
            written.append("z")
            at = start
        elif command == "M":
            written.append("M" + _joined(points[0]))
            at = start = points[0]
        elif command == "L" and points[0] == start and _ends(segments, position):
            written.append("z")
        elif command == "L":
            written.append(_line(at, points[0]))
            at = points[0]
        else:
            flat = [(x - at[0], y - at[1]) for x, y in points]
            written.append(command.lower() + _joined(*flat))
            at = points[-1]
    return "".join(written).replace("zz", "z")


def _ends(segments: list[Segment], position: int) -> bool:
    """Say whether an outline ends after this position."""
    return position + 1 == len(segments) or segments[position + 1].command in "MzZ"


def _line(start: tuple[int, int], end: tuple[int, int]) -> str:
    across, down = end[0] - start[0], end[1] - start[1]
    if across == down == 0:
        return ""
    if down == 0:
        return "h" + _joined((across,))
    if across == 0:
        return "v" + _joined((down,))
    return "l" + _joined((across, down))


def _joined(*points: tuple[int, ...]) -> str:
    written = ""
    for value in (value for point in points for value in point):
        text = number(value / TENTHS)
        written += text if not written or text.startswith("-") else f" {text}"
    return written
