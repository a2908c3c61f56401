"""Makes lessons of pages: their questions, their script, the places of progress.

A lesson is a page with a knowledge check.  What is put on it here needs the site's
scripts to do anything; where none runs, nothing of it is seen but the download.
"""

from __future__ import annotations

import json
import re
import sys
from html import escape
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

from attention_ref.lessons.errors import PageError
from attention_ref.lessons.pages.parsing import parse_page
from attention_ref.lessons.publishing.scripts import lesson_script, title
from attention_ref.lessons.quizzes.quiz import PROGRESS, find_questions, mark

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.nav import Navigation
    from mkdocs.structure.pages import Page

    from attention_ref.lessons.quizzes.questions import Question

OVERVIEW = "<!-- progress through all lessons -->"
"""What an author writes where the progress through all lessons is to stand."""

_TITLE = re.compile(r"^# .+\n", re.MULTILINE)


class Lesson(NamedTuple):
    """What the site's scripts and pages need to know of a lesson."""

    file: File
    title: str
    questions: tuple[Question, ...]

    @property
    def name(self) -> str:
        """What progress is kept under: the lesson's address."""
        return self.file.src_uri.removesuffix(".md")


_lessons: dict[str, Lesson] = {}
_overviews: list[File] = []
_is_serving = False


def on_startup(command: str, **_: Any) -> None:
    """Remember whether somebody is writing and wants to see the rest."""
    global _is_serving  # MkDocs says it only here
    _is_serving = command == "serve"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Find the lessons, and add a script for each."""
    _lessons.clear()
    _overviews.clear()
    refused = []
    pages = [f for f in files.documentation_pages() if f.src_uri.endswith(".md")]
    for file in pages:
        try:
            page = parse_page(file.content_string, _shown(file, config))
            questions = find_questions(page)
        except PageError as error:
            refused.append(str(error))
            continue
        if OVERVIEW in page.text:
            _overviews.append(file)
        if questions:
            _lessons[file.src_uri] = Lesson(file, title(page), questions)
            script = str(PurePosixPath(file.src_uri).with_suffix(".py"))
            files.append(File.generated(config, script, content=lesson_script(page)))
    if refused and not _is_serving:
        raise PluginError("\n".join(refused))
    print(*refused, sep="\n", end="", file=sys.stderr)
    return files


def on_nav(nav: Navigation, **_: Any) -> None:
    """Put the lessons in the order in which a reader meets them."""
    for page in nav.pages:
        if lesson := _lessons.pop(page.file.src_uri, None):
            _lessons[page.file.src_uri] = lesson


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Put the download, and the places of progress, on the page."""
    if lesson := _lessons.get(page.file.src_uri):
        markdown = markdown.replace(PROGRESS, _place(lesson))
        return _TITLE.sub(lambda match: match[0] + _download(lesson), markdown, count=1)
    return markdown.replace(OVERVIEW, _overview(page))


def on_page_content(html: str, page: Page, **_: Any) -> str:
    """Mark the questions for the site's scripts."""
    lesson = _lessons.get(page.file.src_uri)
    return mark(html, lesson.questions) if lesson else html


def _shown(file: File, config: MkDocsConfig) -> str:
    if file.abs_src_path is None:  # made by a plugin
        return file.src_uri
    project = Path(config.config_file_path).parent.resolve()
    path = Path(file.abs_src_path).resolve()
    return str(path.relative_to(project) if path.is_relative_to(project) else path)


def _download(lesson: Lesson) -> str:
    script = f"{PurePosixPath(lesson.name).name}.py"
    link = f'[All code of this lesson as one script]({script}){{ download="{script}" }}'
    return f"\n{link}\n{{ .lesson-download }}\n"


def _place(lesson: Lesson) -> str:
    addresses = [file.url_relative_to(lesson.file) for file in _overviews]
    overview = f' data-overview="{addresses[0]}"' if addresses else ""
    return f'<div class="lesson-progress" data-lesson="{lesson.name}"{overview}></div>'


def _overview(page: Page) -> str:
    lessons = [
        {
            "name": lesson.name,
            "title": lesson.title,
            "address": lesson.file.url_relative_to(page.file),
            "questions": [question.identifier for question in lesson.questions],
        }
        for lesson in _lessons.values()
    ]
    data = escape(json.dumps(lessons))
    return f'<div class="learn-progress" data-lessons="{data}"></div>'
