"""Pictures of attention: arrays in, matplotlib Axes or text out.

Nothing here shows a window or writes a file: the caller decides.
The colours are matplotlib's own names and its single-hue ramp *Blues*,
so that a style sheet, or a reader, knows where they come from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import array_api_compat
import numpy as np

from attention_ref import _checks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.image import AxesImage

RAMP = "Blues"
"""The colormap: one hue, from nearly white to dark, readable in grey."""

MAX_NUMBERED_TOKENS = 16
"""Up to here each cell is a shape with its number; above, a raster without."""

_CELL_INCHES = 0.5
_SMALLEST_FONT = 5.0  # points; below this a number is a smudge, so it is left out
_LARGEST_FONT = 9.0
_BLACK_OR_WHITE = 0.179  # the luminance on which black and white text are equally clear


def heatmap(
    weights: Any,
    *,
    query_labels: Sequence[str] | None = None,
    key_labels: Sequence[str] | None = None,
    title: str | None = None,
    mask: Any | None = None,
    limits: tuple[float, float] | None = None,
    value_format: str = ".2f",
    ax: Axes | None = None,
) -> Axes:
    """Draw a matrix with its queries on the rows and its keys on the columns.

    Args:
        weights: `(queries, keys)`. Weights or scores, from any array library.
        query_labels: One per query. `None` counts them from 0.
        key_labels: One per key. `None` counts them from 0.
        title: Stands above the matrix.
        mask: `(queries, keys)`, boolean, or what broadcasts to that. `True` where
            the query may attend to the key; other cells are hatched, without number.
        limits: The values at the two ends of the colour ramp. `None` takes 0 and 1
            where all values lie between them, otherwise the least and the greatest.
        value_format: How the number in each cell is written.
        ax: Where to draw. `None` makes a new figure.

    Returns:
        The Axes that were drawn on.

    Raises:
        ShapeError: If `weights` is no matrix, is empty, or a label is missing or extra,
            or `mask` does not broadcast.
        TypeError: If `mask` is not boolean.
        ValueError: If the two `limits` are not in ascending order.

    Note:
        A cell that holds −inf, as masked scores do, is hatched like a masked one.
        Above 16 tokens the matrix is a raster without numbers.

    Example:
        >>> axes = heatmap([[1.0, 0.0], [0.25, 0.75]], key_labels=["The", "cat"])
        >>> [text.get_text() for text in axes.texts]
        ['1.00', '0.00', '0.25', '0.75']
    """
    values = _to_numpy(weights).astype(np.float64)
    _checks.check_matrix("heatmap", "weights", values.shape)
    hidden = _hidden_cells(values, mask)
    rows = _labels("query_labels", "query", query_labels, values.shape[0])
    columns = _labels("key_labels", "key", key_labels, values.shape[1])
    low, high = _limits(np.ma.masked_array(values, hidden), limits)

    axes = _new_axes(rows, columns) if ax is None else ax
    drawing = _draw_cells(axes, np.ma.masked_array(values, hidden), low, high)
    _hatch(axes, hidden)
    if max(values.shape) <= MAX_NUMBERED_TOKENS:
        _write_numbers(axes, drawing, values, hidden, value_format)
    _name_axes(axes, rows, columns, title)
    return axes


def text_bars(
    values: Any,
    labels: Sequence[str],
    *,
    width: int = 40,
    value_format: str = ".2f",
) -> str:
    """Write a bar chart as text: label, number, bar.

    Args:
        values: `(bars,)`. What the bars show; none negative.
        labels: One per bar.
        width: How many characters the longest bar has.
        value_format: How the numbers are written.

    Returns:
        One line per bar, without a line end after the last. Equal values give
        equal bars.

    Raises:
        ShapeError: If `values` is not one row of numbers, or a label is missing.
        ValueError: If a value is negative or not finite, or `width` is not positive.

    Example:
        >>> print(text_bars([0.5, 0.25, 0.25], ["cat", "sat", "the"], width=8))
        cat  0.50  ████████
        sat  0.25  ████
        the  0.25  ████
    """
    numbers = _to_numpy(values).astype(np.float64)
    _checks.check_bars("text_bars", numbers.shape, len(labels))
    _checks.check_bar_lengths(
        "text_bars", numbers.min(initial=0.0), numbers.max(initial=0.0), width
    )
    longest = max(numbers.max(initial=0.0), np.finfo(np.float64).tiny)
    lengths = np.rint(numbers / longest * width).astype(int)
    names = [str(label) for label in labels]
    written = [format(number, value_format) for number in numbers]
    name_width = max(map(len, names), default=0)
    value_width = max(map(len, written), default=0)
    return "\n".join(
        f"{name:<{name_width}}  {value:>{value_width}}  {'█' * length}".rstrip()
        for name, value, length in zip(names, written, lengths, strict=True)
    )


def _to_numpy(array: Any) -> np.ndarray[Any, Any]:
    """Bring an array of any library, from any device, to NumPy."""
    if array_api_compat.is_torch_array(array):
        array = array.detach().cpu()
        # NumPy has no bfloat16 to receive torch's; float32 holds each of its values.
        return np.asarray(array.float() if array.is_floating_point() else array)
    if array_api_compat.is_cupy_array(array):
        return np.asarray(array.get())
    return np.asarray(array)


def _hidden_cells(
    values: np.ndarray[Any, Any], mask: Any | None
) -> np.ndarray[Any, Any]:
    """Say which cells nobody sees: those the mask forbids and those at −inf."""
    hidden = np.isneginf(values)
    if mask is None:
        return hidden
    allowed = _to_numpy(mask)
    _checks.check_drawn_mask("heatmap", allowed.dtype, allowed.shape, values.shape)
    return hidden | ~allowed


def _labels(
    argument: str, axis: str, labels: Sequence[str] | None, count: int
) -> list[str]:
    if labels is None:
        return [str(position) for position in range(count)]
    _checks.check_labels("heatmap", argument, axis, len(labels), count)
    return [str(label) for label in labels]


def _limits(
    values: np.ma.MaskedArray[Any, Any], limits: tuple[float, float] | None
) -> tuple[float, float]:
    if limits is not None:
        _checks.check_limits("heatmap", *limits)
        return limits
    finite = values.compressed()
    finite = finite[np.isfinite(finite)]
    if finite.size == 0 or (finite.min() >= 0 and finite.max() <= 1):
        return 0.0, 1.0
    return float(finite.min()), float(finite.max())


def _new_axes(rows: list[str], columns: list[str]) -> Axes:
    """Make a figure whose cells are half an inch wide, as long as they are few."""
    import matplotlib.pyplot as plt

    tokens = min(max(len(rows), len(columns)), 2 * MAX_NUMBERED_TOKENS)
    scale = _CELL_INCHES * tokens / max(len(rows), len(columns))
    label_width = 0.09 * max(map(len, rows)) + 0.5
    label_height = 0.09 * max(map(len, columns)) + 0.5
    size = (len(columns) * scale + label_width, len(rows) * scale + label_height + 0.3)
    return plt.subplots(figsize=size, layout="constrained")[1]


def _draw_cells(
    axes: Axes, values: np.ma.MaskedArray[Any, Any], low: float, high: float
) -> QuadMesh | AxesImage:
    queries, keys = values.shape
    if max(queries, keys) > MAX_NUMBERED_TOKENS:
        return axes.imshow(values, cmap=RAMP, vmin=low, vmax=high, interpolation="none")
    mesh = axes.pcolormesh(
        np.arange(keys + 1) - 0.5,
        np.arange(queries + 1) - 0.5,
        values,
        cmap=RAMP,
        vmin=low,
        vmax=high,
        edgecolors="white",
        linewidth=1.0,
    )
    axes.set_aspect("equal")
    axes.set_ylim(queries - 0.5, -0.5)
    return mesh


def _hatch(axes: Axes, hidden: np.ndarray[Any, Any]) -> None:
    """Cover the hidden cells with one hatched shape, so that it stays one path."""
    if not hidden.any():
        return
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    squares = [
        Path.unit_rectangle().transformed(_shift(key - 0.5, query - 0.5))
        for query, key in np.argwhere(hidden)
    ]
    shape = Path.make_compound_path(*squares)
    axes.add_patch(
        PathPatch(shape, facecolor="none", edgecolor="gray", hatch="////", linewidth=0)
    )


def _shift(x: float, y: float) -> Any:
    from matplotlib.transforms import Affine2D

    return Affine2D().translate(x, y)


def _write_numbers(
    axes: Axes,
    drawing: QuadMesh | AxesImage,
    values: np.ndarray[Any, Any],
    hidden: np.ndarray[Any, Any],
    value_format: str,
) -> None:
    """Write each visible cell's number, in black or white, whichever is clearer."""
    written = {
        (query, key): format(values[query, key], value_format)
        for query, key in np.argwhere(~hidden)
    }
    size = _font_size(axes, values.shape, max(map(len, written.values()), default=1))
    if size < _SMALLEST_FONT:
        return
    for (query, key), number in written.items():
        red, green, blue, alpha = drawing.to_rgba(values[query, key])
        dark = alpha > 0 and _luminance(red, green, blue) < _BLACK_OR_WHITE
        axes.text(
            key,
            query,
            number,
            color="white" if dark else "black",
            fontsize=size,
            ha="center",
            va="center",
        )


def _font_size(axes: Axes, shape: tuple[int, ...], characters: int) -> float:
    """Give the font size, in points, in which so many characters fit into a cell."""
    extent = axes.get_window_extent()
    pixels = min(extent.height / shape[0], extent.width / shape[1])
    points = pixels * 72 / axes.figure.dpi
    return min(_LARGEST_FONT, points / (0.75 * characters))


def _luminance(red: float, green: float, blue: float) -> float:
    """Return the relative luminance of a colour, as WCAG 2 defines it."""
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (red, green, blue)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _name_axes(
    axes: Axes, rows: list[str], columns: list[str], title: str | None
) -> None:
    turned = max(map(len, columns)) > 5 or len(columns) > MAX_NUMBERED_TOKENS
    axes.set_xticks(
        range(len(columns)),
        columns,
        rotation=45 if turned else 0,
        ha="right" if turned else "center",
        rotation_mode="anchor",
    )
    axes.set_yticks(range(len(rows)), rows)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_xlabel("keys")
    axes.set_ylabel("queries")
    if title is not None:
        axes.set_title(title)
