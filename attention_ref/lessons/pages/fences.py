"""Find the fences of a page with Sybil's lexer, the outermost ones only."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sybil import Document, Region
from sybil.parsers.markdown.lexers import RawFencedCodeBlockLexer

from attention_ref.lessons.errors import PageError

_INFO = re.compile(
    r"^[ \t]*(?P<language>[^\s{`]*)[ \t]*(?:\{(?P<options>[^\n]*)\})?[ \t]*$"
)


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced code block as it stands in the page."""

    start: int
    end: int
    prefix: str
    marker: str
    language: str
    options: str
    source: str
    source_start: int
    source_end: int


class _Lexer(RawFencedCodeBlockLexer):
    """Keeps what Sybil's lexer throws away: how the fence opens and closes."""

    def make_region(
        self,
        opening: re.Match[str],
        document: Document,
        closing: re.Match[str] | None,
    ) -> Region | None:
        end = closing.end() if closing else len(document.text)
        return Region(opening.start(), end, lexemes={"match": (opening, closing)})


def find_fences(text: str, path: str) -> Iterator[Fence]:
    """Find the fences that a reader sees as code; what they enclose is only shown.

    Args:
        text: The Markdown text, with line ends of one character.
        path: How messages call the page.

    Yields:
        The fences in the order of the page.

    Raises:
        PageError: If a fence is not closed, or closed by a longer one: site generators
            disagree on where such a fence ends.
    """
    regions = sorted(_Lexer()(Document(text, path)), key=lambda r: (r.start, -r.end))
    end = 0
    for region in regions:
        if region.start < end:
            continue
        end = region.end
        yield _fence(text, path, *region.lexemes["match"])


def _fence(
    text: str, path: str, opening: re.Match[str], closing: re.Match[str] | None
) -> Fence:
    line = text.count("\n", 0, opening.start()) + 1
    trailing, marker, prefix = opening["trailing"], opening["fence"], opening["prefix"]
    info = _INFO.match(trailing)
    language = info["language"] if info else trailing.split()[0]
    if closing is None:
        raise PageError(
            path, line, f"the fence must be closed by a line {marker}. Add it"
        )
    if closing["fence"] != marker:
        raise PageError(
            path,
            line,
            f"the fence must be closed by {marker} as it was opened, "
            f"got {closing['fence']}. Make both the same",
        )
    runs = language in ("python", "output")
    if runs and info is None:
        raise PageError(
            path,
            line,
            f"options must stand in braces, as in ```{language} {{…}}, "
            f"got {trailing.strip()!r}. Put braces around them",
        )
    start = min(opening.end() + 1, closing.start())
    source = text[start : closing.start()]
    return Fence(
        opening.start(),
        closing.end(),
        prefix,
        marker,
        language,
        (info["options"] or "") if info else "",
        _unindented(source, prefix, path, line) if runs else source,
        start,
        closing.start(),
    )


def _unindented(source: str, prefix: str, path: str, line: int) -> str:
    if prefix.strip():
        return source
    lines = source.split("\n")
    for offset, each in enumerate(lines, start=1):
        if each.strip() and not each.startswith(prefix):
            raise PageError(
                path,
                line + offset,
                f"a line in a fence must be indented by {len(prefix)} spaces or more, "
                f"as its fence is, got {each.strip()!r}",
            )
    return "\n".join(each[len(prefix) :] if each.strip() else "" for each in lines)
