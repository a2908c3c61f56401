"""A lesson, as a notebook, does again in a kernel what its page shows."""

import copy
import os
from pathlib import Path

import pytest
from nbclient import NotebookClient

from attention_ref.lessons.notebooks.jupyter import as_text
from attention_ref.lessons.notebooks.lesson_notebook import (
    lesson_notebook,
    read_figure_style,
)
from attention_ref.lessons.pages.parsing import read_page
from attention_ref.lessons.running.run import run_pages

DOCS = Path(__file__).parents[2] / "docs"
LESSONS = sorted((DOCS / "lessons").glob("*.md"))
# All of them take minutes.
SAMPLE = (
    LESSONS if os.environ.get("PROOFS") else [DOCS / "lessons" / "small-numbers.md"]
)


def did(cell):
    """What a cell printed and raised, and whether it drew."""
    printed = "".join(out.text for out in cell.outputs if out.get("name") == "stdout")
    raised = [(o.ename, o.evalue) for o in cell.outputs if o.output_type == "error"]
    drawn = sum(out.output_type == "display_data" for out in cell.outputs)
    shown = [o for o in cell.outputs if o.output_type == "execute_result"]
    return printed, raised, drawn, shown


@pytest.mark.slow
@pytest.mark.parametrize("path", SAMPLE, ids=lambda path: path.stem)
def test_a_lesson_gives_the_same_outputs_again(path, tmp_path):
    [result] = run_pages([read_page(path)])
    assert result.problems == []
    notebook = lesson_notebook(result, "", read_figure_style(DOCS), lambda _: "")
    again = copy.deepcopy(notebook)
    assert as_text(notebook)

    place = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(again, timeout=600, kernel_name="python3", resources=place).execute()

    cells = zip(notebook.cells, again.cells, strict=True)
    code = [(old, new) for old, new in cells if old.cell_type == "code"]
    assert len(code) > 10
    for old, new in code:
        assert did(new) == did(old), old.source
