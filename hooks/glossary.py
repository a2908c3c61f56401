"""Lets the lessons explain their words: the first time, with the glossary's sentence.

The theme shows it as a tooltip.  A word that lessons also use in its everyday sense has
the class `everyday` in the glossary, and is left alone.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

_ENTRY = re.compile(
    r"^\*\*(?P<term>.+?)\*\* \{ #[\w-]+(?P<everyday> \.everyday)? \}\n"
    r":   (?P<meaning>.+)$",
    re.MULTILINE,
)
_PIECE = re.compile(
    r"<!--.*?-->|<(?P<close>/?)(?P<name>[a-zA-Z][\w-]*)(?P<attributes>[^>]*)>|[^<]+|<",
    re.DOTALL,
)
# Where a word is code, a name, a link, or shown by its element already.
_UNTOUCHED = {
    *("a", "abbr", "button", "code", "figure", "h1", "h2", "h3", "h4", "h5", "h6"),
    *("pre", "script", "style", "summary", "svg", "th"),
}
_UNTOUCHED_KINDS = re.compile(
    r"lesson-(output|checked)|admonition-title|formula|arithm"
)

_meanings: dict[str, str] = {}


def on_files(files: Files, **_: Any) -> None:
    """Read the glossary."""
    _meanings.clear()
    if glossary := files.get_file_from_path("glossary.md"):
        _meanings.update(read_glossary(glossary.content_string))


def on_page_content(html: str, page: Page, **_: Any) -> str:
    """Explain the words of a lesson."""
    return (
        explain(html, _meanings) if page.file.src_uri.startswith("lessons/") else html
    )


def read_glossary(text: str) -> dict[str, str]:
    """Return what each term means, those with an everyday sense left out."""
    return {
        entry["term"]: entry["meaning"]
        for entry in _ENTRY.finditer(text)
        if not entry["everyday"]
    }


def explain(html: str, meanings: Mapping[str, str]) -> str:
    """Give each term its meaning where a page uses it first."""
    if not meanings:
        return html
    longest_first = sorted(meanings, key=len, reverse=True)
    terms = "|".join(re.escape(escape(term, quote=False)) for term in longest_first)
    pattern = re.compile(rf"(?<![\w-])({terms})(e?s)?(?![\w-])", re.IGNORECASE)
    by_name = {escape(term, quote=False).lower(): term for term in meanings}
    seen: set[str] = set()

    def explained(match: re.Match[str]) -> str:
        term = by_name[match[1].lower()]
        if term in seen:
            return match[0]
        seen.add(term)
        return f'<abbr title="{escape(meanings[term])}">{match[0]}</abbr>'

    return "".join(
        pattern.sub(explained, piece) if is_prose else piece
        for piece, is_prose in _pieces(html)
    )


def _pieces(html: str) -> Iterator[tuple[str, bool]]:
    """The tags and texts of a page, and which of them are prose."""
    untouched, depth = "", 0
    for match in _PIECE.finditer(html):
        name = (match["name"] or "").lower()
        if untouched and name == untouched and not match[0].endswith("/>"):
            depth += -1 if match["close"] else 1
            untouched = untouched if depth else ""
        elif not untouched and name and not match["close"] and _is_untouched(match):
            untouched, depth = name, 1
        yield match[0], not untouched and not match[0].startswith("<")


def _is_untouched(tag: re.Match[str]) -> bool:
    kind = _UNTOUCHED_KINDS.search(tag["attributes"])
    return kind is not None or tag["name"].lower() in _UNTOUCHED
