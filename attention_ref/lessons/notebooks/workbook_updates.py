"""Write new outputs and numbers into a workbook: from its page back to its source."""

from collections.abc import Iterable, Iterator

from attention_ref.lessons.notebooks.workbooks import find_cells
from attention_ref.lessons.pages.fences import find_fences
from attention_ref.lessons.pages.page import FRONT_MATTER

_MARKDOWN = "# %% [markdown]"
_EXPECTED = f'{_MARKDOWN} tags=["expected"]'


def updated_source(text: str, updated: str) -> str:
    """Write a workbook's source for a page whose outputs and numbers are others.

    Args:
        text: The source as it is. Its code cells say in their first line what they are.
        updated: The page's new text.

    Returns:
        The new source. If the page is as it was, so is the source.
    """
    lines = text.split("\n")
    code = [lines[cell.start] for cell in find_cells(text) if not cell.is_markdown]
    header = FRONT_MATTER.match(updated)
    written = list(_commented(header[0].rstrip("\n").split("\n") if header else []))
    position = header.end() if header else 0
    for fence in find_fences(updated, ""):
        if fence.language not in ("python", "output"):
            continue
        between = updated[position : fence.start]
        _add_markdown(written, between)
        if not between.strip("\n") and fence.language == "python":
            written += [""] * (between.count("\n") - 1)
        source = fence.source.removesuffix("\n").split("\n")
        if fence.language == "python":
            _add(written, [code.pop(0), *source, ""])
        else:
            opening = updated[fence.start : fence.source_start].rstrip("\n")
            _add(written, [_EXPECTED, *_commented([opening, *source, fence.marker])])
        position = fence.end
    _add_markdown(written, updated[position:])
    return "\n".join(written).rstrip("\n") + "\n"


def _add_markdown(written: list[str], text: str) -> None:
    """Add what stands between two fences, if it is more than empty lines."""
    body = text.strip("\n")
    if body:
        below = len(text) - len(text.rstrip("\n")) - 1
        _add(written, [_MARKDOWN, *_commented(body.split("\n")), *[""] * below])


def _add(written: list[str], cell: list[str]) -> None:
    """Add a cell, with an empty line above it."""
    if written and written[-1]:
        written.append("")
    written += cell


def _commented(lines: Iterable[str]) -> Iterator[str]:
    return (f"# {line}".rstrip() for line in lines)
