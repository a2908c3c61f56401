"""The text of a page, its fences found: what stands where, in which line and tab."""

import re
from bisect import bisect_right
from typing import NoReturn

from attention_ref.lessons.errors import PageError
from attention_ref.lessons.pages.fences import Fence, find_fences

_TAB = re.compile(r'^ *===[!+]* "')
_CAPTION = re.compile(r'\bcaption="([^"\n]*)"')


class Source:
    """A page's text, as the rules of the syntax look at it.

    Attributes:
        text: The text, with line ends of one character.
        path: How messages call the page.
        fences: The fences that a reader sees as code.
        prose: The text with the fences blanked out but for their captions.
        tab_paths: For each line, the content tabs that enclose it, outermost first.
    """

    def __init__(self, text: str, path: str) -> None:
        self.text = text
        self.path = path
        self.fences = list(find_fences(text, path))
        self.prose = _blanked(text, self.fences)
        self._line_starts = [0, *(m.end() for m in re.finditer("\n", text))]
        self.tab_paths = self._find_tabs()

    def line(self, position: int) -> int:
        """The line, counted from 1, in which `position` lies."""
        return bisect_right(self._line_starts, position)

    def before(self, position: int) -> str:
        """The prose of the line in which `position` lies, up to it."""
        return self.prose[self._line_starts[self.line(position) - 1] : position]

    def tabs_at(self, position: int) -> tuple[int, ...]:
        """The content tabs that enclose `position`, outermost first."""
        return self.tab_paths[self.line(position) - 1]

    def refuse(self, position: int, message: str) -> NoReturn:
        """Refuse the page because of what stands at `position`."""
        raise PageError(self.path, self.line(position), message)

    def _find_tabs(self) -> list[tuple[int, ...]]:
        fence_indents = {self.line(f.start): len(f.prefix) for f in self.fences}
        open_tabs: list[tuple[int, int]] = []
        paths = []
        for number, line in enumerate(self.prose.split("\n"), start=1):
            indent = len(line) - len(line.lstrip(" ")) if line.strip() else None
            indent = fence_indents.get(number, indent)
            if indent is not None:
                open_tabs = [tab for tab in open_tabs if tab[0] <= indent]
            if _TAB.match(line):
                open_tabs.append((indent + 4 if indent else 4, number))
            paths.append(tuple(tab[1] for tab in open_tabs))
        return paths


def _blanked(text: str, fences: list[Fence]) -> str:
    """The text with the fences blanked out but for their captions, positions kept."""
    pieces, position = [], 0
    for fence in fences:
        caption = _CAPTION.search(text, fence.start, fence.source_start)
        start, end = caption.span(1) if caption else (fence.end, fence.end)
        pieces += [
            text[position : fence.start],
            re.sub(r"[^\n]", " ", text[fence.start : start]),
            text[start:end],
            re.sub(r"[^\n]", " ", text[end : fence.end]),
        ]
        position = fence.end
    return "".join([*pieces, text[position:]])
