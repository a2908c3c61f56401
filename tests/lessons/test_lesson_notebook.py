"""Lessons as notebooks: their text, their outputs, and what runs between the cells."""

import re
from pathlib import Path

import pytest

from attention_ref.lessons.notebooks.jupyter import as_text
from attention_ref.lessons.notebooks.lesson_notebook import (
    figure_style,
    lesson_notebook,
)
from attention_ref.lessons.notebooks.notebook_text import NotebookText

STYLE = figure_style(
    (Path(__file__).parents[2] / "docs" / "assets" / "figures.css").read_text()
)


def convert(text, resolve=lambda target: f"https://site/{target}"):
    lines = text.split("\n")
    return NotebookText(lines, resolve).convert(0, len(lines))


@pytest.fixture
def notebook(verify):
    def make(text, wheel=""):
        return lesson_notebook(verify(text), wheel, STYLE, lambda target: target)

    return make


def test_marks_of_the_site_are_taken_out():
    assert convert("0.5<!-- = x -->, [a](b.md){ .c } and ++ctrl+c++.") == (
        "0.5, [a](https://site/b.md) and ctrl c."
    )
    assert convert("`<!-- shown -->`") == "`<!-- shown -->`"
    assert convert("[here](x.md)", lambda _: "") == "here"
    assert convert("[there](https://a.b)", lambda _: "") == "[there](https://a.b)"


def test_a_box_is_a_title_and_its_text():
    box = '!!! note "Mind"\n    One.\n\n    Two.\n\nThree.'

    assert convert(box) == "**Mind**\n\nOne.\n\nTwo.\n\nThree."


def test_a_folded_box_folds_where_it_holds_no_code():
    fold = '??? tip "The `hint`"\n    Look.\n\nOn.'
    code = '??? tip "Hint"\n    ```python\n    1\n    ```\n'

    assert convert(fold) == (
        "<details><summary>The <code>hint</code></summary>\n\n"
        "Look.\n\n</details>\n\nOn."
    )
    assert convert(code).startswith("**Hint**")


def test_what_a_fence_shows_stays_as_it_is():
    text = '```text\n!!! note "x"\n    y\n```'

    assert convert(text) == text


def test_cells_hold_what_the_blocks_did(notebook):
    text = (
        "# T\n\n```python\nprint(1)\n```\n\n```output\n1\n```\n\n"
        '```python {raises="ValueError"}\nraise ValueError("no")\n```\n\n'
        "```output\nValueError: no\n```\n\nEnd.\n"
    )
    made = notebook(text)
    title, first, second, end = made.cells

    assert (title.source, end.source) == ("# T", "End.")
    assert first.outputs[0].text == "1\n"
    assert second.metadata.tags == ["raises-exception"]
    assert (second.outputs[0].ename, second.outputs[0].evalue) == ("ValueError", "no")
    assert as_text(made) == as_text(notebook(text))


def test_the_package_is_installed_where_it_is_missing(notebook):
    made = notebook("```python\nimport attention_ref\n```\n", "https://site/a.whl")

    assert 'find_spec("attention_ref") is None' in made.cells[0].source
    assert "https://site/a.whl" in made.cells[0].source
    assert "%pip" not in notebook("```python\nx = 1\n```\n").cells[0].source


def test_what_a_cell_continues_runs_again_if_something_ran_in_between(notebook):
    made = notebook(
        '```python\nx = 1\n```\n\n```python {raises="KeyError"}\n{}[0]\n```\n\n'
        "```output\nKeyError: 0\n```\n\n```python {.continues}\nprint(x)\n```\n\n"
        "```output\n1\n```\n"
    )

    assert made.cells[2].source.startswith("%%capture\n")
    assert made.cells[2].source.endswith("x = 1")


def test_a_setting_of_a_library_does_not_outlive_its_chain(notebook):
    made = notebook(
        "```python\nimport numpy as np\nnp.set_printoptions(precision=2)\n```\n\n"
        "```python\nimport numpy as np\nprint(np.ones(1) / 3)\n```\n\n"
        "```output\n[0.33333333]\n```\n"
    )

    assert "precision=8" in made.cells[1].source


def test_a_value_at_the_end_is_not_shown(notebook):
    made = notebook("```python\n[1, 2]\n```\n")

    assert made.cells[0].source == "[1, 2];"


def test_a_figure_brings_its_colours_along(notebook):
    made = notebook(
        '```python {figure="A line."}\nimport matplotlib.pyplot as plt\n'
        "plt.plot([1, 2])\n```\n"
    )
    [output] = made.cells[0].outputs
    drawing = output.data["image/svg+xml"]

    assert output.data["text/plain"] == "A line."
    assert "--figure-ink: #000000" in drawing
    used = set(re.findall(r"var\((--figure-[\w-]+)\)", drawing))
    assert used <= set(re.findall(r"(--figure-[\w-]+):", drawing))
