"""Workbooks under pytest: their cells and inline checks are tests, as on pages.

The engine's own processes run them, not a Jupyter kernel: so the same rules judge them,
within a second, with the same updates and recordings. That a kernel does the same is
seen in every build of the site, where mkdocs-jupyter runs them.
"""

import inspect
from pathlib import Path

from sybil import Sybil

from attention_ref.lessons.page import Page
from attention_ref.lessons.pytest_plugin import LessonDocument, regions
from attention_ref.lessons.workbook_updates import updated_source
from attention_ref.lessons.workbooks import read_workbook


class WorkbookDocument(LessonDocument):
    """A workbook as Sybil knows it."""

    @staticmethod
    def read(path: Path, name: str) -> Page:
        """Read a workbook as a page."""
        return read_workbook(path, name)

    def write(self, page: Page, text: str) -> None:
        """Carry the page's new text back into the Python file."""
        del page
        path = Path(self.path)
        path.write_text(updated_source(path.read_text("utf-8"), text), "utf-8")


def workbook_pages(folder: str) -> Sybil:
    """Make the workbooks of a project testable.

    Args:
        folder: Where they lie, seen from the folder of the calling file.

    Returns:
        A Sybil, to be added to that of the lesson pages.
    """
    frame = inspect.currentframe()
    assert frame
    assert frame.f_back
    caller = Path(frame.f_back.f_globals["__file__"]).resolve()
    return Sybil(
        parsers=[regions],
        pattern="*.py",
        path=str(caller.parent / folder),
        document_types={".py": WorkbookDocument},
    )
