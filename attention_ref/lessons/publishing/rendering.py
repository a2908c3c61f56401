"""The second view of a page: which code and which checked numbers does a reader see?

The parser finds blocks its way, the site generator finds them another way. What one of
them sees and the other does not would be published unchecked. So both must find the
same in the page as the site's own Markdown extensions render it.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from markdown import Extension, Markdown
from markdown.preprocessors import Preprocessor

from attention_ref.lessons.errors import PageError
from attention_ref.lessons.pages.blocks import PYTHON_LIKE
from attention_ref.lessons.pages.page import Page

DEFAULT_EXTENSIONS = (
    *("admonition", "attr_list", "def_list", "footnotes", "md_in_html", "tables"),
    *("pymdownx.details", "pymdownx.highlight", "pymdownx.superfences"),
    "pymdownx.tabbed",
)
DEFAULT_CONFIGS = {"pymdownx.tabbed": {"alternate_style": True}}

_TAG = re.compile(r"<\w+")
_CODE = re.compile(r' data-lesson-code="(\d+)"')
_COMMENT = re.compile(r"<!--(.*?)(?:-->|\Z)", re.DOTALL)
_MARKS = re.compile(r' data-lesson-code="\d+"|<!-- !\d+ -->')
_HIDDEN = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style|textarea|template)\b.*?(?:</\1\s*>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_FOOTNOTES = re.compile(r'<div class="footnote">.*?</ol>\s*</div>', re.DOTALL)


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
    view = ReadersView()
    extensions = [*extensions, view]
    markdown = Markdown(extensions=extensions, extension_configs=dict(configs))
    text = _marked(page)[page.body_start :]
    view.compare(page, markdown.convert("\n" * page.body_line + text))


class ReadersView(Extension):
    """Marks in the HTML of a page what it shows as code, and compares.

    The checks and exemptions of the Markdown have their marks already (`mark`).
    """

    def __init__(self) -> None:
        super().__init__()
        self.begin()

    def begin(self) -> None:
        """Look at the page that is rendered next."""
        self._sources: list[str] = []
        self._page: Markdown | None = None

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - Markdown's name
        """Be the first to see the Markdown."""
        md.preprocessors.register(_First(md, self), "readers-view", 1000)

    def look(self, md: Markdown) -> None:
        """Mark what the page shows, but nothing that is rendered within it."""
        if self._page is None:
            self._page = md
            fences: Any = md.preprocessors["fenced_code_block"]
            default = fences.extension.superfences[0]
            default["formatter"] = self._marking(default["formatter"])

    def _marking(self, formatter: Callable[..., str]) -> Callable[..., str]:
        def mark_code(src: str = "", language: str = "", **others: Any) -> str:
            html = formatter(src=src, language=language, **others)
            if not PYTHON_LIKE.fullmatch(language):
                return html
            self._sources.append(src)
            number = len(self._sources) - 1
            return _TAG.sub(rf'\g<0> data-lesson-code="{number}"', html, count=1)

        return mark_code

    def compare(self, page: Page, html: str) -> None:
        """Compare the HTML that was rendered last with the page.

        Args:
            page: The page.
            html: Its HTML, with the marks.

        Raises:
            PageError: If a reader sees something else than what is run and evaluated.
        """
        visible = _HIDDEN.sub("", html)
        _refuse_footnotes(page, self._code_in("".join(_FOOTNOTES.findall(visible))))
        _compare_code(page, self._code_in(visible))
        _compare_comments(page, _comments_in(html))

    def _code_in(self, html: str) -> list[str]:
        """The Python code in the HTML, in the reader's order."""
        return [self._sources[int(number)] for number in _CODE.findall(html)]


class _First(Preprocessor):
    def __init__(self, md: Markdown, view: ReadersView) -> None:
        super().__init__(md)
        self._view = view

    def run(self, lines: list[str]) -> list[str]:
        self._view.look(self.md)
        return lines


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
    for number, each in enumerate(page.marked):
        if not seen[f"!{number}"]:
            comment = page.text[each.start + len(each.token) : each.end]
            raise PageError(
                page.path,
                each.line,
                f"the comment {_normal(comment)} must stand in the text, and the "
                "rendered page shows it otherwise. Move it out of the code around it",
            )
        seen[f"!{number}"] -= 1
    for comment in seen.elements():
        raise PageError(
            page.path,
            _line_of_comment(page, comment),
            f"the rendered page holds the comment <!-- {comment} -->, and nothing "
            "evaluates it. Mind the backticks around it",
        )


def mark(number: int) -> str:
    """What stands behind the token of a check or exemption, while it is rendered."""
    return f"<!-- !{number} -->"


def unmarked(html: str) -> str:
    """The HTML without the marks of code, checks and exemptions."""
    return _MARKS.sub("", html)


def _marked(page: Page) -> str:
    """The page's text with a mark for each comment that the parser has understood.

    An extension may find something of its own in an expression, such as a link in
    `x[0][1]`. Woven pages hold no comments, so that would be nothing to refuse.
    """
    text = page.text
    found = [*enumerate(page.marked)]
    for number, each in sorted(found, key=lambda pair: pair[1].start, reverse=True):
        start = each.start + len(each.token)
        text = f"{text[:start]}{mark(number)}{text[each.end :]}"
    return text


def _comments_in(html: str) -> Counter[str]:
    """The marks, and any check that is left; footnotes change their order."""
    comments = map(_normal, _COMMENT.findall(html))
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
