"""Which numbers does a reader see, and where do they stand in the Markdown?

Only the rendered HTML shows what a reader sees, and only the Markdown has lines. So
each number in the Markdown gets a mark of private characters that says where it stood;
the page is rendered, and the HTML shows which marks reach a reader.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from bs4 import BeautifulSoup
from bs4.element import Comment, NavigableString
from markdown import Markdown

from attention_ref.lessons.pages.fences import find_fences
from attention_ref.lessons.pages.page import Page
from attention_ref.lessons.publishing.rendering import (
    DEFAULT_CONFIGS,
    DEFAULT_EXTENSIONS,
)

EXTENSIONS = (*DEFAULT_EXTENSIONS, "pymdownx.arithmatex")
CONFIGS = {**DEFAULT_CONFIGS, "pymdownx.arithmatex": {"generic": True}}

_NUMERAL = (
    r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)*(?:[eE][+\-−]?\d+)?"
    r"|[²³¹¼-¾⁰⁴-⁹₀-₉⅐-⅞①-⑳]"
)
NUMBER = re.compile(_NUMERAL)

# What must keep its form to be understood, and what never shows.
_NO_TEXT = (
    r"<!--.*?-->"
    r"|</?[a-zA-Z][^<>]*>"  # an HTML tag
    r"|^[ >]*\d+\.(?=\s)"  # the marker of a list item
    r"|&\#?\w+;"  # an entity
    r"|\[\^[^\]]*\]|\]\[[^\]]*\]|^[ ]*\*?\[[^\]]+\]:"  # footnotes, references
    r"|:[\w+-]+:"  # an icon
)
_MARKABLE = re.compile(
    f"(?P<no_text>{_NO_TEXT})|(?P<number>{_NUMERAL})", re.DOTALL | re.MULTILINE
)
_FIRST_MARK = 0xE010  # and the 15 after it, one for each hexadecimal digit
_MARK = "[\ue010-\ue01f]+"
_SEEN = re.compile(f"(?P<number>{_NUMERAL})(?P<mark>{_MARK})?")
_ADDRESS = re.compile(r"(?:https?://|www\.)[^\s<>]+")
# Algebra is made of these; any other number in a formula is data.
_ALGEBRA = ("0", "1", "2")
_SHOWN = 40  # characters on either side of a number


@dataclass(frozen=True, slots=True)
class SeenNumber:
    """A number that a reader sees outside the page's fences.

    Attributes:
        text: The number.
        where: What it stands in; `notation` is a formula's, its data is `text`.
        position: Where it stands in the Markdown, if that is known.
        context: The text around it.
    """

    text: str
    where: Literal["text", "code", "address", "notation"]
    position: int | None
    context: str


def seen_numbers(
    page: Page,
    extensions: Sequence[Any] = EXTENSIONS,
    configs: Mapping[str, Any] = CONFIGS,
) -> Iterator[SeenNumber]:
    """Find the numbers that a reader sees outside the page's fences.

    Args:
        page: The page.
        extensions: The site's Markdown extensions, `pymdownx.superfences` among them.
        configs: Their settings.

    Yields:
        The numbers, in the reader's order.
    """
    markdown = Markdown(extensions=list(extensions), extension_configs=dict(configs))
    html = markdown.convert(_marked(page))
    for node in BeautifulSoup(html, "html.parser").find_all(string=True):
        if isinstance(node, Comment) or node.find_parent(["script", "style"]):
            continue
        if node.find_parent("a", class_="footnote-ref"):
            continue  # counted by the renderer, as list items are
        for match in _SEEN.finditer(node):
            position = _position(match["mark"]) if match["mark"] else None
            if position is not None or not node.find_parent("pre"):
                where = _where(match, node)
                yield SeenNumber(match["number"], where, position, _around(match))


def _marked(page: Page) -> str:
    """The page's Markdown, with a mark behind each number outside fences."""
    text, pieces, position = page.text, [], page.body_start
    for fence in find_fences(text, page.path):
        between = _marked_between(text, position, fence.start)
        pieces += [between, text[fence.start : fence.end]]
        position = fence.end
    return "".join([*pieces, _marked_between(text, position, len(text))])


def _marked_between(text: str, start: int, end: int) -> str:
    def mark(match: re.Match[str]) -> str:
        number: str | None = match["number"]
        return match[0] if number is None else number + _mark(start + match.start())

    return _MARKABLE.sub(mark, text[start:end])


def _mark(position: int) -> str:
    return "".join(chr(_FIRST_MARK + int(digit, 16)) for digit in f"{position:x}")


def _position(mark: str) -> int:
    return int("".join(f"{ord(each) - _FIRST_MARK:x}" for each in mark), 16)


def _around(seen: re.Match[str]) -> str:
    """A few words of what a reader sees, with the number among them."""
    before, after = (
        re.sub(_MARK, "", text)
        for text in (seen.string[: seen.start()], seen.string[seen.end() :])
    )
    words = f"{before[-_SHOWN:]}{seen['number']}{after[:_SHOWN]}"
    return " ".join(words.split())


def _where(
    seen: re.Match[str], node: NavigableString
) -> Literal["text", "code", "address", "notation"]:
    if node.find_parent("code"):
        return "code"
    if node.find_parent(class_="arithmatex"):
        return "notation" if _is_notation(seen) else "text"
    addresses = _ADDRESS.finditer(node)
    if any(each.start() <= seen.start() < each.end() for each in addresses):
        return "address"
    return "text"


def _is_notation(seen: re.Match[str]) -> bool:
    """Whether a number in a formula belongs to algebra, or to a sub- or superscript."""
    if seen["number"] in _ALGEBRA:
        return True
    before = re.sub(_MARK, "", seen.string[: seen.start()]).rstrip()
    scripts: list[bool] = []
    for position, character in enumerate(before):
        if character == "{":
            scripts.append(before[:position].rstrip().endswith(("_", "^")))
        elif character == "}" and scripts:
            scripts.pop()
    return any(scripts) or before.endswith(("_", "^"))
