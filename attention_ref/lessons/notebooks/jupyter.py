"""Jupyter notebooks: made of workbooks and lessons, and read when they have run."""

from collections.abc import Iterable, Iterator
from typing import Any

import jupytext  # type: ignore[import-untyped] # it has no annotations
import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from attention_ref.lessons.comparing import Problem, compare_block
from attention_ref.lessons.notebooks.notebook_text import NotebookText, Resolve
from attention_ref.lessons.pages.page import Page
from attention_ref.lessons.running.jobs import Failure, Outcome

_KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
_EXPECTED = "expected"


def workbook_notebook(source: str) -> NotebookNode:
    """Turn a workbook's source, solved or not, into a notebook.

    Args:
        source: The Python file's text.

    Returns:
        The notebook, without outputs, and without the cells of expected outputs.
    """
    cells = jupytext.reads(source, fmt="py:percent").cells
    return as_notebook(
        new_markdown_cell(cell.source)
        if cell.cell_type == "markdown"
        else new_code_cell(cell.source, metadata=_kept(cell))
        for cell in cells
        if cell.cell_type != "raw" and _EXPECTED not in _tags(cell)
    )


def readable(notebook: NotebookNode, resolve: Resolve) -> NotebookNode:
    """Take out of a notebook's prose what only the site understands.

    Args:
        notebook: The notebook.
        resolve: Gives the address that a link of its page leads to, or nothing.

    Returns:
        The notebook, whose links lead to the site, or are text.
    """
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            lines = cell.source.split("\n")
            cell.source = NotebookText(lines, resolve).convert(0, len(lines))
    return notebook


def as_notebook(cells: Iterable[NotebookNode]) -> NotebookNode:
    """Make a notebook of cells, the same each time.

    Args:
        cells: The cells.

    Returns:
        The notebook. Its cells are called after their place.
    """
    listed = list(cells)
    for number, cell in enumerate(listed, start=1):
        cell["id"] = f"cell-{number}"
    metadata = {"kernelspec": _KERNEL, "language_info": {"name": "python"}}
    notebook: NotebookNode = new_notebook(cells=listed, metadata=metadata)
    return notebook


def installing_cell(wheel: str) -> NotebookNode:
    """Make the cell that installs the package where it is missing.

    Args:
        wheel: The address of the package's wheel; empty where nobody knows it.

    Returns:
        A code cell.
    """
    missing = (
        f'    %pip install --quiet "attention-ref[plot] @ {wheel}"'
        if wheel
        else "    raise ModuleNotFoundError(\n"
        '        "attention_ref is missing: the page Set-up says how to install it."\n'
        "    )"
    )
    cell: NotebookNode = new_code_cell(
        "# attention_ref is installed here where it is missing.\n"
        "from importlib.util import find_spec\n\n"
        f'if find_spec("attention_ref") is None:\n{missing}'
    )
    return cell


def as_text(notebook: NotebookNode) -> str:
    """Write a notebook as the text of its file, after a check of its form."""
    nbformat.validate(notebook)
    text: str = nbformat.writes(notebook)
    return f"{text}\n"


def compare_run(page: Page, notebook: NotebookNode) -> Iterator[Problem]:
    """Compare what a kernel did with what the workbook says.

    Args:
        page: The workbook.
        notebook: Its notebook, after a run.

    Yields:
        What differs, cell by cell.
    """
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for block, cell in zip(page.blocks, cells, strict=True):
        outcome = outcome_of(block.index, cell)
        shown = [out for out in cell.outputs if out.output_type == "execute_result"]
        if shown:
            message = "the cell ends with a value, which only Jupyter shows. Print it"
            yield Problem(page.path, block.line, message)
        yield from compare_block(page, block, outcome)


def outcome_of(index: int, cell: NotebookNode) -> Outcome:
    """Read what a cell did as the outcome of a block."""
    outcome = Outcome(index)
    for output in cell.outputs:
        if output.output_type == "stream" and output.name == "stdout":
            outcome.printed += output.text
        elif output.output_type == "stream":
            outcome.complained += output.text
        elif output.output_type == "error":
            traceback = "\n".join(output.traceback)
            outcome.failure = Failure(output.ename, output.evalue, 0, traceback)
        elif "image/png" in output.data:
            outcome.figures.append("")
    return outcome


def _kept(cell: NotebookNode) -> dict[str, Any]:
    return {"tags": tags} if (tags := _tags(cell)) else {}


def _tags(cell: NotebookNode) -> list[str]:
    tags: list[str] = cell.metadata.get("tags", [])
    return tags
