"""The second view of a page: which code and which checked numbers does a reader see?

The parser finds blocks its way, the site generator finds them another way. What one of
them sees and the other does not would be published unchecked. So the page is rendered
with the site's own Markdown extensions, and both must find the same.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from bs4 import BeautifulSoup, Comment
from markdown import Markdown

from attention_ref.lessons.blocks import PYTHON_LIKE
from attention_ref.lessons.errors import PageError
from attention_ref.lessons.page import Check, Exemption, Page

DEFAULT_EXTENSIONS = (
    *("admonition", "attr_list", "def_list", "footnotes", "md_in_html", "tables"),
    *("pymdownx.details", "pymdownx.highlight", "pymdownx.superfences"),
    "pymdownx.tabbed",
)
DEFAULT_CONFIGS = {"pymdownx.tabbed": {"alternate_style": True}}


def check_what_readers_see(
    page: Page,
    extensions: Sequence[Any] = DEFAULT_EXTENSIONS,
    configs: Mapping[str, Any] = DEFAULT_CONFIGS,
) -> None:
    """Compare the blocks and inline checks of a page with those in its rendered HTML.

    Args:
        page: The page.
        extensions: The site's Markdown extensions, `pymdownx.superfences` among them.
        configs: Their settings.

    Raises:
        PageError: If a reader sees Python code that is not run, or a number whose check
            is not evaluated, or the other way round.
    """
    html, sources = _render(page, extensions, configs)
    _refuse_footnotes(page, _python_in(html, sources, ".footnote "))
    _compare_code(page, _python_in(html, sources))
    _compare_comments(page, _comments_in(html))


def _refuse_footnotes(page: Page, seen: list[str]) -> None:
    code = {_comparable(source) for source in seen}
    for block in page.blocks:
        if _comparable(block.source) in code:
            raise PageError(
                page.path,
                block.line,
                "a block must not stand in a footnote, which is shown elsewhere. "
                "Move it into the text",
            )


def _compare_code(page: Page, seen: list[str]) -> None:
    for block, shown in zip(page.blocks, seen, strict=False):
        if _comparable(block.source) != _comparable(shown):
            _refuse(page, block.line, shown)
    if len(page.blocks) > len(seen):
        _refuse(page, page.blocks[len(seen)].line, "")
    if len(page.blocks) < len(seen):
        _refuse(page, _line_of(page, seen[len(page.blocks)]), seen[len(page.blocks)])


def _compare_comments(page: Page, seen: Counter[str]) -> None:
    for number, each in enumerate(_marked(page)):
        if not seen[_mark(number)]:
            comment = page.text[each.start + len(each.token) : each.end]
            raise PageError(
                page.path,
                each.line,
                f"the comment {_normal(comment)} must stand in the text, and the "
                "rendered page shows it otherwise. Move it out of the code around it",
            )
        seen[_mark(number)] -= 1
    for comment in seen.elements():
        raise PageError(
            page.path,
            _line_of_comment(page, comment),
            f"the rendered page holds the comment <!-- {comment} -->, and nothing "
            "evaluates it. Mind the backticks around it",
        )


def _marked(page: Page) -> list[Check | Exemption]:
    """The checks and exemptions in the text; captions are no part of the Markdown."""
    marked: list[Check | Exemption] = [*page.checks, *page.exemptions]
    return [each for each in marked if not page.stands_in_caption(each)]


def _mark(number: int) -> str:
    return f"!{number}"


def _numbered(page: Page) -> str:
    """The page's text with a number in each comment that the parser has understood.

    An extension may find something of its own in an expression, such as a link in
    `x[0][1]`. Woven pages hold no comments, so that would be nothing to refuse.
    """
    text = page.text
    marks = [(each, _mark(number)) for number, each in enumerate(_marked(page))]
    for each, mark in sorted(marks, key=lambda pair: pair[0].start, reverse=True):
        start = each.start + len(each.token)
        text = f"{text[:start]}<!-- {mark} -->{text[each.end :]}"
    return text


def _render(
    page: Page, extensions: Sequence[Any], configs: Mapping[str, Any]
) -> tuple[BeautifulSoup, list[str]]:
    """The rendered page with a numbered mark for each fence, and the fences' code."""
    sources: list[str] = []

    def note(src: str = "", language: str = "", **_: Any) -> str:
        sources.append(src)
        return (
            f'<pre data-lesson="{len(sources) - 1}" data-as="{escape(language)}"></pre>'
        )

    markdown = Markdown(extensions=list(extensions), extension_configs=dict(configs))
    fences: Any = markdown.preprocessors["fenced_code_block"]
    fences.extension.superfences[0]["formatter"] = note
    text = _numbered(page)[page.body_start :]
    html = markdown.convert("\n" * page.body_line + text)
    return BeautifulSoup(html, "html.parser"), sources


def _python_in(html: BeautifulSoup, sources: list[str], place: str = "") -> list[str]:
    """The Python code of the rendered page, in the reader's order."""
    return [
        sources[int(str(tag["data-lesson"]))]
        for tag in html.select(f"{place}pre[data-lesson]")
        if PYTHON_LIKE.fullmatch(str(tag["data-as"]))
    ]


def _comments_in(html: BeautifulSoup) -> Counter[str]:
    """The checks and exemptions of the rendered page; footnotes change their order."""
    found = html.find_all(string=lambda text: isinstance(text, Comment))
    comments = [_normal(str(comment)) for comment in found]
    return Counter(each for each in comments if each[:1] in ("=", "!"))


def _normal(comment: str) -> str:
    return " ".join(comment.split())


def _comparable(source: str) -> str:
    lines = source.expandtabs(4).split("\n")
    return "\n".join(line.rstrip() for line in lines).strip("\n")


def _line_of(page: Page, source: str) -> int:
    """The line in which code starts that only the rendered page shows."""
    first = next((line.strip() for line in source.split("\n") if line.strip()), "")
    blocks = {block.line for block in page.blocks}
    lines = page.text.split("\n")
    for number, line in enumerate(lines, start=1):
        opens = line.lstrip(" >\t-*+0123456789.").startswith(("```", "~~~"))
        follows = "".join(lines[number : number + 1]).lstrip(" >\t").startswith(first)
        if opens and follows and number not in blocks:
            return number
    return 1


def _line_of_comment(page: Page, comment: str) -> int:
    for match in re.finditer(r"<!--(.*?)-->", page.text, re.DOTALL):
        if _normal(match[1]) == comment:
            return page.text.count("\n", 0, match.start()) + 1
    return 1


def _refuse(page: Page, line: int, shown: str) -> None:
    first = next(
        (text.strip() for text in shown.split("\n") if text.strip()), "nothing"
    )
    raise PageError(
        page.path,
        line,
        "the code that a reader sees here must be the code that is run, and the "
        f"rendered page shows {first!r}. Indent the fence by spaces as the text around "
        "it, give it a line of its own, and close it as it was opened",
    )
