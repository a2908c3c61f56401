"""The workbooks of the site: as pages, as notebooks to fill in, and in a kernel."""

import os
import re
import subprocess
import sys
from pathlib import Path

import jupytext
import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from attention_ref.lessons.notebooks import jupyter as notebooks
from attention_ref.lessons.notebooks.jupyter import (
    compare_run,
    installing_cell,
    workbook_notebook,
)
from attention_ref.lessons.notebooks.workbook_updates import updated_source
from attention_ref.lessons.notebooks.workbooks import (
    BEGIN,
    TASK,
    read_workbook,
    unsolved,
)
from attention_ref.lessons.proofs.coverage import as_text, cover

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
WORKBOOKS = sorted(FOLDER.glob("*.py"))
# In a kernel of its own each takes seconds; the build of the site runs all of them.
IN_A_KERNEL = WORKBOOKS if os.environ.get("PROOFS") else WORKBOOKS[-1:]

every_workbook = pytest.mark.parametrize("path", WORKBOOKS, ids=lambda path: path.stem)
some_workbooks = pytest.mark.parametrize(
    "path", IN_A_KERNEL, ids=lambda path: path.stem
)


def run(notebook):
    """Run a notebook as `jupyter execute` does, in a kernel of its own."""
    return NotebookClient(notebook, timeout=300, kernel_name="python3").execute()


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_there_are_five_workbooks():
    assert len(WORKBOOKS) >= 5


@every_workbook
def test_something_vouches_for_every_number(path):
    coverage = cover(read_workbook(path))

    assert not coverage.unverified, as_text([coverage])


@every_workbook
def test_jupytext_sees_the_same_cells_as_the_engine(path):
    page = read_workbook(path)
    cells = jupytext.read(path, fmt="py:percent").cells
    code = [cell.source for cell in cells if cell.cell_type == "code"]

    assert [block.source.strip("\n") for block in page.blocks] == code


@every_workbook
def test_every_line_keeps_its_number(path):
    page = read_workbook(path)
    lines = path.read_text("utf-8").split("\n")

    for block in page.blocks:
        first = block.source.split("\n")[0]
        assert lines[block.line - 1].startswith("# %%")
        assert lines[block.line] == first


@every_workbook
def test_an_update_that_changes_nothing_leaves_the_source_as_it_is(path):
    text = path.read_text("utf-8")

    assert updated_source(text, read_workbook(path).text) == text


@every_workbook
def test_each_exercise_ends_with_a_check_that_notices(path):
    """The unsolved cell would otherwise pass, and a later one fail instead."""
    for block in read_workbook(path).blocks:
        if BEGIN in block.source:
            assert re.search(r"^check_\w+\(\w+\)$", block.source, re.MULTILINE)


@every_workbook
def test_the_unsolved_workbook_holds_tasks_and_no_solution(path):
    text = path.read_text("utf-8")
    left = unsolved(text, path.name)
    notebook = workbook_notebook(left)

    assert left.count(TASK) == text.count(TASK) > 0
    assert "solution" not in left
    assert notebooks.as_text(notebook)
    assert not any("output" in cell.source[:9] for cell in notebook.cells)
    for cell in code_cells(notebook):
        compile(cell.source, path.name, "exec")


@some_workbooks
def test_a_solved_workbook_does_in_a_kernel_what_it_says(path):
    notebook = run(workbook_notebook(path.read_text("utf-8")))

    assert list(compare_run(read_workbook(path), notebook)) == []


@some_workbooks
def test_an_unsolved_workbook_stops_at_its_first_task_and_says_what_to_do(path):
    notebook = workbook_notebook(unsolved(path.read_text("utf-8"), path.name))
    notebook.cells.insert(0, installing_cell(""))
    first = next(c for c in code_cells(notebook) if TASK in c.source)

    with pytest.raises(CellExecutionError):
        run(notebook)

    [error] = [out for out in first.outputs if out.output_type == "error"]
    sentence = "is not finished: complete the cell where it says “Your turn”, "
    assert sentence in error.evalue
    assert error.traceback == [f"Not yet: {error.evalue}"]
    after = code_cells(notebook)[code_cells(notebook).index(first) + 1 :]
    assert not any(cell.execution_count for cell in after)


def test_a_workbook_runs_with_jupyters_own_command(tmp_path):
    """`jupyter execute` is what people without this site's tools have."""
    notebook = workbook_notebook((FOLDER / "masks.py").read_text("utf-8"))
    target = tmp_path / "masks.ipynb"
    target.write_text(notebooks.as_text(notebook), "utf-8")

    program = "from nbclient.cli import main; main()"
    subprocess.run([sys.executable, "-c", program, target, "--inplace"], check=True)

    ran = nbformat.read(target, as_version=4)
    assert list(compare_run(read_workbook(FOLDER / "masks.py"), ran)) == []
