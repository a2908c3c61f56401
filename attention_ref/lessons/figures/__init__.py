"""A matplotlib figure → one inline SVG that follows the palette of the page.

`style.py` says which colours do so, `svg.py` makes the drawing small, and `numbers.py`
reads the numbers out of the figure for the table below it.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from html import escape
from io import StringIO
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from attention_ref.lessons.figures.numbers import tables, to_html
from attention_ref.lessons.figures.style import RAMP, figure_style, use_figure_style
from attention_ref.lessons.figures.svg import simplify

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.collections import QuadMesh
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage
    from matplotlib.transforms import BboxBase

__all__ = ["collect_figures", "figure_style", "render_figure", "use_figure_style"]

ILLUSTRATION = "illustration, not computed"

_POINTS_PER_INCH = 72  # in which SVG is written, whatever the figure says
_MARGIN = 0.05  # inches
_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "attention_ref",
    # A figure whose layout engine is taken away would get another one by these.
    "figure.autolayout": False,
    "figure.constrained_layout.use": False,
}


def collect_figures() -> list[Figure]:
    """Return the figures that pyplot holds open, in the order they were made."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return []
    numbers = pyplot.get_fignums()
    current = pyplot.gcf() if numbers else None
    figures = [pyplot.figure(number) for number in numbers]
    if current is not None:
        pyplot.figure(current.number)  # asking for the others made them current
    return figures


def render_figure(
    figure: Figure,
    *,
    identifier: str,
    alternative: str,
    caption: str = "",
    illustration: bool = False,
) -> str:
    """Return a figure as HTML on one line: drawing, caption, and its numbers, folded.

    Args:
        figure: Any matplotlib figure.
        identifier: Begins with a letter and is unique on the page: the element's id,
            and the beginning of every id inside it.
        alternative: What the figure shows, for those who do not see it.
        caption: Stands below the figure.
        illustration: Whether to say that the figure was drawn and not computed.

    Raises:
        ValueError: If the alternative is empty.
    """
    if not alternative.strip():
        message = (
            f"figure {identifier}: the text alternative must not be empty. "
            'Say what the figure shows, as in figure="The cat attends to itself."'
        )
        raise ValueError(message)
    return (
        f'<figure class="attention-figure" id="{escape(identifier)}">'
        f"{_drawing(figure, identifier, alternative)}"
        # A caption stands first or last; the style sheet shows the numbers below it.
        f"{_numbers(figure)}{_caption(caption, illustration)}</figure>"
    )


def _drawing(figure: Figure, identifier: str, alternative: str) -> str:
    root = simplify(_as_svg(figure), identifier)
    if _is_on_the_ramp(figure):
        for image in root.iter("image"):
            image.set("class", "figure-raster")
    description = ET.Element("desc", {"id": f"{identifier}-alternative"})
    description.text = " ".join(alternative.split())
    root.insert(0, description)
    # A <title> would name the drawing too, but pop up under the mouse.
    root.attrib.update({"role": "img", "aria-labelledby": f"{identifier}-alternative"})
    return ET.tostring(root, encoding="unicode")


def _is_on_the_ramp(figure: Figure) -> bool:
    """Say whether all that the figure colours by number has the colours of the ramp."""
    from matplotlib.collections import QuadMesh
    from matplotlib.image import AxesImage

    return not any(
        isinstance(artist, (QuadMesh, AxesImage))
        and (artist.get_cmap().name != RAMP or _has_colours_of_its_own(artist))
        for artist in figure.findobj()
    )


def _has_colours_of_its_own(drawing: QuadMesh | AxesImage) -> bool:
    """Say whether each cell holds a colour rather than a number to be coloured."""
    array = drawing.get_array()
    return array is not None and array.ndim == 3


def _as_svg(figure: Figure) -> str:
    """Let matplotlib write the figure, the same on every build."""
    import matplotlib

    written = StringIO()
    with matplotlib.rc_context(_SETTINGS), _laid_out(figure) as box:
        figure.savefig(
            written,
            format="svg",
            transparent=True,
            bbox_inches=box,
            metadata={"Date": None},
        )
    return written.getvalue()


@contextmanager
def _laid_out(figure: Figure) -> Iterator[BboxBase]:
    """Lay the figure out, and yield the box in inches that its drawing fills.

    For `bbox_inches="tight"` matplotlib draws all of it once more, and finds the same.
    """
    from matplotlib.backends.backend_svg import FigureCanvasSVG, RendererSVG

    canvas, dpi, engine = figure.canvas, figure.dpi, figure.get_layout_engine()
    FigureCanvasSVG(figure)  # so that texts are as wide as they will be
    figure.set_dpi(_POINTS_PER_INCH)
    try:
        if engine is not None and figure.axes:
            engine.execute(figure)
        figure.set_layout_engine(None)
        size = figure.get_size_inches() * _POINTS_PER_INCH
        box = figure.get_tightbbox(RendererSVG(*size, StringIO()))
        yield box.padded(_MARGIN)
    finally:
        figure.set_canvas(canvas)
        figure.set_dpi(dpi)
        figure.set_layout_engine(engine)


def _caption(caption: str, illustration: bool) -> str:
    label = f'<span class="attention-figure-label">{ILLUSTRATION}</span>'
    parts = [escape(" ".join(caption.split()), quote=False)] if caption else []
    if illustration:
        parts.append(label)
    return f"<figcaption>{' '.join(parts)}</figcaption>" if parts else ""


def _numbers(figure: Figure) -> str:
    written = "".join(map(to_html, tables(figure)))
    if not written:
        return ""
    return (
        "<details><summary>The numbers in this figure</summary>"
        '<div class="attention-figure-numbers" tabindex="0" role="group" '
        f'aria-label="Numbers of the figure">{written}</div></details>'
    )
