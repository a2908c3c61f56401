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
from typing import TYPE_CHECKING, Any, Self

import pytest
from sybil import Document, Example, Region, Sybil

from attention_ref.lessons.errors import PageError
from attention_ref.lessons.pages.page import Block, Check, Page
from attention_ref.lessons.publishing.rendering import check_what_readers_see
from attention_ref.lessons.quizzes.quiz import find_questions
from attention_ref.lessons.running.machine import describe_machine
from attention_ref.lessons.running.planning import plan
from attention_ref.lessons.running.preloading import modules_to_preload
from attention_ref.lessons.running.processes import Runner
from attention_ref.lessons.running.recordings import write_recordings
from attention_ref.lessons.running.run import (
    DEFAULT_TIMEOUT,
    Settings,
    record_block,
    run_blocks,
)
from attention_ref.lessons.sources import PATTERNS, read_source, write_source
from attention_ref.lessons.updating import difference, updated_text
from attention_ref.lessons.verification import BlockResult, CheckResult, PageResult

if TYPE_CHECKING:
    from attention_ref.lessons.comparing import Problem

RECORDING_TIMEOUT = 3600.0


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


class Lessons:
    """Runs the blocks that the selected tests need, once, page by page."""

    def __init__(self, config: pytest.Config) -> None:
        self.updating = bool(config.getoption("--update-outputs"))
        self.recording = bool(config.getoption("--record"))
        expression = str(config.getoption("markexpr"))
        self.asked_for_gpu = "gpu" in expression and "not gpu" not in expression
        self.recorded: dict[tuple[str, int], list[Problem]] = {}
        # Each xdist worker sees all tests and runs a few: it takes chain by chain.
        self.whole_pages = not hasattr(config, "workerinput")
        self.differences: list[str] = []
        self.runner: Runner | None = None
        self.wanted: dict[str, tuple[LessonDocument, set[int]]] = {}
        self.results: dict[tuple[str, int], tuple[PageResult, BlockResult]] = {}

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note which blocks the selected tests need."""
        for example in _examples(session.items):
            page = example.document.page
            entry = self.wanted.setdefault(page.path, (example.document, set()))
            entry[1].add(_block_of(page, example.region.parsed).index)

    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> None:
        """Show what was written into the pages."""
        if self.differences:
            terminalreporter.section("updated pages")
            terminalreporter.write_line("\n\n".join(self.differences))

    def pytest_unconfigure(self) -> None:
        """End the processes."""
        if self.runner:
            self.runner.close()

    def judge(self, document: LessonDocument, subject: Block | Check) -> str | None:
        """What is wrong with a block or an inline check, or nothing."""
        page = document.page
        block = _block_of(page, subject)
        if not block.options.runs_in_build:
            return self._judge_recorded(page, block)
        if (page.path, block.index) not in self.results:
            self._run(document, block)
        whole, result = self.results[page.path, block.index]
        judged: BlockResult | CheckResult = result
        if isinstance(subject, Check):
            judged = whole.checks[subject.index]
        problems = judged.problems
        if self.updating:
            _, left = updated_text(whole)
            problems = [problem for problem in problems if problem in left]
        return "\n\n".join(map(str, problems)) or None

    def _judge_recorded(self, page: Page, block: Block) -> str | None:
        if block.options.skip is not None:
            pytest.skip(block.options.skip)
        if self.recording or self.asked_for_gpu:
            return self._record(page, block)
        result = run_blocks(page, [], Settings(), self._warm())
        judged = result.blocks[block.index]
        stale = [problem for problem in result.stale if problem.line == block.line]
        problems = [*judged.problems, *stale]
        if not problems and judged.state == "not run":
            device = "-m gpu " if block.options.gpu else ""
            pytest.skip(f"no recording yet. Make one: pytest docs {device}--record")
        return "\n\n".join(map(str, problems)) or None

    def _record(self, page: Page, block: Block) -> str | None:
        if block.options.gpu and "device" not in describe_machine():
            pytest.skip("no CUDA device")
        key = page.path, block.index
        if key not in self.recorded:
            settings = Settings(timeout=RECORDING_TIMEOUT)
            with Runner(workers=1) as runner:  # alone, with all cores
                recording, self.recorded[key] = record_block(
                    page, block, settings, runner
                )
            if recording and self.recording:
                write_recordings(page, [recording])
        return "\n\n".join(map(str, self.recorded[key])) or None

    def _run(self, document: LessonDocument, block: Block) -> None:
        page = document.page
        wanted = {block.index, *self.wanted.get(page.path, (document, set()))[1]}
        if not self.whole_pages:
            root = page.chain(block)[0]
            wanted = {i for i in wanted if page.chain(page.blocks[i])[0] == root}
        blocks = [page.blocks[index] for index in sorted(wanted)]
        blocks = [each for each in blocks if each.options.runs_in_build]
        result = run_blocks(page, blocks, Settings(), self._warm())
        for each in blocks:
            self.results[page.path, each.index] = result, result.blocks[each.index]
        if self.updating:
            self._write(document, result)

    def _warm(self) -> Runner:
        if self.runner is None:
            pages = [document.page for document, _ in self.wanted.values()]
            jobs = [job for page in pages for job in plan(page, DEFAULT_TIMEOUT)]
            self.runner = Runner(modules_to_preload(jobs))
        return self.runner

    def _write(self, document: LessonDocument, result: PageResult) -> None:
        text, _ = updated_text(result)
        if text != result.page.text:
            write_source(Path(document.path), result.page, text)
            self.differences.append(difference(result.page, text))


def _evaluate(example: Example) -> str | None:
    document = example.document
    assert isinstance(document, LessonDocument)
    return _current().judge(document, example.region.parsed)


def _block_of(page: Page, subject: Block | Check) -> Block:
    return subject if isinstance(subject, Block) else page.blocks[subject.block]


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
    lessons = Lessons(config)
    _active.append(lessons)
    config.pluginmanager.register(lessons, "lesson-pages")
    for option in ("--update-outputs", "--record"):
        if config.getoption(option) and config.getoption("numprocesses", None):
            raise pytest.UsageError(f"{option} writes files: run it without -n")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the blocks that need a CUDA device."""
    for item in items:
        for example in _examples([item]):
            block = _block_of(example.document.page, example.region.parsed)
            if block.options.gpu:
                item.add_marker("gpu")


def pytest_unconfigure() -> None:
    """Forget the session."""
    _active.pop()
