"""The prose of a page as a notebook shows it: Markdown without the site's own marks.

Jupyter knows neither admonitions nor tabs. A box becomes a bold title with its text, a
folded box that holds no code becomes one that HTML folds.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

_BOX = re.compile(
    r'(?P<fold>!!!|\?\?\?\+?|===[!+]*)(?: [\w ]+?)?(?: "(?P<title>[^"]*)")?'
)
_COMMENT = re.compile(r"(?P<code>(`+).+?\2)|<!--.*?-->", re.DOTALL)
_LINK = re.compile(r"(?<!!)\[(?P<text>[^\]]+)\]\((?P<target>[^)\s]+)\)")
_ATTRIBUTES = re.compile(r"(?<=[)\]*`])\{[:.# ][^}\n]*\}|^\{ [^}\n]+ \}$", re.MULTILINE)
_KEYS = re.compile(r"\+\+([\w+-]+)\+\+")
_FENCE = re.compile(r" *(`{3,}|~{3,})")

Resolve = Callable[[str], str]
"""Gives a link's address on the site, or nothing where the site's is not known."""


@dataclass(slots=True)
class NotebookText:
    """Turns the parts of a page, in their order, into the text of Markdown cells.

    Attributes:
        lines: All lines of the page.
        resolve: What becomes of the addresses of links.
    """

    lines: list[str]
    resolve: Resolve
    _open: list[tuple[int, str]] = field(default_factory=list)
    _in_fence: str = ""

    def convert(self, start: int, end: int) -> str:
        """Convert the lines from `start` up to `end`, counted from 0."""
        converted = [
            line for number in range(start, end) for line in self._line(number)
        ]
        if end == len(self.lines):
            converted += [tail for _, tail in reversed(self._open)]
        text = "\n".join(converted)
        text = _COMMENT.sub(lambda match: match["code"] or "", text)
        text = _LINK.sub(self._link, _ATTRIBUTES.sub("", text))
        text = _KEYS.sub(lambda match: match[1].replace("+", " "), text)
        return re.sub(r"\n{3,}", "\n\n", text).strip("\n")

    def _line(self, number: int) -> Iterator[str]:
        line = self.lines[number]
        if not line.strip():
            yield ""
            return
        indent = len(line) - len(line.lstrip(" "))
        while self._open and indent < self._open[-1][0] + 4:
            yield from self._close()
        line = line[4 * len(self._open) :]
        if fence := _FENCE.match(line):
            self._in_fence = "" if self._in_fence else fence[1]
        box = None if self._in_fence else _BOX.fullmatch(line.strip())
        if box is None:
            yield line
            return
        yield from self._box(box, number, indent)

    def _box(self, box: re.Match[str], number: int, indent: int) -> Iterator[str]:
        title = box["title"] or ""
        folds = box["fold"].startswith("?") and not self._holds_code(number, indent)
        self._open.append((indent, "\n</details>\n" if folds else ""))
        if folds:
            summary = re.sub(r"`([^`]+)`", r"<code>\1</code>", title)
            yield f"\n<details><summary>{summary}</summary>\n"
        elif title:
            yield f"\n**{title}**\n"

    def _close(self) -> Iterator[str]:
        _, tail = self._open.pop()
        if tail:
            yield tail

    def _holds_code(self, number: int, indent: int) -> bool:
        """Whether a Python block, which becomes a cell, stands in the box."""
        for line in self.lines[number + 1 :]:
            if line.strip() and len(line) - len(line.lstrip(" ")) <= indent:
                return False
            if line.strip().startswith("```python"):
                return True
        return False

    def _link(self, match: re.Match[str]) -> str:
        target = match["target"]
        if not re.match(r"[a-z]+:", target):
            target = self.resolve(target)
        return f"[{match['text']}]({target})" if target else match["text"]
