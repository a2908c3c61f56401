"""Workbooks: notebooks with exercises, written as Python files in jupytext's form.

A workbook is to the engine what a lesson is: a page. Its cells become blocks, each on
top of the one before, and every line keeps its number, so that messages name the
workbook's own lines.

The source is the solved workbook. What a reader has to write stands between two marks:

    # Your turn: say what to do, in one sentence.
    # solution
    return powers / powers.sum(axis=-1, keepdims=True)
    # end of solution

The unsolved workbook, which readers download, has `...` there. So the cell must end in
a check that notices: `check_softmax(softmax)` raises a sentence that tells what to do.

A cell that draws says so in its first line, as in `# %% figure="text alternative"`, and
a cell for a CUDA device has the tag `gpu`: it shows its recording, as on a page. What a
cell must print stands in the Markdown cell below it, tagged `expected`, in a fence
`output`.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from attention_ref.lessons.errors import PageError
from attention_ref.lessons.pages.page import Page
from attention_ref.lessons.pages.parsing import parse_page

BEGIN = "# solution"
END = "# end of solution"
TASK = "# Your turn: "

_MARKER = re.compile(r"# %%(?P<markdown> \[markdown\])?(?P<options>(?: .*)?)")
_TAGS = re.compile(r"\s*tags=\[(?P<tags>[^\]]*)\]")


class Cell(NamedTuple):
    """One cell of a workbook's source, with the line of its marker, counted from 0."""

    start: int
    end: int
    is_markdown: bool
    options: str


def read_workbook(path: Path, name: str | None = None) -> Page:
    """Read a workbook from a file.

    Args:
        path: The Python file.
        name: How messages call it; its path by default.

    Returns:
        The workbook as a page, whose lines have the numbers of the file's.

    Raises:
        PageError: If its cells are not as they must be, or a page could not be so.
    """
    text = path.read_text("utf-8")
    page = parse_page(as_markdown(text, name or path.as_posix()), name or str(path))
    _refuse_other_code(page, text)
    unsolved(text, page.path)
    return replace(page, file=path.resolve())


def _refuse_other_code(page: Page, text: str) -> None:
    """Refuse Python in a Markdown cell, and cells within a fence that is not closed."""
    cells = {cell.start + 1 for cell in find_cells(text) if not cell.is_markdown}
    blocks = {block.line for block in page.blocks}
    for line in sorted(cells - blocks):
        message = "a fence above this cell is not closed. Close it in its own cell"
        raise PageError(page.path, line, message)
    for line in sorted(blocks - cells):
        message = "Python code must stand in a code cell. Move it there, or use ```text"
        raise PageError(page.path, line, message)


def as_markdown(text: str, path: str) -> str:
    """Write a workbook's source as a page, line by line.

    Args:
        text: The Python file's text.
        path: How messages call it.

    Returns:
        Markdown of as many lines: each code cell is a fence.

    Raises:
        PageError: If a code cell does not end with an empty line, where the fence
            closes.
    """
    lines = [*text.rstrip("\n").split("\n"), ""]
    cells = list(find_cells("\n".join(lines)))
    page = [_comment(line) for line in lines[: cells[0].start if cells else None]]
    is_first = True
    for cell in cells:
        body = lines[cell.start + 1 : cell.end]
        if cell.is_markdown:
            page += ["", *map(_comment, body)]
            continue
        if not body or body[-1]:
            message = "a code cell must end with an empty line. Add one"
            raise PageError(path, cell.end, message)
        page += [f"```python{_options(cell, is_first)}", *body[:-1], "```"]
        is_first = False
    return "\n".join(page) + "\n"


def unsolved(text: str, path: str) -> str:
    """Leave out what a reader is to write.

    Args:
        text: The solved workbook's source.
        path: How messages call it.

    Returns:
        The unsolved workbook's source: `...` in place of each solution.

    Raises:
        PageError: If a mark has no partner, or no task stands above a solution.
    """
    kept: list[str] = []
    began: int | None = None
    for number, line in enumerate(text.split("\n"), start=1):
        mark = line.strip()
        if mark == BEGIN:
            if began is not None or not (kept and kept[-1].strip().startswith(TASK)):
                message = f"above {BEGIN} must stand {TASK}… Say there what to do"
                raise PageError(path, number, message)
            kept.append(line.replace(BEGIN, "..."))
            began = number
        elif mark == END:
            if began is None:
                raise PageError(path, number, f"{END} must follow a {BEGIN}. Add it")
            began = None
        elif began is None:
            kept.append(line)
    if began is not None:
        raise PageError(path, began, f"{BEGIN} must be closed by {END}. Add it")
    return "\n".join(kept)


def find_cells(text: str) -> Iterator[Cell]:
    """Find the cells of a workbook's source."""
    lines = text.split("\n")
    found = [
        (number, match)
        for number, line in enumerate(lines)
        if (match := _MARKER.fullmatch(line))
    ]
    ends = [number for number, _ in found[1:]] + [len(lines)]
    for (start, match), end in zip(found, ends, strict=True):
        yield Cell(start, end, bool(match["markdown"]), match["options"])


def _comment(line: str) -> str:
    return line.removeprefix("#").removeprefix(" ")


def _options(cell: Cell, is_first: bool) -> str:
    """What stands between the braces of the fence."""
    match = _TAGS.search(cell.options)
    tags = re.findall(r'"([^"]+)"', match["tags"]) if match else []
    words = [] if is_first else [".continues"]
    words += [f".{tag}" for tag in tags if tag == "gpu"]
    words += [rest] if (rest := _TAGS.sub("", cell.options).strip()) else []
    return f" {{{' '.join(words)}}}" if words else ""
