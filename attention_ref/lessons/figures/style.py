"""How figures look, and which of their colours follow the light and dark palette.

This file is the only place that says which colours a figure may use if it is to follow
the palette of the page. They are matplotlib's own names, so that a lesson's code can be
pasted anywhere and draw the same figure:

| in the code of a lesson | on the page |
|---|---|
| `"black"`, `"white"` | the ink and the paper; they change places in the dark |
| `"dimgray"`, `"gray"`, `"lightgray"` | labels, hatching, grid lines |
| `"C0"` to `"C5"` | the colours of the series |
| the colormap `"Blues"` | the ramp of the page, see below |

The style sheet `assets/figures.css` gives the values for light, dark and print.
Any other colour stays as it is.

The ramp runs through two halves that meet in the middle colour: the one on which black
and white text are equally clear. A colour of *Blues* becomes a half and a percentage,
and the style sheet mixes the two ends of that half. So text that is clear on a colour
of *Blues* is clear on the page's colour too, in every palette.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

RAMP = "Blues"
SERIES = ("#0052b4", "#e36927", "#2f9a86", "#6f046c", "#6c541b", "#342c23")
"""Chosen for the largest least distance under the four kinds of colour vision."""

LINE_STYLES = ("-", "--", "-.", ":", (0, (6, 1.5)), (0, (1, 1)))

VARIABLES = {
    "black": "--figure-ink",
    "white": "--figure-paper",
    "dimgray": "--figure-label",
    "gray": "--figure-muted",
    "lightgray": "--figure-grid",
    **{colour: f"--figure-series-{index}" for index, colour in enumerate(SERIES)},
}
"""A known colour → the variable that the style sheet gives a value."""

REVERSED_INK = "--figure-ink-reversed"
"""White text: it stands on something dark, so it is no paper."""

_EQUALLY_CLEAR = 0.179  # the luminance on which black and white text are equally clear


class RampColour(NamedTuple):
    """A colour of the ramp: which half it lies in, and how far along, in percent."""

    half: str
    percent: int


def use_figure_style() -> None:
    """Draw in the style of the site from now on."""
    import matplotlib

    matplotlib.rcParams.update(_settings())


@contextmanager
def figure_style() -> Iterator[None]:
    """Draw in the style of the site while the context lasts."""
    import matplotlib

    with matplotlib.rc_context():
        use_figure_style()
        yield


def _settings() -> dict[str, Any]:
    from cycler import cycler

    return {
        "figure.figsize": (6.0, 3.4),
        "figure.dpi": 72,
        "figure.max_open_warning": 0,  # a page may draw as much as it likes
        "figure.constrained_layout.use": True,
        "font.size": 10.0,
        "axes.titlesize": 11.0,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "axes.labelsize": 10.0,
        "axes.labelcolor": "dimgray",
        "axes.edgecolor": "gray",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "axes.prop_cycle": cycler(color=SERIES) + cycler(linestyle=LINE_STYLES),
        "grid.color": "lightgray",
        "xtick.color": "gray",
        "ytick.color": "gray",
        "xtick.labelcolor": "dimgray",
        "ytick.labelcolor": "dimgray",
        "legend.edgecolor": "none",
        "legend.facecolor": "white",
        "legend.fancybox": False,
        "lines.linewidth": 2.0,
        "hatch.color": "gray",
        "hatch.linewidth": 0.8,
        "image.cmap": RAMP,
        "image.interpolation": "none",  # one pixel a cell; the browser enlarges it
    }


@cache
def known_colours() -> dict[str, str]:
    """Map each known colour, as `#rrggbb`, to the variable of the style sheet."""
    from matplotlib.colors import to_hex

    return {to_hex(name): variable for name, variable in VARIABLES.items()}


@cache
def ramp_colours() -> dict[str, RampColour]:
    """Map each colour of the ramp, as `#rrggbb`, to its place on the ramp."""
    import matplotlib
    from matplotlib.colors import to_hex

    colours = matplotlib.colormaps[RAMP](range(256))
    dark = [_luminance(colour[:3]) < _EQUALLY_CLEAR for colour in colours]
    middle, last = dark.index(True), len(colours) - 1
    return {
        to_hex(colour): RampColour("low", round(100 * index / middle))
        if index < middle
        else RampColour("high", round(100 * (index - middle) / (last - middle)))
        for index, colour in enumerate(colours)
    }


def _luminance(colour: Any) -> float:
    """Return the relative luminance of red, green and blue, as WCAG 2 defines it."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in colour
    )
    return float(0.2126 * red + 0.7152 * green + 0.0722 * blue)
