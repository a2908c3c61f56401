"""Turns a comment in a page into an explorer, with its starting state computed here.

A page says `<!-- explorer`, then the parts of an address of the explorer, one a line,
then `-->`.  Without scripts a reader sees the tables that are written here; with
scripts docs/assets/explorer/ fills the same places and wakes the controls.

`<!-- explorer link: words`, and the same below it, becomes a link with these words to
the explorer's own page, which opens in that state.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import explorer_html
import explorer_state
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File
from mkdocs.utils import get_relative_url

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

PAGE = "explorer.md"
"""Where the explorer has a page of its own, and shares its state in the address."""

SCRIPTS = ("attention", "state", "words", "maps", "element")
"""In the order in which they need each other."""

_MARKER = re.compile(
    r"<!-- explorer(?: link: (?P<words>[^\n]*))?\n(?P<state>.*?)-->", re.DOTALL
)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Publish the scripts as one."""
    folder = Path(config.docs_dir, "assets", "explorer")
    sources = [folder.joinpath(f"{name}.js").read_text("utf-8") for name in SCRIPTS]
    for file in list(files):
        if file.src_uri.startswith("assets/explorer/"):
            files.remove(file)
    script = File.generated(config, "assets/explorer.js", content=joined(sources))
    files.append(script)
    return files


def joined(sources: list[str]) -> str:
    """Join scripts in a scope of their own, without comments and indentation."""
    lines = (line.strip() for source in sources for line in source.splitlines())
    code = [line for line in lines if line and not line.startswith(("//", "/**"))]
    return "\n".join(['"use strict";', "{", *code, "}", ""])


def on_page_content(html: str, page: Page, files: Files, **_: Any) -> str:
    """Put an explorer where the page asks for one."""
    own = files.get_file_from_path(PAGE)
    address = None if own in (None, page.file) else get_relative_url(own.url, page.url)

    def explorer(marker: re.Match[str]) -> str:
        try:
            state = explorer_state.read(marker["state"])
            if marker["words"] is None:
                return explorer_html.element(state, address)
            return explorer_html.link(state, address or "", marker["words"])
        except ValueError as error:
            message = f"{page.file.src_uri}: this explorer cannot be shown: {error}"
            raise PluginError(message) from error

    return _MARKER.sub(explorer, html)
