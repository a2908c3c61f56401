"""Read and write the files that hold pages: Markdown, and workbooks in Python."""

from dataclasses import replace
from pathlib import Path

from attention_ref.lessons.errors import PageError
from attention_ref.lessons.notebooks.workbook_updates import updated_source
from attention_ref.lessons.notebooks.workbooks import as_markdown, read_workbook
from attention_ref.lessons.pages.page import Page
from attention_ref.lessons.pages.parsing import read_page
from attention_ref.lessons.updating import write_page

WORKBOOKS = "notebooks/*.py"
PATTERNS = ("*.md", WORKBOOKS)
"""Which files of a folder are pages, wherever they lie in it."""


def find_sources(folder: Path) -> list[Path]:
    """Return the files of a folder that hold pages, in the order of their names."""
    return sorted(path for pattern in PATTERNS for path in folder.rglob(pattern))


def read_source(path: Path, name: str | None = None) -> Page:
    """Read the page that a file holds.

    Args:
        path: A Markdown file, or a workbook.
        name: How messages call it; its path by default.

    Returns:
        The page, taken apart.

    Raises:
        PageError: If the file is not what it must be.
    """
    read = read_workbook if path.suffix == ".py" else read_page
    return read(path, name)


def write_source(path: Path, page: Page, text: str) -> None:
    """Put a page's new text into its file, whole, or leave the file as it was.

    Args:
        path: The file.
        page: The page that was read from it.
        text: Its new text.

    Raises:
        PageError: If the file has changed since it was read.
    """
    if path.suffix != ".py":
        write_page(path, page, text)
        return
    source = path.read_text("utf-8")
    if as_markdown(source, page.path) != page.text:
        message = "the workbook has changed while its cells ran. Run the update again"
        raise PageError(page.path, 1, message)
    write_page(path, replace(page, text=source), updated_source(source, text))
