"""Pictures of attention: arrays in, matplotlib Axes or text out.

Nothing here shows a window or writes a file: the caller decides.
The colours are matplotlib's own names and its single-hue ramp *Blues*,
so that a style sheet, or a reader, knows where they come from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import array_api_compat
import numpy as np

from attention_ref import _checks, _heatmap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    Matrix = np.ndarray[Any, Any]


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
    visible = np.ma.masked_array(values, hidden)
    low, high = _limits(visible, limits)

    axes = _heatmap.new_axes(rows, columns) if ax is None else ax
    drawing = _heatmap.draw_cells(axes, visible, low, high)
    _heatmap.hatch(axes, hidden)
    if max(values.shape) <= _heatmap.MAX_NUMBERED_TOKENS:
        _heatmap.write_numbers(axes, drawing, visible, value_format)
    _heatmap.name_axes(axes, rows, columns)
    if title is not None:
        axes.set_title(title)
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


def _to_numpy(array: Any) -> Matrix:
    """Bring an array of any library, from any device, to NumPy."""
    if array_api_compat.is_torch_array(array):
        array = array.detach().cpu()
        # NumPy has no bfloat16 to receive torch's; float32 holds each of its values.
        return np.asarray(array.float() if array.is_floating_point() else array)
    if array_api_compat.is_cupy_array(array):
        return np.asarray(array.get())
    return np.asarray(array)


def _hidden_cells(values: Matrix, mask: Any | None) -> Matrix:
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
