"""What a heatmap and text bars show, read back from what they drew."""

import subprocess
import sys

import array_api_strict
import jax.numpy as jnp
import matplotlib as mpl
import ml_dtypes
import numpy as np
import pytest
import torch
from matplotlib import pyplot as plt
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure

from attention_ref import ShapeError
from attention_ref.plotting import heatmap, text_bars

CAUSAL = np.tril(np.ones((3, 3), dtype=bool))
ROWS = np.array([[1.0, 0.0, 0.0], [0.25, 0.75, 0.0], [0.5, 0.3, 0.2]])


@pytest.fixture(autouse=True)
def _own_canvas():
    mpl.use("Agg")
    with mpl.rc_context():
        yield
    plt.close("all")


def numbers(axes):
    """Map (query, key) to the number written there."""
    return {
        (text.get_position()[1], text.get_position()[0]): text.get_text()
        for text in axes.texts
    }


def labels(ticks):
    return [label.get_text() for label in ticks]


def is_hatched(axes, query, key):
    return any(
        patch.get_hatch() and patch.get_path().contains_point((key, query))
        for patch in axes.patches
    )


def contrast(first, second):
    """Give WCAG's contrast of two colours."""

    def luminance(colour):
        parts = np.asarray(mpl.colors.to_rgb(colour))
        low = parts / 12.92
        high = ((parts + 0.055) / 1.055) ** 2.4
        return np.where(parts <= 0.04045, low, high) @ [0.2126, 0.7152, 0.0722]

    dark, light = sorted((luminance(first), luminance(second)))
    return (light + 0.05) / (dark + 0.05)


# --- where things stand


def test_queries_are_rows_from_the_top_and_keys_are_columns_from_the_left():
    axes = heatmap([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])

    assert numbers(axes) == {
        (0, 0): "0.10",
        (0, 1): "0.20",
        (0, 2): "0.30",
        (1, 0): "0.40",
        (1, 1): "0.50",
        (1, 2): "0.60",
    }
    top = axes.transData.transform((0, 0))
    below = axes.transData.transform((0, 1))
    assert top[1] > below[1]
    right = axes.transData.transform((1, 0))
    assert right[0] > top[0]


def test_the_colour_of_each_cell_is_its_own_value():
    weights = np.arange(6).reshape(2, 3) / 5
    axes = heatmap(weights)

    (mesh,) = axes.collections
    assert isinstance(mesh, QuadMesh)
    np.testing.assert_array_equal(mesh.get_array(), weights)
    corners = mesh.get_coordinates()
    np.testing.assert_array_equal(corners[0, 0], [-0.5, -0.5])
    np.testing.assert_array_equal(corners[1, 2], [1.5, 0.5])


def test_tokens_are_counted_from_zero_unless_they_have_labels():
    axes = heatmap(np.eye(3))
    assert labels(axes.get_xticklabels()) == ["0", "1", "2"]
    assert labels(axes.get_yticklabels()) == ["0", "1", "2"]

    axes = heatmap(
        np.ones((2, 3)), query_labels=["cat", "sat"], key_labels=["the", "cat", "sat"]
    )
    assert labels(axes.get_xticklabels()) == ["the", "cat", "sat"]
    assert labels(axes.get_yticklabels()) == ["cat", "sat"]
    np.testing.assert_array_equal(axes.get_xticks(), [0, 1, 2])


def test_axes_say_which_are_keys_and_which_are_queries():
    axes = heatmap(np.eye(2), title="Head 3")

    assert axes.get_xlabel() == "keys"
    assert axes.get_ylabel() == "queries"
    assert axes.get_title() == "Head 3"


def test_labels_longer_than_a_cell_are_turned_and_short_ones_are_not():
    long = heatmap(np.eye(2), key_labels=["attention", "is"])
    short = heatmap(np.eye(2), key_labels=["all", "you"])

    assert long.get_xticklabels()[0].get_rotation() == 45
    assert short.get_xticklabels()[0].get_rotation() == 0


def test_labels_that_would_touch_are_thinned_out():
    axes = heatmap(np.eye(67))

    assert labels(axes.get_xticklabels())[:3] == ["0", "5", "10"]
    np.testing.assert_array_equal(axes.get_xticks()[:3], [0, 5, 10])


# --- the numbers


def test_numbers_follow_the_format_and_have_a_real_minus():
    axes = heatmap([[-1.25, 1234.5]], value_format=".1f")

    assert numbers(axes) == {(0, 0): "−1.2", (0, 1): "1234.5"}


@pytest.mark.parametrize("start", [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
def test_numbers_stand_out_from_their_cell_with_a_contrast_of_at_least_4_5(start):
    weights = start + np.arange(100).reshape(10, 10) / 1000
    axes = heatmap(weights)

    (mesh,) = axes.collections
    for text in axes.texts:
        key, query = text.get_position()
        cell = mesh.to_rgba(weights[query, key])[:3]
        assert contrast(text.get_color(), cell) >= 4.5


def test_numbers_that_do_not_fit_are_made_smaller_and_then_left_out():
    _, axes = plt.subplots(figsize=(2, 2))
    heatmap(np.eye(5), ax=axes)
    assert 5 <= axes.texts[0].get_fontsize() < 9

    _, axes = plt.subplots(figsize=(1, 1))
    heatmap(np.eye(5), ax=axes)
    assert not axes.texts


def test_above_sixteen_tokens_it_is_a_raster_without_numbers():
    assert len(heatmap(np.eye(16)).texts) == 256
    axes = heatmap(np.eye(17))

    (image,) = axes.images
    np.testing.assert_array_equal(image.get_array(), np.eye(17))
    assert not axes.texts
    assert not axes.collections


def test_a_cell_that_is_not_a_number_says_so():
    axes = heatmap([[np.nan, 0.5]])

    assert numbers(axes) == {(0, 0): "nan", (0, 1): "0.50"}
    assert axes.texts[0].get_color() == "black"


# --- what is masked


def test_masked_cells_are_hatched_and_have_no_number():
    axes = heatmap(ROWS, mask=CAUSAL)

    for query, key in np.ndindex(3, 3):
        assert ((query, key) in numbers(axes)) == CAUSAL[query, key]
        assert is_hatched(axes, query, key) != CAUSAL[query, key]


def test_masked_cells_are_hatched_in_a_raster_too():
    mask = np.tril(np.ones((19, 19), dtype=bool))
    axes = heatmap(np.eye(19), mask=mask)

    assert is_hatched(axes, 3, 4)
    assert not is_hatched(axes, 4, 3)


def test_without_a_masked_cell_nothing_is_hatched():
    assert not heatmap(ROWS, mask=np.ones((3, 3), dtype=bool)).patches


def test_minus_infinity_counts_as_masked():
    axes = heatmap(np.where(CAUSAL, 2.0, -np.inf))

    assert is_hatched(axes, 0, 2)
    assert (0, 2) not in numbers(axes)
    assert axes.collections[0].get_clim() == (2.0, 2.0)


def test_a_mask_of_keys_alone_holds_for_every_query():
    axes = heatmap(ROWS, mask=np.array([True, True, False]))

    assert [is_hatched(axes, query, 2) for query in range(3)] == [True] * 3
    assert not is_hatched(axes, 0, 1)


def test_a_matrix_without_any_visible_cell_is_drawn():
    axes = heatmap(ROWS, mask=np.zeros((3, 3), dtype=bool))

    assert not axes.texts
    assert is_hatched(axes, 0, 0)


# --- the scale


@pytest.mark.parametrize(
    ("values", "limits"),
    [
        ([[0.2, 0.7]], (0, 1)),
        ([[0.0, 1.0]], (0, 1)),
        ([[-3.0, 5.0]], (-3, 5)),
        ([[0.5, 2.0]], (0.5, 2)),
        ([[np.nan, np.nan]], (0, 1)),
        ([[np.inf, -2.0]], (-2, -2)),
    ],
)
def test_the_scale_is_zero_to_one_for_weights_and_the_data_otherwise(values, limits):
    assert heatmap(values).collections[0].get_clim() == limits


def test_what_is_masked_does_not_stretch_the_scale():
    axes = heatmap([[7.0, 0.5]], mask=np.array([[False, True]]))

    assert axes.collections[0].get_clim() == (0, 1)


def test_given_limits_are_kept():
    assert heatmap([[0.2]], limits=(-1, 3)).collections[0].get_clim() == (-1, 3)


# --- arrays of every library


@pytest.mark.parametrize(
    "weights",
    [
        torch.tensor(ROWS, requires_grad=True),
        torch.tensor(ROWS, dtype=torch.bfloat16, requires_grad=True),
        torch.tensor(ROWS, dtype=torch.float16),
        jnp.asarray(ROWS, dtype=jnp.float32),
        jnp.asarray(ROWS, dtype=jnp.bfloat16),
        array_api_strict.asarray(ROWS),
        ROWS.astype(ml_dtypes.bfloat16),
        ROWS.tolist(),
    ],
    ids=lambda weights: f"{type(weights).__module__}-{getattr(weights, 'dtype', '')}",
)
def test_arrays_of_every_library_are_drawn(weights):
    axes = heatmap(weights, mask=CAUSAL)

    assert numbers(axes)[2, 1] == "0.30"


@pytest.mark.parametrize(
    "mask",
    [torch.tensor(CAUSAL), jnp.asarray(CAUSAL), array_api_strict.asarray(CAUSAL)],
)
def test_masks_of_every_library_are_understood(mask):
    assert len(heatmap(ROWS, mask=mask).texts) == 6


def test_a_mask_itself_can_be_drawn():
    assert numbers(heatmap(CAUSAL, value_format=".0f"))[0, 2] == "0"


# --- good manners


def test_it_draws_where_it_is_told():
    figure, axes = plt.subplots()

    assert heatmap(np.eye(2), ax=axes) is axes
    assert plt.get_fignums() == [figure.number]


def test_it_neither_shows_nor_saves_nor_changes_settings(monkeypatch):
    monkeypatch.setattr(plt, "show", lambda: pytest.fail("shown"))
    monkeypatch.setattr(Figure, "savefig", lambda *_: pytest.fail("saved"))
    before = dict(mpl.rcParams)

    heatmap(np.eye(2))

    assert dict(mpl.rcParams) == before


def test_it_leaves_the_weights_as_they_are():
    weights = ROWS.copy()
    heatmap(weights, mask=CAUSAL)

    np.testing.assert_array_equal(weights, ROWS)


def test_importing_the_package_imports_neither_matplotlib_nor_torch():
    code = (
        "import sys, attention_ref, attention_ref.plotting as p; p.text_bars([1], 'a')"
    )
    code += "; print({'matplotlib', 'torch'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert done.stdout == "set()\n"


# --- text bars


def test_bars_are_as_long_as_their_numbers_say():
    bars = text_bars([0.3, 0.1, 0.0], ["Eiffel", "The", "of"], width=6)

    assert bars == (
        "Eiffel  0.30  ██████\n"
        "The     0.10  ██\n"
        "of      0.00"
    )  # fmt: skip


def test_equal_values_have_equal_bars():
    lines = text_bars([0.05, 0.3, 0.25, 0.02, 0.05, 0.03, 0.25, 0.05], "abcdefgh")
    lengths = [line.count("█") for line in lines.splitlines()]

    assert lengths[0] == lengths[4] == lengths[7]
    assert lengths[2] == lengths[6]
    assert lengths[5] < lengths[0] < lengths[2] < lengths[1]


def test_the_longest_bar_fills_the_width_whatever_the_values():
    assert text_bars([2e-7, 1e-7], "ab", width=10).count("█") == 15
    assert text_bars([1.0], "a").count("█") == 40


def test_numbers_of_bars_follow_the_format_and_are_aligned():
    bars = text_bars([100.0, 1.0], ["a", "bc"], width=2, value_format=".1f")

    assert bars == "a   100.0  ██\nbc    1.0"


def test_no_bars_and_only_empty_bars_are_fine():
    assert text_bars([], []) == ""
    assert text_bars([0.0, 0.0], "ab") == "a  0.00\nb  0.00"


def test_bars_of_every_library_are_written():
    row = torch.tensor([0.5, 0.25], dtype=torch.bfloat16, requires_grad=True)

    assert text_bars(row, "ab", width=4) == "a  0.50  ████\nb  0.25  ██"


# --- errors, whole


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (
            lambda: heatmap(np.ones((2, 3, 5))),
            ShapeError,
            (
                "heatmap: weights must have the shape (queries, keys) with at least "
                "one of each, got (2, 3, 5). "
                "Choose one batch and one head, as in weights[0, 0]."
            ),
        ),
        (
            lambda: heatmap(np.ones((0, 3))),
            ShapeError,
            (
                "heatmap: weights must have the shape (queries, keys) with at least "
                "one of each, got (0, 3). "
                "Choose one batch and one head, as in weights[0, 0]."
            ),
        ),
        (
            lambda: heatmap(np.ones((3, 2)), query_labels=["a", "b"]),
            ShapeError,
            (
                "heatmap: query_labels must hold one label per query = 3, got 2. "
                "Pass the tokens in their order."
            ),
        ),
        (
            lambda: heatmap(np.ones((3, 2)), key_labels=["a", "b", "c"]),
            ShapeError,
            (
                "heatmap: key_labels must hold one label per key = 2, got 3. "
                "Pass the tokens in their order."
            ),
        ),
        (
            lambda: heatmap(np.ones((3, 2)), mask=np.ones((3, 2))),
            TypeError,
            (
                "heatmap: mask must be boolean, got float64. "
                "True means that the query may attend to the key."
            ),
        ),
        (
            lambda: heatmap(np.ones((3, 2)), mask=np.ones((2, 3), dtype=bool)),
            ShapeError,
            (
                "heatmap: mask must broadcast to (queries, keys) = (3, 2), got (2, 3). "
                "Queries come first; choose one batch and one head."
            ),
        ),
        (
            lambda: heatmap(np.ones((3, 2)), mask=np.ones((1, 3, 2), dtype=bool)),
            ShapeError,
            (
                "heatmap: mask must broadcast to (queries, keys) = (3, 2), "
                "got (1, 3, 2). Queries come first; choose one batch and one head."
            ),
        ),
        (
            lambda: heatmap(np.ones((3, 2)), limits=(1, 0)),
            ValueError,
            (
                "heatmap: limits must be low < high, got low = 1 and high = 0. "
                "Leave limits out to take them from the values."
            ),
        ),
        (
            lambda: text_bars(np.ones((2, 3)), "ab"),
            ShapeError,
            (
                "text_bars: values must have the shape (labels,) = (2,), got (2, 3). "
                "Choose one row, as in weights[0], and label each of its values."
            ),
        ),
        (
            lambda: text_bars([1.0, -0.5], "ab"),
            ValueError,
            (
                "text_bars: values must be finite and at least 0, got -0.5 to 1. "
                "A bar shows a weight; take the softmax of scores first."
            ),
        ),
        (
            lambda: text_bars([1.0, np.nan], "ab"),
            ValueError,
            (
                "text_bars: values must be finite and at least 0, got nan to nan. "
                "A bar shows a weight; take the softmax of scores first."
            ),
        ),
        (
            lambda: text_bars([1.0, np.inf], "ab"),
            ValueError,
            (
                "text_bars: values must be finite and at least 0, got 0 to inf. "
                "A bar shows a weight; take the softmax of scores first."
            ),
        ),
        (
            lambda: text_bars([1.0], "a", width=0),
            ValueError,
            (
                "text_bars: width must be at least 1, got 0. "
                "It is the number of characters of the longest bar."
            ),
        ),
    ],
)
def test_errors_say_what_must_hold_and_what_to_do(call, kind, message):
    with pytest.raises(kind) as error:
        call()

    assert type(error.value) is kind
    assert str(error.value) == message


def test_an_error_leaves_no_empty_figure_behind():
    with pytest.raises(ValueError, match="limits"):
        heatmap(np.eye(2), limits=(1, 0))

    assert not plt.get_fignums()
