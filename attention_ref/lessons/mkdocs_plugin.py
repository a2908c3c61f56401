"""The MkDocs plugin: runs the pages, refuses what is not true, publishes the rest."""

import gc
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from mkdocs.config import base
from mkdocs.config import config_options as options
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page as SitePage

from attention_ref.lessons.comparing import Problem
from attention_ref.lessons.errors import PageError
from attention_ref.lessons.pages.page import Page
from attention_ref.lessons.pages.parsing import parse_page
from attention_ref.lessons.progress import Progress
from attention_ref.lessons.publishing.added_files import add_report, add_scripts
from attention_ref.lessons.publishing.panels import refusal
from attention_ref.lessons.publishing.placing import (
    fill_places,
    keep_places,
    weave_places,
)
from attention_ref.lessons.publishing.rendering import (
    ReadersView,
    check_what_readers_see,
    unmarked,
)
from attention_ref.lessons.publishing.report import slowest
from attention_ref.lessons.running.cache import Cache
from attention_ref.lessons.running.processes import Runner
from attention_ref.lessons.running.run import DEFAULT_TIMEOUT, Settings, run_pages
from attention_ref.lessons.sources import WORKBOOKS, read_source
from attention_ref.lessons.verification import PageResult

FENCES = "pymdownx.superfences"


class LessonsConfig(base.Config):  # type: ignore[no-untyped-call] # MkDocs
    """The plugin's options."""

    timeout = options.Type((int, float), default=DEFAULT_TIMEOUT)
    """Seconds for a chain of blocks, where no block asks for more."""

    cache = options.Type(bool, default=True)
    """Whether blocks that ran before, and have not changed, need not run again."""

    report = options.Type(str, default="verification.md")
    """The address of the report among the pages; `verification.json` lies beside it."""


class LessonsPlugin(
    BasePlugin[LessonsConfig]  # type: ignore[no-untyped-call] # MkDocs
):
    """Run every block of every page, and refuse to publish what is not true."""

    def __init__(self) -> None:
        self._serving = False
        self._runner = Runner()
        self._results: dict[str, PageResult] = {}

    @property
    def results(self) -> Mapping[str, PageResult]:
        """What became of each page of this build, by the page's place in the docs."""
        return self._results

    def on_startup(
        self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool
    ) -> None:
        """Remember whether somebody is writing: then problems are shown in place."""
        del dirty
        self._serving = command == "serve"
        # What is imported by now stays: the collector need not look through all of it
        # again and again, which takes as long as to run nothing does.
        gc.freeze()

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Look on while the site renders its pages: that is what readers see."""
        if FENCES not in config.markdown_extensions:
            raise PluginError(
                f"attention-ref: markdown_extensions must list {FENCES}, which reads "
                f"the fences of pages, got {config.markdown_extensions}. "
                "Add it in mkdocs.yml"
            )
        self._view = ReadersView()
        config.markdown_extensions.append(self._view)  # type: ignore[arg-type]
        self._cache = self._opened_cache(config)
        if self._cache is None or self._cache.is_empty():
            self._runner.start()  # while the pages are found and read
        return config

    def _opened_cache(self, config: MkDocsConfig) -> Cache | None:
        project = Path(config.config_file_path).parent
        return Cache(project / ".cache" / "lessons") if self.config.cache else None

    @event_priority(50)
    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Read and run all pages, side by side."""
        pages: dict[str, Page] = {}
        self._refused: dict[str, PageError] = {}
        # Workbooks become pages only when mkdocs-jupyter has seen them.
        workbooks = [file for file in files if _is_workbook(file.src_uri)]
        for file in [*files.documentation_pages(), *workbooks]:
            try:
                pages[file.src_uri] = _read(file, config)
            except PageError as error:
                self._refused[file.src_uri] = error
        results = self._run(list(pages.values()))
        self._results = dict(zip(pages, results, strict=True))
        problems: list[Problem | PageError] = [
            *self._refused.values(),
            *(problem for result in results for problem in result.problems),
            *add_scripts(self._results, files, config),
        ]
        if problems and not self._serving:  # then nothing will be rendered: look now
            problems += _seen_otherwise(pages.values(), config)
        self._say(problems)
        if self.config.report:
            add_report(self._results, self.config.report, files, config)
        return files

    def _run(self, pages: list[Page]) -> list[PageResult]:
        if self._cache:
            self._cache.forget_old()
        settings = Settings(timeout=float(self.config.timeout), cache=self._cache)
        with Progress() as progress:
            results = run_pages(pages, settings, self._runner, progress)
        if not self._serving:
            self._runner.close()
        if progress.ran:
            slow = ", ".join(slowest(results))
            print(f"The slowest blocks: {slow}", file=sys.stderr)
        return results

    def _say(self, problems: Iterable[Problem | PageError]) -> None:
        listed = [str(problem) for problem in problems]
        if not listed:
            return
        text = "\n\n".join(listed)
        if not self._serving:
            raise PluginError(f"{text}\n\n{len(listed)} problems on the pages")
        print(text, file=sys.stderr)  # a logged error would end a strict server

    @event_priority(50)
    def on_page_markdown(
        self, markdown: str, /, *, page: SitePage, **_: Any
    ) -> str | None:
        """Weave the results into the page."""
        self._view.begin()
        address = page.file.src_uri
        if address in self._refused:
            return f"{refusal(self._refused[address])}\n\n{markdown}"
        if address not in self._results:
            return markdown
        return weave_places(self._results[address], self._results.values())

    @event_priority(50)
    def on_page_content(self, html: str, /, *, page: SitePage, **_: Any) -> str | None:
        """Make sure that the page shows what was run."""
        address = page.file.src_uri
        result = self._results.get(address)
        if result is None:
            return unmarked(html)
        try:
            if not _is_workbook(address):
                self._view.compare(result.page, html)
        except PageError as error:
            self._refused[address] = error
            html = f"{refusal(error)}{html}"
        return keep_places(unmarked(html))

    @event_priority(-50)
    def on_page_context(self, context: Any, /, *, page: SitePage, **_: Any) -> Any:
        """Put the panels in their places, when the search has read the page."""
        result = self._results.get(page.file.src_uri)
        if result and page.content:
            page.content = fill_places(page.content, result)
        return context

    def on_env(self, env: Any, /, **_: Any) -> None:
        """Say what the pages show otherwise, now that all of them are rendered."""
        del env
        self._say(
            error for name, error in self._refused.items() if name in self._results
        )

    def on_shutdown(self) -> None:
        """End the processes that a server has kept warm."""
        self._runner.close()

    def on_build_error(self, *, error: Exception) -> None:
        """End the processes, unless the next build of a server needs them."""
        del error
        if not self._serving:
            self._runner.close()


def _read(file: File, config: MkDocsConfig) -> Page:
    if file.abs_src_path is None:  # made by another plugin
        page = parse_page(file.content_string, file.src_uri)
    else:
        path = Path(file.abs_src_path)
        project = Path(config.config_file_path).resolve().parent
        name = path.relative_to(project) if path.is_relative_to(project) else path
        page = read_source(path, name.as_posix())
    if _is_workbook(file.src_uri):  # it is rendered elsewhere: nothing can look on
        check_what_readers_see(page, config.markdown_extensions, config.mdx_configs)
    return page


def _seen_otherwise(pages: Iterable[Page], config: MkDocsConfig) -> Iterator[PageError]:
    for page in pages:
        try:
            check_what_readers_see(page, config.markdown_extensions, config.mdx_configs)
        except PageError as error:
            yield error


def _is_workbook(address: str) -> bool:
    return PurePosixPath(address).match(WORKBOOKS)
