"""The small drawing looks like the one that matplotlib wrote."""

import io
from xml.etree import ElementTree as ET

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import image
from matplotlib import pyplot as plt

from attention_ref.lessons import figures
from attention_ref.lessons.figures.svg import simplify
from attention_ref.plotting import heatmap

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def page(browser):
    return browser.new_page(viewport={"width": 900, "height": 700})


@pytest.fixture(autouse=True)
def _house_style():
    mpl.use("Agg")
    with figures.figure_style():
        yield
    plt.close("all")


def masked_heatmap():
    return heatmap(np.eye(5), mask=np.tri(5, dtype=bool), title="Causal").figure


def masked_raster():
    return heatmap(np.eye(19), mask=np.tri(19, dtype=bool)).figure


def lines_beyond_the_edge():
    figure, axes = plt.subplots()
    axes.plot(np.arange(9), np.arange(9) ** 2, "o--", label="squares")
    axes.errorbar([1, 2], [9, 20], yerr=5, capsize=3, label="measured")
    axes.fill_between([0, 8], [10, 30], alpha=0.3)
    axes.set(ylim=(0, 30), title="$x^2$ & more")
    axes.grid()
    axes.legend()
    return figure


def curves_and_arrows():
    figure, (left, right) = plt.subplots(1, 2)
    left.pie([1, 2, 3], labels=["a", "b", "c"], hatch="//")
    right.annotate("here", (0.2, 0.2), (0.7, 0.7), arrowprops={"arrowstyle": "->"})
    right.text(0.1, 0.5, "turned", rotation=30, color="tab:red", family="monospace")
    figure.suptitle("Two")
    return figure


def boxes_on_a_log_scale():
    figure, axes = plt.subplots()
    axes.boxplot(np.exp(np.arange(33).reshape(11, 3) / 4))
    axes.scatter([1, 2, 3], [5, 50, 500], s=[20, 90, 200], c=[1, 2, 3], marker="^")
    axes.set_yscale("log")
    return figure


def pixels(page, svg):
    page.set_content(
        "<style>body { margin: 0 } svg { font-family: 'DejaVu Sans' }</style>"
        + svg[svg.index("<svg") :]
    )
    return image.imread(io.BytesIO(page.screenshot()), format="png")[..., :3]


@pytest.mark.parametrize(
    ("draw", "tolerance"),
    [
        # Hatching moved by a twentieth of a point changes pixels, but no meaning.
        (masked_heatmap, 0.04),
        (masked_raster, 0.04),
        (lines_beyond_the_edge, 0.001),
        (curves_and_arrows, 0.005),
        (boxes_on_a_log_scale, 0.005),
    ],
)
def test_the_small_drawing_looks_like_the_large_one(page, draw, tolerance):
    large = figures._as_svg(draw())
    small = ET.tostring(simplify(large, "small"), encoding="unicode")

    assert len(small) < 0.6 * len(large)
    expected, actual = pixels(page, large), pixels(page, small)
    drawn = (expected.min(axis=-1) < 0.9).mean()
    different = (np.abs(expected - actual).max(axis=-1) > 0.3).mean()
    assert different < tolerance * drawn
