"""The MkDocs plugin: runs the pages, refuses what is not true, publishes the rest."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from mkdocs.config import base
from mkdocs.config import config_options as options
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority, get_plugin_logger
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page as SitePage

from attention_ref.lessons.cache import Cache
from attention_ref.lessons.errors import PageError
from attention_ref.lessons.execution import Job
from attention_ref.lessons.page import Page, parse_page, read_page
from attention_ref.lessons.panels import panel
from attention_ref.lessons.rendering import check_what_readers_see
from attention_ref.lessons.running import DEFAULT_TIMEOUT, Settings, run_pages
from attention_ref.lessons.verification import PageResult, Problem
from attention_ref.lessons.weaving import weave

_log = get_plugin_logger("attention-ref")
# Stands in the woven Markdown where a panel will be; Markdown has no use for it.
_PLACE = re.compile(r"(?:<p>)?lessonpanel(\d+)place(?:</p>)?")


class LessonsConfig(base.Config):  # type: ignore[no-untyped-call] # MkDocs
    """The plugin's options."""

    timeout = options.Type((int, float), default=DEFAULT_TIMEOUT)
    """Seconds for a chain of blocks, where no block asks for more."""

    cache = options.Type(bool, default=True)
    """Whether blocks that ran before, and have not changed, need not run again."""


class LessonsPlugin(
    BasePlugin[LessonsConfig]  # type: ignore[no-untyped-call] # MkDocs
):
    """Run every block of every page, and refuse to publish what is not true."""

    def on_startup(
        self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool
    ) -> None:
        """Remember whether somebody is writing: then problems are shown in place."""
        del dirty
        self._serving = command == "serve"

    @event_priority(50)
    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Read and run all pages, side by side."""
        problems: list[Problem | PageError] = []
        pages: dict[str, Page] = {}
        for file in files.documentation_pages():
            try:
                pages[file.src_uri] = _read(file, config)
            except PageError as error:
                problems.append(error)
        settings = self._settings(Path(config.config_file_path).parent)
        results = run_pages(list(pages.values()), settings, progress=_log_progress)
        self._results = dict(zip(pages, results, strict=True))
        for result in results:
            problems += result.problems
        self._say(problems)
        for address, result in self._results.items():
            for download in _downloads(address, result, config):
                files.append(download)
        return files

    def _settings(self, project: Path) -> Settings:
        cache = Cache(project / ".cache" / "lessons") if self.config.cache else None
        if cache:
            cache.forget_old()
        return Settings(timeout=float(self.config.timeout), cache=cache)

    def _say(self, problems: Sequence[Problem | PageError]) -> None:
        if problems and not self._serving:
            listed = "\n\n".join(str(problem) for problem in problems)
            raise PluginError(f"{listed}\n\n{len(problems)} problems on the pages")
        for problem in problems:
            _log.error("%s", problem)

    @event_priority(50)
    def on_page_markdown(
        self, markdown: str, /, *, page: SitePage, **_: Any
    ) -> str | None:
        """Weave the results into the page."""
        result = self._results.get(page.file.src_uri)
        if result is None:
            return markdown
        return weave(result, lambda each: f"lessonpanel{each.block.index}place")

    @event_priority(50)
    def on_page_content(self, html: str, /, *, page: SitePage, **_: Any) -> str | None:
        """Put the panels in their places."""
        result = self._results.get(page.file.src_uri)
        if result is None:
            return html
        return _PLACE.sub(lambda m: panel(result.page, result.blocks[int(m[1])]), html)


def _read(file: File, config: MkDocsConfig) -> Page:
    if file.abs_src_path is None:  # made by another plugin
        return parse_page(file.content_string, file.src_uri)
    path = Path(file.abs_src_path)
    project = Path(config.config_file_path).resolve().parent
    name = path.relative_to(project) if path.is_relative_to(project) else path
    page = read_page(path, name.as_posix())
    check_what_readers_see(page, config.markdown_extensions, config.mdx_configs)
    return page


def _downloads(
    address: str, result: PageResult, config: MkDocsConfig
) -> Iterator[File]:
    """The scripts that a page offers, made from its own blocks."""
    for block in result.page.blocks:
        if block.options.download:
            target = (PurePosixPath(address).parent / block.options.download).as_posix()
            source = result.page.standalone_source(block)
            yield File.generated(config, target, content=source)


def _log_progress(job: Job, left: int) -> None:
    _log.info("ran blocks of %s, %d chains left", job.page, left)
