"""The numbers that a figure shows, read from the figure itself, as tables."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

MOST_NUMBERS = 1024
"""A larger table helps nobody; the code above the figure has the numbers."""


class Table(NamedTuple):
    """A title, the names of the columns, and rows that begin with their name."""

    title: str
    columns: list[str]
    rows: list[list[str]]


def tables(figure: Figure) -> list[Table]:
    """Return one table for each matrix and each set of curves, bars or points."""
    return [
        table
        for axes in figure.axes
        if axes.get_label() != "<colorbar>"
        for table in (*_matrices(axes), *_curves(axes), *_bars(axes), *_points(axes))
    ]


def to_html(table: Table) -> str:
    """Write a table as HTML, on one line."""
    title = _text(table.title)
    if len(table.rows) * (len(table.columns) - 1) > MOST_NUMBERS:
        size = f"{len(table.rows)} × {len(table.columns) - 1}"
        what = f"{title}: {size}" if title else size
        return f"<p>{what} numbers, too many to list here.</p>"
    caption = f"<caption>{title}</caption>" if title else ""
    head = "".join(f'<th scope="col">{_text(name)}</th>' for name in table.columns)
    body = "".join(
        f'<tr><th scope="row">{_text(name)}</th>'
        + "".join(f"<td>{_text(value)}</td>" for value in values)
        + "</tr>"
        for name, *values in table.rows
    )
    return (
        f'<table class="attention-figure-table">{caption}'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def _text(text: str) -> str:
    """Write a label of the figure as HTML, on one line."""
    return escape(" ".join(text.split()), quote=False)


def _matrices(axes: Axes) -> Iterator[Table]:
    from matplotlib.collections import QuadMesh
    from matplotlib.image import AxesImage

    for artist in axes.get_children():
        if isinstance(artist, QuadMesh):
            corners = artist.get_coordinates()
            across = (corners[0, 1:, 0] + corners[0, :-1, 0]) / 2
            down = (corners[1:, 0, 1] + corners[:-1, 0, 1]) / 2
            values = np.ma.asarray(artist.get_array()).reshape(len(down), len(across))
        elif isinstance(artist, AxesImage) and artist.get_array().ndim == 2:
            values = np.ma.asarray(artist.get_array())
            down, across = (np.arange(size) for size in values.shape)
        else:
            continue
        corner = f"{axes.get_ylabel() or 'rows'} \\ {axes.get_xlabel() or 'columns'}"
        columns = _names(axes.xaxis, across, range(len(across)))
        written = _written(values)
        names = _names(axes.yaxis, down, range(len(down)))
        rows = [[name, *row] for name, row in zip(names, written, strict=True)]
        yield Table(_title(axes), [corner, *columns], rows)


def _curves(axes: Axes) -> Iterator[Table]:
    """Yield one table for the curves that share their positions."""
    curves = [
        line
        for line in axes.lines
        # Lines across the whole plot (axhline) are no data.
        if line.get_transform() == axes.transData and len(line.get_xdata())
    ]
    while curves:
        positions = np.asarray(curves[0].get_xdata(orig=False))
        same = [
            curve
            for curve in curves
            if np.array_equal(curve.get_xdata(orig=False), positions)
        ]
        curves = [curve for curve in curves if curve not in same]
        heights = np.column_stack([curve.get_ydata(orig=False) for curve in same])
        names = [str(curve.get_label()) for curve in same]
        yield _by_position(axes, axes.xaxis, axes.yaxis, positions, heights, names)


def _bars(axes: Axes) -> Iterator[Table]:
    from matplotlib.container import BarContainer

    for container in axes.containers:
        if not isinstance(container, BarContainer):
            continue
        upright = container.orientation != "horizontal"
        positions = np.array(
            [
                bar.get_x() + bar.get_width() / 2
                if upright
                else bar.get_y() + bar.get_height() / 2
                for bar in container
            ]
        )
        along, up = (axes.xaxis, axes.yaxis) if upright else (axes.yaxis, axes.xaxis)
        heights = np.asarray(container.datavalues).reshape(-1, 1)
        names = [str(container.get_label())]
        yield _by_position(axes, along, up, positions, heights, names)


def _points(axes: Axes) -> Iterator[Table]:
    from matplotlib.collections import PathCollection

    for artist in axes.collections:
        if isinstance(artist, PathCollection):
            points = np.ma.asarray(artist.get_offsets())
            names = [str(artist.get_label())]
            yield _by_position(
                axes, axes.xaxis, axes.yaxis, points[:, 0], points[:, 1:], names
            )


def _by_position(
    axes: Axes,
    along: Axis,
    up: Axis,
    positions: Any,
    heights: Any,
    names: Sequence[str],
) -> Table:
    """Make the table whose rows are positions and whose columns are curves."""
    usual = up.get_label_text() or "value"
    columns = [usual if name.startswith("_") else name for name in names]
    rows = [
        [place, *row]
        for place, row in zip(
            _names(along, positions, positions), _written(heights), strict=True
        )
    ]
    return Table(_title(axes), [along.get_label_text() or "position", *columns], rows)


def _names(axis: Axis, positions: Any, otherwise: Any) -> list[str]:
    """Name positions by the author's tick labels, where each has one."""
    from matplotlib.category import StrCategoryFormatter
    from matplotlib.ticker import FixedFormatter, FuncFormatter

    by_author = (FixedFormatter, FuncFormatter, StrCategoryFormatter)
    if isinstance(axis.get_major_formatter(), by_author):
        ticks = zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=True)
        labels = {float(place): label.get_text() for place, label in ticks}
        named = [labels.get(float(position), "") for position in positions]
        if all(named):
            return named
    return [row[0] for row in _written(np.reshape(otherwise, (-1, 1)))]


def _written(values: Any) -> list[list[str]]:
    """Write numbers to four digits after the point, whole ones without."""
    values = np.ma.asarray(values, dtype=np.float64)
    form = _form(values.compressed())
    # A minus is as long as a plus, and read out; a hyphen is neither.
    return [
        [
            "masked" if value is np.ma.masked else format(value, form).replace("-", "−")
            for value in row
        ]
        for row in values
    ]


def _form(values: Any) -> str:
    finite = values[np.isfinite(values)]
    largest = np.abs(finite).max(initial=0.0)
    if 0 < largest < 1e-3 or largest >= 1e6:
        return ".3e"
    return ".0f" if np.array_equal(finite, np.rint(finite)) else ".4f"


def _title(axes: Axes) -> str:
    """Return the title, wherever it stands above the plot."""
    titles = (axes.get_title(loc=place) for place in ("left", "center", "right"))
    return " ".join(title for title in titles if title)
