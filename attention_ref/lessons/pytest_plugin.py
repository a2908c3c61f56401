"""The pytest plugin: every block and every inline check of a page is a test.

A project needs two lines in its `conftest.py`:

    pytest_plugins = ["attention_ref.lessons.pytest_plugin"]
    pytest_collect_file = lesson_pages("docs").pytest()

Sybil finds the pages and makes the tests. Blocks run as they do in the build, and so do
the cells of workbooks: here in the engine's own processes, by the same rules and with
the same updates and recordings as pages; in a Jupyter kernel when the site is built.

PYTEST_DONT_REWRITE, because the second line imports what the first one names.
"""

import inspect
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Self

import pytest
from sybil import Document, Example, Region, Sybil

from attention_ref.lessons.errors import PageError
from attention_ref.lessons.pages.page import Page
from attention_ref.lessons.publishing.rendering import check_what_readers_see
from attention_ref.lessons.pytest_session import Lessons, block_of
from attention_ref.lessons.quizzes.quiz import find_questions
from attention_ref.lessons.sources import PATTERNS, read_source


def lesson_pages(folder: str) -> Sybil:
    """Make the lesson pages of a project testable.

    Args:
        folder: Where the pages lie, seen from the folder of the calling file.

    Returns:
        A Sybil, to be added to others or asked for its `pytest()`.
    """
    frame = inspect.currentframe()
    assert frame
    assert frame.f_back
    caller = Path(frame.f_back.f_globals["__file__"]).resolve()
    return Sybil(
        parsers=[_regions],
        patterns=PATTERNS,
        path=str(caller.parent / folder),
        document_types={".md": LessonDocument, ".py": LessonDocument},
    )


class LessonDocument(Document):
    """A page as Sybil knows it, and as the engine does."""

    page: Page

    @classmethod
    def parse(cls, path: str, *parsers: Any, encoding: str = "utf-8") -> Self:
        """Read a page; what the engine refuses is an error of the collection."""
        del encoding  # pages are UTF-8
        try:
            page = read_source(Path(path), _shown(Path(path)))
            check_what_readers_see(page)
            find_questions(page)
        except PageError as error:
            raise pytest.Collector.CollectError(str(error)) from None
        document = cls(page.text, path)
        document.page = page
        for parser in parsers:
            for region in parser(document):
                document.add(region)
        return document


def _shown(path: Path) -> str:
    here = Path.cwd()
    return (path.relative_to(here) if path.is_relative_to(here) else path).as_posix()


def _regions(document: Document) -> Iterator[Region]:
    assert isinstance(document, LessonDocument)
    for block in document.page.blocks:
        yield Region(block.fence.start, block.end, block, _evaluate)
    for check in document.page.checks:
        yield Region(check.start, check.end, check, _evaluate)


def _evaluate(example: Example) -> str | None:
    document = example.document
    assert isinstance(document, LessonDocument)
    return _current().judge(document.page, example.region.parsed)


def _examples(items: Iterable[pytest.Item]) -> Iterator[Any]:
    for item in items:
        example = getattr(item, "example", None)
        if example and isinstance(example.document, LessonDocument):
            yield example


# Sybil's evaluators get no pytest object; there is one session in a process.
_active: list[Lessons] = []


def _current() -> Lessons:
    return _active[-1]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer to write outputs into the pages, and to record."""
    group = parser.getgroup("lesson pages")
    group.addoption(
        "--update-outputs",
        action="store_true",
        help="write what the blocks print into the pages, and show what changed",
    )
    group.addoption(
        "--record",
        action="store_true",
        help="run the blocks that a build does not run, and keep what they did",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Start watching the collection."""
    config.addinivalue_line("markers", "gpu: needs a CUDA device")
    _active.append(Lessons(config))
    for option in ("--update-outputs", "--record"):
        if config.getoption(option) and config.getoption("numprocesses", None):
            raise pytest.UsageError(f"{option} writes files: run it without -n")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the blocks that need a CUDA device."""
    for item in items:
        for example in _examples([item]):
            block = block_of(example.document.page, example.region.parsed)
            if block.options.gpu:
                item.add_marker("gpu")


def pytest_collection_finish(session: pytest.Session) -> None:
    """Note which blocks the selected tests need."""
    for example in _examples(session.items):
        _current().want(example.document.page, example.region.parsed)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show what was written into the pages."""
    if differences := _current().differences:
        terminalreporter.section("updated pages")
        terminalreporter.write_line("\n\n".join(differences))


def pytest_unconfigure() -> None:
    """End the processes, and forget the session."""
    _active.pop().close()
