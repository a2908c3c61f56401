"""Workbooks and lessons as Jupyter notebooks.

mkdocs-jupyter runs each workbook in a kernel, and would make a page of its own kind.
Its template is replaced by one that hands the notebook over, as data. What the kernel
did is compared with what the workbook says; then MkDocs renders the workbook as it
renders every page, so that it has the site's style, formulas, links and search.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

import nbformat
from bs4 import BeautifulSoup
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.utils import get_relative_url
from mkdocs_jupyter.config import settings
from nbclient.exceptions import CellExecutionError

from attention_ref.lessons.notebooks.jupyter import (
    as_notebook,
    as_text,
    compare_run,
    installing_cell,
    readable,
    workbook_notebook,
)
from attention_ref.lessons.notebooks.lesson_notebook import (
    lesson_notebook,
    read_figure_style,
)
from attention_ref.lessons.notebooks.workbooks import unsolved

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page
    from nbformat import NotebookNode

    from attention_ref.lessons.verification import PageResult

_TEMPLATES = Path(__file__).with_name("notebook_templates")
_TITLE = re.compile(r"^# .+\n", re.MULTILINE)
_COLOURS = re.compile(r"\x1b\[[\d;]*m")
# Colab opens what lies in a repository: the branch that holds the built site.
_COLAB_BRANCH = os.environ.get("COLAB_BRANCH", "gh-pages")

_is_serving = False
_lessons: set[str] = set()
_solved: dict[str, NotebookNode] = {}
_files = Files([])


def on_startup(command: str, **_: Any) -> None:
    """Remember whether somebody is writing and wants to see the rest."""
    global _is_serving  # MkDocs says it only here
    _is_serving = command == "serve"


def on_config(config: MkDocsConfig) -> None:
    """Let mkdocs-jupyter hand its notebooks over, and give its kernels a profile.

    Without one they would read that of whoever builds the site.
    """
    settings.templates_dir = str(_TEMPLATES)
    home = Path(config.config_file_path).parent.resolve() / ".cache" / "ipython"
    profile = home / "profile_default"
    profile.mkdir(parents=True, exist_ok=True)
    # Errors only: a kernel warns of its own connection, which stays on this machine.
    quiet = json.dumps({"IPKernelApp": {"log_level": logging.ERROR}})
    (profile / "ipython_kernel_config.json").write_text(quiet, "utf-8")
    os.environ["IPYTHONDIR"] = str(home)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the notebooks to download: unsolved workbooks, and lessons with outputs."""
    global _files  # on_page_read_source is not told
    _files = files
    _lessons.clear()
    style = read_figure_style(Path(config.docs_dir))
    for source, result in _results(config).items():
        links = _links_of(source, config)
        if _is_workbook(source):
            text = unsolved(_text(result), result.page.path)
            notebook = readable(workbook_notebook(text), links)
            notebook = _with_installing_cell(notebook, config)
        elif _is_lesson(source):
            notebook = lesson_notebook(result, _wheel(config), style, links)
            _lessons.add(source)
        else:
            continue
        target = str(PurePosixPath(source).with_suffix(".ipynb"))
        files.append(File.generated(config, target, content=as_text(notebook)))
    return files


def on_page_read_source(page: Page, config: MkDocsConfig) -> str | None:
    """Run a workbook, and return it as Markdown."""
    source = page.file.src_uri
    if not _is_workbook(source):
        return None
    if source not in _results(config):  # refused, and shown so to who writes it
        del page.render
        return ""
    workbook = _results(config)[source].page
    try:
        notebook = _run(page, config)
        problems = [str(problem) for problem in compare_run(workbook, notebook)]
        _solved[source] = readable(notebook, _links_of(source, config))
    except CellExecutionError as error:
        text = _COLOURS.sub("", str(error))
        at = [block.line for block in workbook.blocks if block.source.strip() in text]
        where = ":".join([workbook.path, *map(str, at[:1])])
        problems = [f"{where}: the cell fails in its Jupyter kernel. {text}"]
    if problems and not _is_serving:
        raise PluginError("\n\n".join(problems))
    print(*problems, sep="\n\n", end="", file=sys.stderr)
    return workbook.text


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, **_: Any) -> str:
    """Offer the downloads below the page's title."""
    source = page.file.src_uri
    notebook = str(PurePosixPath(source).with_suffix(".ipynb"))
    if _is_workbook(source):
        offers = {
            "Download it to fill in": notebook,
            "Download it solved": _name_of_solved(source),
        }
    elif source in _lessons:
        offers = {"This lesson as a Jupyter notebook": notebook}
    else:
        return markdown
    anchors = [
        f'<a href="{get_relative_url(target, page.url)}" download>{text}</a>'
        for text, target in offers.items()
    ]
    if colab := _colab(notebook, config):
        anchors.append(f'<a href="{colab}">Open in Colab</a>')
    offer = f'\n<p class="lesson-download">{" · ".join(anchors)}</p>\n'
    return _TITLE.sub(lambda match: match[0] + offer, markdown, count=1)


def on_post_build(config: MkDocsConfig) -> None:
    """Write the solved workbooks, with what the kernel printed and drew."""
    for source, notebook in _solved.items():
        whole = _with_installing_cell(notebook, config)
        target = Path(config.site_dir, _name_of_solved(source))
        target.write_text(as_text(whole), "utf-8")
    _solved.clear()


def _run(page: Page, config: MkDocsConfig) -> NotebookNode:
    """Let mkdocs-jupyter run a workbook, and give the page back to MkDocs."""
    page.render(config, _files)
    del page.render  # mkdocs-jupyter's own, for this page only
    script = BeautifulSoup(str(page.content), "html.parser").script
    assert script
    notebook = nbformat.reads(str(script.string), as_version=4)
    return as_notebook(cell for cell in notebook.cells if cell.cell_type != "raw")


def _results(config: MkDocsConfig) -> dict[str, PageResult]:
    results: dict[str, PageResult] = config.plugins["attention-ref"].results
    return results


def _text(result: PageResult) -> str:
    assert result.page.file
    return result.page.file.read_text("utf-8")


def _is_workbook(source: str) -> bool:
    return source.endswith(".py")


def _is_lesson(source: str) -> bool:
    """Whether a page has a script to download, as hooks/learning.py gives lessons."""
    return _files.get_file_from_path(f"{source.removesuffix('.md')}.py") is not None


def _name_of_solved(source: str) -> str:
    return f"{source.removesuffix('.py')}-solved.ipynb"


def _with_installing_cell(notebook: NotebookNode, config: MkDocsConfig) -> NotebookNode:
    return as_notebook(iter([installing_cell(_wheel(config)), *notebook.cells]))


def _wheel(config: MkDocsConfig) -> str:
    wheels = (file.url for file in _files if file.src_uri.endswith(".whl"))
    return urljoin(config.site_url, next(wheels)) if config.site_url else ""


def _links_of(source: str, config: MkDocsConfig) -> Any:
    """Give the address on the site that a link of a page leads to."""

    def resolve(target: str) -> str:
        path, _, anchor = target.partition("#")
        name = urljoin(source, path) if path else source
        file = _files.get_file_from_path(name)
        if not config.site_url or file is None:
            return ""
        address = urljoin(config.site_url, file.url)
        return f"{address}#{anchor}" if anchor else address

    return resolve


def _colab(notebook: str, config: MkDocsConfig) -> str:
    match = re.match(r"https://github\.com/([^/]+/[^/]+?)/?$", config.repo_url or "")
    place = f"{match[1]}/blob/{_COLAB_BRANCH}/{notebook}" if match else ""
    return f"https://colab.research.google.com/github/{place}" if place else ""
