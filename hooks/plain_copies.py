"""Puts each page's Markdown beside it, and `llms.txt`: a table of contents of these.

The Markdown is the page's source: formulas, blocks and outputs as the author wrote
them, and links that lead from copy to copy.  Only what the build would insert from
docstrings is filled in.
"""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs.exceptions import PluginError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.nav import Navigation
    from mkdocs.structure.pages import Page

_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n+", re.DOTALL)
_DIRECTIVE = re.compile(r"^::: (?P<module>[\w.]+)\.(?P<name>\w+)$", re.MULTILINE)

_navigation: Navigation


def on_nav(nav: Navigation, **_: Any) -> None:
    """Keep the order of the pages."""
    global _navigation  # MkDocs hands over the navigation only here
    _navigation = nav


def on_post_build(config: MkDocsConfig) -> None:
    """Write the copies and their table of contents."""
    site = Path(config.site_dir)
    for page in _navigation.pages:
        copy = site / page.file.src_uri
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(plain(page.file.content_string), "utf-8")
    (site / "llms.txt").write_text(contents(config, _navigation), "utf-8")


def plain(source: str) -> str:
    """Return a page's Markdown, less its settings, with the docstrings it shows."""
    return _DIRECTIVE.sub(_docstring, _FRONT_MATTER.sub("", source))


def _docstring(directive: re.Match[str]) -> str:
    name = directive["name"]
    thing = getattr(import_module(directive["module"]), name)
    try:
        call = f"{name}{inspect.signature(thing)}"
    except ValueError:  # an exception has none
        call = name
    return f"## {name}\n\n`{call}`\n\n{inspect.getdoc(thing)}"


def contents(config: MkDocsConfig, navigation: Navigation) -> str:
    """Return `llms.txt`: what the site is, and each page with a line about it."""
    head = f"# {config.site_name}\n\n> {config.site_description}\n"
    return head + "".join(_section(config, item) for item in navigation.items)


def _section(config: MkDocsConfig, item: Any) -> str:
    lines = "".join(_line(config, page) for page in _pages([item]))
    return f"\n## {item.title}\n\n{lines}"


def _line(config: MkDocsConfig, page: Page) -> str:
    address = f"{config.site_url or ''}{page.file.src_uri}"
    if "description" not in page.meta:
        message = (
            f"{page.file.src_uri}:1: the page must have a `description` in its front "
            "matter, got none. Say in a sentence what a reader finds there."
        )
        raise PluginError(message)
    title = page.meta.get("title", page.title)
    return f"- [{title}]({address}): {page.meta['description']}\n"


def _pages(items: Iterable[Any]) -> Iterator[Page]:
    for item in items:
        if item.is_page:
            yield item
        elif item.is_section:
            yield from _pages(item.children)
