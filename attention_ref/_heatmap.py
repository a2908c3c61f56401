"""How a heatmap is put on paper: cells, hatching, numbers, labels."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.image import AxesImage

    Matrix: TypeAlias = np.ndarray[Any, Any]

RAMP = "Blues"
"""The colormap: one hue, from nearly white to dark, readable in grey."""

MAX_NUMBERED_TOKENS = 16
"""Up to here each cell is a shape with its number; above, a raster without."""

CELL_INCHES = 0.5
LONGEST_SIDE_INCHES = 6.4

SMALLEST_FONT = 5.0  # points; a smaller number would be a smudge, so it is left out
LARGEST_FONT = 9.0
CHARACTER_POINTS = 6.0  # how wide a character of a label is, roughly
LINE_POINTS = 12.0  # how high its line is

EQUALLY_CLEAR = 0.179
"""The luminance on which black and white text have the same contrast, 4.6 : 1."""


def new_axes(rows: list[str], columns: list[str]) -> Axes:
    """Make a figure as large as its cells and labels need."""
    import matplotlib.pyplot as plt

    cell = min(CELL_INCHES, LONGEST_SIDE_INCHES / max(len(rows), len(columns)))
    beside, below = (
        CHARACTER_POINTS / 72 * max(map(len, labels)) + 0.5
        for labels in (rows, columns)
    )
    width = len(columns) * cell + beside
    height = len(rows) * cell + below + 0.3
    # Until the layout is computed, the Axes are as large as the cells will be.
    cells = {"right": 1 - beside / width, "top": len(rows) * cell / height}
    return plt.subplots(
        figsize=(width, height),
        layout="constrained",
        gridspec_kw={"left": 0, "bottom": 0, **cells},
    )[1]


def draw_cells(
    axes: Axes, values: np.ma.MaskedArray[Any, Any], low: float, high: float
) -> QuadMesh | AxesImage:
    """Colour the cells, each centred on its key (across) and query (down)."""
    queries, keys = values.shape
    scale = {"cmap": RAMP, "vmin": low, "vmax": high}
    if max(values.shape) > MAX_NUMBERED_TOKENS:
        return axes.imshow(values, interpolation="none", **scale)
    across, down = np.arange(keys + 1) - 0.5, np.arange(queries + 1) - 0.5
    mesh = axes.pcolormesh(across, down, values, edgecolors="white", **scale)
    axes.set_aspect("equal")
    axes.set_ylim(queries - 0.5, -0.5)
    return mesh


def hatch(axes: Axes, hidden: Matrix) -> None:
    """Cover the hidden cells with one hatched shape."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    runs = [
        Path([(start, top), (end, top), (end, top + 1), (start, top + 1), (start, top)])
        for start, end, top in _runs(hidden)
    ]
    if runs:
        shape = Path.make_compound_path(*runs)
        axes.add_patch(
            PathPatch(shape, facecolor="none", edgecolor="gray", hatch="///", lw=0)
        )


def _runs(hidden: Matrix) -> Iterator[tuple[float, float, float]]:
    """Yield left end, right end and top of each run of hidden cells in a row."""
    for query, row in enumerate(hidden):
        edges = np.flatnonzero(np.diff(row, prepend=False, append=False)) - 0.5
        for start, end in edges.reshape(-1, 2):
            yield float(start), float(end), query - 0.5


def write_numbers(
    axes: Axes,
    drawing: QuadMesh | AxesImage,
    values: np.ma.MaskedArray[Any, Any],
    value_format: str,
) -> None:
    """Write the number of each visible cell, black or white, whichever is clearer."""
    visible = np.argwhere(~np.ma.getmaskarray(values))
    # A minus is as long as a plus; a hyphen is not.
    written = [format(values[q, k], value_format).replace("-", "−") for q, k in visible]
    longest = max(map(len, written), default=1)
    size = min(LARGEST_FONT, 1.3 * cell_points(axes, values.shape) / longest)
    if size < SMALLEST_FONT:
        return
    for (query, key), number in zip(visible, written, strict=True):
        colour = clear_on(drawing.to_rgba(values[query, key]))
        axes.text(key, query, number, color=colour, size=size, ha="center", va="center")


def cell_points(axes: Axes, shape: tuple[int, ...]) -> float:
    """Return the side of a cell in points, the 72nd parts of an inch."""
    extent = axes.get_window_extent()
    pixels = min(extent.height / shape[0], extent.width / shape[1])
    return float(pixels * 72 / axes.figure.dpi)


def clear_on(colour: tuple[float, float, float, float]) -> str:
    """Return black or white, whichever is clearer on a colour, by WCAG's luminance."""
    *parts, opacity = colour
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in parts
    )
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return "white" if opacity > 0 and luminance < EQUALLY_CLEAR else "black"


def _step(cell: float, room: float) -> int:
    """Return how many cells apart the labels stand: 1, 2, 5, 10, 20, 50 or more."""
    tens = (int(10**power) for power in itertools.count())
    steps = (digit * ten for ten in tens for digit in (1, 2, 5))
    return next(step for step in steps if step * cell >= max(room, LINE_POINTS))


def name_axes(axes: Axes, rows: list[str], columns: list[str]) -> None:
    """Label rows and columns, as many of them as there is room for."""
    points = cell_points(axes, (len(rows), len(columns)))
    longest = max(map(len, columns))
    step = _step(points, CHARACTER_POINTS * (longest + 1) if longest <= 3 else 0)
    across, down = range(0, len(columns), step), range(0, len(rows), step)
    wide = CHARACTER_POINTS * longest > points * step
    turned = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if wide else {}
    axes.set_xticks(across, [columns[key] for key in across], **turned)
    axes.set_yticks(down, [rows[query] for query in down])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_xlabel("keys")
    axes.set_ylabel("queries")
