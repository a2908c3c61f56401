"""Workbooks as pages: cells, lines, solutions, and the way back to the source."""

import pytest

from attention_ref.lessons.errors import PageError
from attention_ref.lessons.notebooks.workbook_updates import updated_source
from attention_ref.lessons.notebooks.workbooks import (
    as_markdown,
    read_workbook,
    unsolved,
)

WORKBOOK = """\
# ---
# title: Small
# ---

# %% [markdown]
# # Small
#
# Text.


# %%
def double(x):
    # Your turn: return twice as much.
    # solution
    y = x + x
    return y
    # end of solution


print(double(2))

# %% [markdown] tags=["expected"]
# ```output
# 4
# ```

# %% tags=["gpu"] title="There"
print(1)

# %% [markdown]
# The end.
"""


def read(tmp_path, text):
    path = tmp_path / "small.py"
    path.write_text(text)
    return read_workbook(path, "small.py")


def refusal(tmp_path, text):
    with pytest.raises(PageError) as error:
        read(tmp_path, text)
    return str(error.value)


def test_cells_become_blocks_in_the_same_lines(tmp_path):
    page = read(tmp_path, WORKBOOK)
    first, second = page.blocks

    assert page.text.count("\n") == WORKBOOK.count("\n") + 1
    assert (first.line, second.line) == (11, 27)
    assert first.source.startswith("def double(x):\n")
    assert (first.expected.text, first.expected.line) == ("4\n", 23)
    assert page.text.startswith("---\ntitle: Small\n---\n")
    assert "\n# Small\n\nText.\n" in page.text


def test_the_first_line_of_a_cell_holds_its_options(tmp_path):
    first, second = read(tmp_path, WORKBOOK).blocks

    assert not first.options.continues
    assert second.options.continues
    assert second.options.gpu
    assert second.options.theme == {"title": "There"}


def test_the_unsolved_workbook_has_dots_for_a_solution():
    left = unsolved(WORKBOOK, "small.py")

    assert (
        "def double(x):\n    # Your turn: return twice as much.\n    ...\n\n\nprint"
        in left
    )
    assert "x + x" not in left


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("    # Your turn: return twice as much.\n", "", "13: above # solution must"),
        ("    # end of solution\n", "", "14: # solution must be closed by"),
        ("    # solution\n", "", "16: # end of solution must follow a # solution"),
        ("print(double(2))\n\n", "print(double(2))\n", "20: a code cell must end with"),
        (
            "# The end.",
            "# ```python\n# 1\n# ```",
            "31: Python code must stand in a code cell",
        ),
        ("# ```\n\n# %% tags", "\n# %% tags", "26: a fence above this cell is not"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path, old, new, message):
    text = WORKBOOK.replace(old, new)

    assert refusal(tmp_path, text).startswith(f"small.py:{message}")


def test_an_update_that_changes_nothing_leaves_the_source_as_it_is():
    assert updated_source(WORKBOOK, as_markdown(WORKBOOK, "small.py")) == WORKBOOK


def test_another_output_goes_into_its_cell():
    page = as_markdown(WORKBOOK, "small.py").replace("\n4\n", "\n5\n\n6\n")

    assert updated_source(WORKBOOK, page) == WORKBOOK.replace("# 4\n", "# 5\n#\n# 6\n")


def test_a_new_output_gets_a_cell():
    expected = '# %% [markdown] tags=["expected"]\n# ```output\n# 4\n# ```\n\n'
    without = WORKBOOK.replace(expected, "")
    page = as_markdown(without, "small.py")
    assert "4" not in page
    written = page.replace(
        "print(double(2))\n```\n", "print(double(2))\n```\n\n```output\n4\n```\n"
    )

    assert updated_source(without, written) == WORKBOOK
