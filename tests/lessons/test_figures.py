"""A matplotlib figure becomes one small drawing that follows the page's palette."""

import gc
import gzip
import re
import subprocess
import sys
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree as ET

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt

from attention_ref.lessons.figures import (
    _as_svg,
    collect_figures,
    figure_style,
    render_figure,
    use_figure_style,
)
from attention_ref.lessons.figures.style import SERIES, VARIABLES, ramp_colours
from attention_ref.plotting import heatmap

WEIGHTS = np.array([[1.0, 0.0, 0.0], [0.25, 0.75, 0.0], [0.5, 0.3, 0.2]])
CAUSAL = np.tril(np.ones((3, 3), dtype=bool))


@pytest.fixture(autouse=True)
def _house_style():
    mpl.use("Agg")
    with figure_style():
        yield
    plt.close("all")


def render(figure, **options):
    given = {"identifier": "weights", "alternative": "The cat attends to itself."}
    html = render_figure(figure, **(given | options))
    # Within HTML the prefix needs no declaration; XML would want one.
    return ET.fromstring(html.replace("xlink:href", "href"))


def drawn(figure, **options):
    return render(figure, **options).find("svg")


def table_of(figure):
    """Return each table below a figure as its title and its rows."""
    return [
        (
            table.findtext("caption"),
            [["".join(cell.itertext()) for cell in row] for row in table.iter("tr")],
        )
        for table in render(figure).iter("table")
    ]


# --- the HTML


def test_a_figure_is_one_line_with_drawing_numbers_and_caption():
    axes = heatmap(WEIGHTS, title="Weights")
    html = render_figure(
        axes.figure, identifier="weights", alternative="x", caption="Rows sum to 1."
    )

    assert "\n" not in html
    assert [child.tag for child in ET.fromstring(html)] == [
        "svg",
        "details",
        "figcaption",
    ]
    assert ET.fromstring(html).attrib == {"class": "attention-figure", "id": "weights"}
    assert ET.fromstring(html).findtext("figcaption") == "Rows sum to 1."


def test_the_drawing_is_an_image_named_by_its_text_alternative():
    svg = drawn(heatmap(WEIGHTS).figure, alternative='"a" < b &\n  c')

    assert svg.get("role") == "img"
    named_by = svg.find(f"*[@id='{svg.get('aria-labelledby')}']")
    assert named_by.tag == "desc"
    assert named_by.text == '"a" < b & c'
    assert svg.find("title") is None


@pytest.mark.parametrize("alternative", ["", "  \n"])
def test_a_figure_without_a_text_alternative_is_an_error(alternative):
    with pytest.raises(ValueError, match="figure") as error:
        render(heatmap(WEIGHTS).figure, alternative=alternative)

    assert str(error.value) == (
        "figure weights: the text alternative must not be empty. "
        'Say what the figure shows, as in figure="The cat attends to itself."'
    )


def test_an_illustration_says_that_it_was_not_computed():
    figure = heatmap(WEIGHTS).figure
    caption = render(figure, caption="A & B", illustration=True).find("figcaption")

    assert "".join(caption.itertext()) == "A & B illustration, not computed"
    assert render(figure).find("figcaption") is None
    alone = render(figure, illustration=True).find("figcaption")
    assert "".join(alone.itertext()) == "illustration, not computed"


# --- the drawing


def test_the_drawing_scales_with_the_page():
    svg = drawn(heatmap(WEIGHTS).figure)
    left, top, width, height = map(float, svg.get("viewBox").split())

    assert (left, top) == (0, 0)
    assert int(svg.get("width")) == round(width * 4 / 3)
    assert int(svg.get("height")) == round(height * 4 / 3)
    assert "pt" not in svg.get("width") + svg.get("height")


def test_text_stays_text():
    svg = drawn(
        heatmap(WEIGHTS, title="Who & whom", key_labels=["le", "chat", "<s>"]).figure
    )
    texts = ["".join(text.itertext()) for text in svg.iter("text")]

    assert {"Who & whom", "le", "chat", "<s>", "0.75", "keys", "queries"} <= set(texts)


def test_text_stands_where_matplotlib_puts_it():
    figure = plt.figure()
    for angle, side in [(0, "left"), (0, "center"), (0, "right"), (30, "right")]:
        figure.text(0.5, 0.5, f"{side} {angle}", ha=side, rotation=angle)
    figure.text(0.5, 0.5, "$d_k$", style="italic", family="monospace")
    svg = drawn(figure)
    anchors = {text.text: text.get("text-anchor") for text in svg.iter("text")}

    assert anchors["left 0"] == "start"
    assert anchors["center 0"] is None  # inherited
    assert svg.get("text-anchor") == "middle"
    assert anchors["right 0"] == "end"
    assert anchors["right 30"] == "start"  # matplotlib has moved it already


def test_text_keeps_its_kind_but_not_its_list_of_fonts():
    figure = plt.figure()
    figure.text(0, 0, "plain")
    figure.text(0, 0, "code", family="monospace", weight="bold")
    plain, code = drawn(figure).iter("text")

    assert plain.get("font-family") is None
    assert code.get("font-family") == "monospace"
    assert code.get("font-weight") in {"bold", "700"}


def test_each_cell_is_one_path_in_the_colours_of_the_page():
    svg = drawn(heatmap([[0.0, 0.5, 1.0]]).figure)
    cells = [path for path in svg.iter("path") if "figure-" in path.get("class", "")]

    assert [(cell.get("class"), cell.get("style")) for cell in cells] == [
        ("figure-low", "--t:0%"),
        ("figure-low", "--t:70%"),
        ("figure-high", "--t:100%"),
    ]
    assert len({cell.get("d").partition("h")[2] for cell in cells}) <= 2


def test_known_colours_become_variables_and_others_stay():
    _, axes = plt.subplots()
    for colour in (*VARIABLES, "#123456"):
        axes.plot([0, 1], [0, 1], color=colour)
    strokes = {path.get("stroke") for path in drawn(axes.figure).iter("path")}

    for name, variable in VARIABLES.items():
        assert f"var({variable},{mpl.colors.to_hex(name)})" in strokes
    assert "#123456" in strokes


def test_lines_keep_their_width():
    _, axes = plt.subplots()
    for width in (0.8, 1, 2.5):
        axes.plot([0, 1], [0, 1], color="#123456", linewidth=width)
    lines = drawn(axes.figure).findall(".//path[@stroke='#123456']")

    assert [line.get("stroke-width", "1") for line in lines] == [".8", "1", "2.5"]


def test_the_series_are_c0_to_c5_and_differ_in_their_dashes_too():
    _, axes = plt.subplots()
    lines = [axes.plot([0, 1], [0, k])[0] for k in range(6)]

    assert [line.get_color() for line in lines] == list(SERIES)
    assert mpl.colors.to_hex("C3") == SERIES[3]
    assert len({str(line._unscaled_dash_pattern) for line in lines}) == 6


def test_white_text_is_reversed_ink_and_black_text_is_ink():
    svg = drawn(heatmap([[0.0, 1.0]]).figure)
    fills = {text.text: text.get("fill") for text in svg.iter("text")}

    assert fills["1.00"] == "var(--figure-ink-reversed,#ffffff)"
    assert fills["0.00"] is None  # inherited
    assert svg.get("fill") == "var(--figure-ink,#000000)"


def test_masked_cells_are_filled_with_a_pattern_that_is_there():
    svg = drawn(heatmap(WEIGHTS, mask=CAUSAL).figure)
    filled = [path.get("fill") for path in svg.iter("path")]

    assert "url(#weights-0)" in filled
    assert svg.find("defs/pattern").get("id") == "weights-0"


def test_ids_begin_with_the_identifier_and_lead_somewhere():
    _, (left, right) = plt.subplots(1, 2)
    heatmap(WEIGHTS, mask=CAUSAL, ax=left)
    right.plot([0, 1, 2], [0, 5, 1], "o-")
    right.set_ylim(0, 1)
    html = render_figure(left.figure, identifier="heads", alternative="Two heads")

    ids = re.findall(r' id="([^"]+)"', html)
    assert len(ids) == len(set(ids)) >= 4
    assert all(name == "heads" or name.startswith("heads-") for name in ids)
    referred = re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', html)
    assert {"".join(name) for name in referred} < set(ids)
    assert len(referred) >= 3


def test_what_lies_inside_the_plot_needs_no_clipping():
    _, axes = plt.subplots()
    axes.plot([0, 1], [0, 1])
    assert drawn(axes.figure).find(".//clipPath") is None

    axes.set_xlim(0, 0.5)
    assert drawn(axes.figure).find(".//clipPath") is not None


def test_a_raster_follows_the_palette_only_where_its_colours_are_the_ramp():
    heat = heatmap(np.eye(17)).figure
    (image,) = drawn(heat).iter("image")
    assert image.get("class") == "figure-raster"
    assert re.fullmatch(r"data:image/png;base64,[\w+/]+=*", image.get("href"))
    assert (image.get("width"), image.get("height")) == ("17", "17")

    _, axes = plt.subplots()
    axes.imshow(np.eye(3), cmap="viridis")
    (image,) = drawn(axes.figure).iter("image")
    assert image.get("class") is None

    _, axes = plt.subplots()
    axes.imshow(np.zeros((3, 3, 3)))
    (image,) = drawn(axes.figure).iter("image")
    assert image.get("class") is None


def test_a_heatmap_of_twelve_tokens_takes_at_most_five_kilobytes():
    rows = np.random.default_rng(7).dirichlet(np.ones(12), size=12)
    html = render_figure(
        heatmap(rows, title="Twelve tokens").figure, identifier="f", alternative="x"
    )

    assert len(re.findall("<text", html)) > 144
    assert len(gzip.compress(html.encode())) <= 5 * 1024


TWICE = """
import numpy as np
from matplotlib import pyplot as plt
from attention_ref.lessons.figures import figure_style, render_figure
from attention_ref.plotting import heatmap
with figure_style():
    figure, (left, middle, right) = plt.subplots(1, 3)
    heatmap(np.eye(3), mask=np.tri(3, dtype=bool), ax=left)
    middle.plot([0, 5], [3, 4], "o--")
    middle.set_xlim(1, 2)
    right.imshow(np.eye(20))
    print(render_figure(figure, identifier="f", alternative="x"))
"""


def test_the_drawing_is_the_same_on_every_build():
    first, second = (
        subprocess.run(
            [sys.executable, "-c", TWICE],
            env={
                "PYTHONHASHSEED": seed,
                "MPLBACKEND": "Agg",
                "SOURCE_DATE_EPOCH": seed,
            },
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    )

    assert first == second
    assert len(first) > 5000


def test_rendering_leaves_the_figure_and_the_settings_alone():
    figure = heatmap(WEIGHTS, mask=CAUSAL).figure
    before = dict(mpl.rcParams)
    first = render_figure(figure, identifier="f", alternative="x")

    assert render_figure(figure, identifier="f", alternative="x") == first
    assert dict(mpl.rcParams) == before


def legend_outside():
    plt.plot([1, 2, 3], label="a curve")
    plt.gcf().legend(loc="outside right upper")


def panels():
    figure, axes = plt.subplots(2, 2, sharex=True)
    figure.suptitle("Four panels")
    axes[0, 0].plot([1e6, 1e6 + 1])
    figure.colorbar(axes[1, 1].imshow(WEIGHTS), label="weight")


def note_beyond_the_axes():
    plt.plot([1, 2])
    plt.annotate("here", (0.5, 1.5), xytext=(1.4, 2.4), arrowprops={"arrowstyle": "->"})


@pytest.mark.parametrize(
    "draw",
    [
        legend_outside,
        panels,
        note_beyond_the_axes,
        lambda: plt.figure(dpi=150).subplots().plot([1, 2]),
        lambda: plt.figure(layout="none").subplots().plot([1, 2]),
        lambda: plt.figure(layout="tight").subplots(2, 2)[0, 0].set_ylabel("rows"),
        lambda: plt.subplot(projection="polar").plot([0, 1], [1, 2]),
        lambda: plt.subplot(projection="3d").plot([0, 1], [1, 2], [2, 1]),
        lambda: plt.figure().text(0.5, 0.5, "no axes"),
    ],
)
def test_a_drawing_fills_the_box_that_matplotlib_would_give_it(draw):
    draw()
    figure, written = plt.gcf(), StringIO()
    state = figure.canvas, figure.dpi, figure.get_layout_engine()
    ours = _as_svg(figure)
    assert (figure.canvas, figure.dpi, figure.get_layout_engine()) == state

    plt.close()
    draw()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "attention_ref"}):
        plt.savefig(
            written,
            format="svg",
            transparent=True,
            bbox_inches="tight",
            pad_inches=0.05,
            metadata={"Date": None},
        )
    assert ours == written.getvalue()


# --- the numbers below the drawing


def test_the_table_of_a_heatmap_has_its_labels_and_its_values():
    axes = heatmap(
        WEIGHTS,
        mask=CAUSAL,
        title="Weights",
        query_labels=["I", "am", "here"],
        key_labels=["I", "am", "here"],
    )

    assert table_of(axes.figure) == [
        (
            "Weights",
            [
                ["queries \\ keys", "I", "am", "here"],
                ["I", "1.0000", "masked", "masked"],
                ["am", "0.2500", "0.7500", "masked"],
                ["here", "0.5000", "0.3000", "0.2000"],
            ],
        )
    ]


def test_a_table_counts_rows_whose_labels_were_thinned_out():
    axes = heatmap(np.eye(31))
    ((_, rows),) = table_of(axes.figure)

    assert [row[0] for row in rows[1:4]] == ["0", "1", "2"]
    assert rows[3][1:5] == ["0", "0", "1", "0"]


def test_curves_with_the_same_positions_share_a_table():
    _, axes = plt.subplots()
    axes.plot([0, 1], [0.5, -0.25], label="sine")
    axes.plot([0, 1], [1, 0], label="cosine")
    axes.plot([0, 0.5], [7, 8])
    axes.axhline(0)
    axes.set(xlabel="position", ylabel="value", title="Two\nwaves")

    assert table_of(axes.figure) == [
        (
            "Two waves",
            [
                ["position", "sine", "cosine"],
                ["0", "0.5000", "1.0000"],
                ["1", "−0.2500", "0.0000"],
            ],
        ),
        ("Two waves", [["position", "value"], ["0.0000", "7"], ["0.5000", "8"]]),
    ]


@pytest.mark.parametrize("draw", ["bar", "barh"])
def test_bars_are_named_by_their_tick_labels(draw):
    _, axes = plt.subplots()
    getattr(axes, draw)(["cat", "sat"], [0.25, 0.75])
    ((title, rows),) = table_of(axes.figure)

    assert title is None
    assert rows == [["position", "value"], ["cat", "0.2500"], ["sat", "0.7500"]]


def test_points_have_a_table():
    _, axes = plt.subplots()
    axes.scatter([1, 2], [0.125, 4])
    axes.set(xlabel="width", ylabel="spread")

    assert table_of(axes.figure) == [
        (None, [["width", "spread"], ["1", "0.1250"], ["2", "4.0000"]])
    ]


def test_a_matrix_drawn_by_hand_is_counted_from_zero_and_its_colorbar_left_out():
    _, axes = plt.subplots()
    axes.figure.colorbar(axes.pcolormesh(np.array([[1, 2], [3, 40]])))

    assert table_of(axes.figure) == [
        (None, [["rows \\ columns", "0", "1"], ["0", "1", "2"], ["1", "3", "40"]])
    ]


def test_an_image_has_a_table_with_a_row_for_each_of_its_rows():
    _, axes = plt.subplots()
    axes.imshow([[1, 2, 3], [4, 5, 6]])

    assert table_of(axes.figure)[0][1][1:] == [
        ["0", "1", "2", "3"],
        ["1", "4", "5", "6"],
    ]


def test_small_and_large_numbers_keep_their_first_digits():
    _, axes = plt.subplots()
    axes.plot([0, 1], [0.00001234, 0.00005])
    ((_, rows),) = table_of(axes.figure)

    assert [row[1] for row in rows[1:]] == ["1.234e−05", "5.000e−05"]


def test_a_figure_without_numbers_has_no_table():
    figure = plt.figure()
    figure.text(0.5, 0.5, "query → key")

    assert render(figure).find("details") is None


def test_a_table_that_nobody_would_read_is_left_out_in_words():
    details = render(heatmap(np.eye(33), title="Long").figure).find("details")

    assert details.find(".//table") is None
    assert details.findtext("div/p") == "Long: 33 × 33 numbers, too many to list here."


# --- figures and their style


def test_figures_are_collected_in_their_order_and_the_current_one_stays():
    first, second, _ = plt.figure(5), plt.figure(2), plt.figure(9)
    plt.close(9)
    plt.figure(2)

    assert collect_figures() == [second, first]
    assert plt.gcf() is second


def test_no_figure_is_collected_where_nobody_drew():
    code = (
        "import sys; from attention_ref.lessons.figures import collect_figures;"
        "print(collect_figures(), 'matplotlib' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert done.stdout == "[] False\n"


def test_the_style_ends_with_its_context():
    before = dict(mpl.rcParams)
    with mpl.rc_context({"font.size": 7}), figure_style():
        assert mpl.rcParams["font.size"] == 10

    assert dict(mpl.rcParams) == before


def test_the_style_can_be_put_on_for_good():
    with mpl.rc_context():
        mpl.rcdefaults()
        use_figure_style()
        gc.collect()

        assert mpl.rcParams["axes.titlelocation"] == "left"
        assert mpl.rcParams["image.cmap"] == "Blues"


def test_pages_draw_in_the_style(verify):
    page = """
        ```python
        import gc
        import matplotlib

        gc.collect()
        print(matplotlib.rcParams["axes.titlelocation"], matplotlib.get_backend())
        ```

        ```output
        left agg
        ```
        """

    assert verify(page).problems == []


# --- the style sheet

CSS = Path(__file__).parents[2] / "docs" / "assets" / "figures.css"
PAPER = {"light": "#fdfcf9", "dark": "#16171a"}


def palette(scheme):
    """Read the variables of one palette."""
    light, dark = re.findall(r"(?::root|\"slate\"\]) \{(.*?)\}", CSS.read_text(), re.S)
    found = dict(re.findall(r"(--figure-[\w-]+): (#\w{6});", light))
    if scheme == "dark":
        found |= dict(re.findall(r"(--figure-[\w-]+): (#\w{6});", dark))
    return found


def linear(colour):
    parts = np.asarray(mpl.colors.to_rgb(colour))
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def luminance(light):
    return float(light @ [0.2126, 0.7152, 0.0722])


def contrast(first, second):
    dark, light = sorted((luminance(first), luminance(second)))
    return (light + 0.05) / (dark + 0.05)


# Björn Ottosson's OKLab, in which `color-mix(in oklab, …)` mixes.
TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def mixed(first, second, share):
    """Mix two colours as a browser does, giving linear light."""
    one, other = (
        TO_LAB @ np.cbrt(TO_CONES @ linear(colour)) for colour in (first, second)
    )
    cones = np.linalg.solve(TO_LAB, share * one + (1 - share) * other) ** 3
    return np.clip(np.linalg.solve(TO_CONES, cones), 0, 1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_variable_has_a_value(scheme):
    assert {*VARIABLES.values(), "--figure-ink-reversed"} <= palette(scheme).keys()
    assert palette(scheme)["--figure-paper"] == PAPER[scheme]


def test_on_light_paper_the_series_look_as_matplotlib_draws_them():
    light = palette("light")

    assert [light[f"--figure-series-{index}"] for index in range(6)] == list(SERIES)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_numbers_are_clear_on_every_colour_of_the_ramp(scheme):
    colours = palette(scheme)
    ends = {"low": ("middle", "low"), "high": ("high", "middle")}
    for colour, place in ramp_colours().items():
        there, here = (colours[f"--figure-ramp-{end}"] for end in ends[place.half])
        cell = mixed(there, here, place.percent / 100)
        # The same rule by which a heatmap chooses between black and white.
        white = luminance(linear(colour)) < 0.179
        ink = colours["--figure-ink-reversed" if white else "--figure-ink"]
        assert contrast(linear(ink), cell) >= 4.5, (colour, place)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_ramp_runs_from_the_paper_to_its_opposite(scheme):
    colours = palette(scheme)
    steps = [
        luminance(linear(colours[f"--figure-ramp-{end}"]))
        for end in ("low", "middle", "high")
    ]

    assert steps == sorted(steps, reverse=scheme == "light")
    paper = luminance(linear(colours["--figure-paper"]))
    assert abs(steps[0] - paper) < 0.15


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("variable", "least"),
    [
        ("--figure-ink", 7),
        ("--figure-label", 4.5),
        *((f"--figure-series-{index}", 3) for index in range(6)),
    ],
)
def test_lines_and_labels_stand_out_from_the_paper(scheme, variable, least):
    colours = palette(scheme)

    assert (
        contrast(linear(colours[variable]), linear(colours["--figure-paper"])) >= least
    )


# Machado, Oliveira and Fernandes (2009): colours without one kind of cone.
VISION = {
    "all cones": np.eye(3),
    "no red": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "no green": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "no blue": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_series_can_be_told_apart_by_every_eye(scheme, vision):
    seen = [
        TO_LAB
        @ np.cbrt(
            TO_CONES
            @ np.clip(
                VISION[vision] @ linear(palette(scheme)[f"--figure-series-{index}"]),
                0,
                1,
            )
        )
        for index in range(6)
    ]
    apart = [np.linalg.norm(seen[i] - seen[j]) for i in range(6) for j in range(i)]

    assert min(apart) >= 0.1
