"""Markdown text → blocks, expected outputs, inline checks, with line numbers.

Sybil's lexer finds the fences. This module decides what each of them is, and refuses
whatever a reader could see and a test could miss.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from attention_ref.lessons.errors import PageError
from attention_ref.lessons.fences import Fence, find_fences
from attention_ref.lessons.inline import TokenError, token_before
from attention_ref.lessons.options import OptionError, Options, parse_options
from attention_ref.lessons.tolerance import number_shown_too_precisely

REASONS = ("year", "ordinal", "section", "name", "quoted source", "illustration")
# What highlighters take for Python: `py`, `python3`, `Python`, `pycon`, `{.python}` …
PYTHON_LIKE = re.compile(
    r"\.?(i?python[\d.]*|py[23]?|pycon|python-(console|repl))", re.IGNORECASE
)

# A code span may hold a comment that is only shown; whichever starts first wins.
_SPAN_OR_COMMENT = re.compile(
    r"(?<![`\\])(?P<ticks>`+)(?!`)(?:(?!\n[ \t]*\n).)+?(?<!`)(?P=ticks)(?!`)"
    r"|<!--(?P<comment>.*?)-->",
    re.DOTALL,
)
_TAB = re.compile(r'^ *===[!+]* "')
_CAPTION = re.compile(r'\bcaption="([^"\n]*)"')
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n.*?\n(?:---|\.\.\.)[ \t]*\n", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Output:
    """What a block is expected to print."""

    line: int
    text: str
    fence: Fence
    approx: float | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """One Python block of a page."""

    index: int
    line: int
    source: str
    options: Options
    fence: Fence
    tabs: tuple[int, ...]
    parent: int | None = None
    expected: Output | None = None

    @property
    def end(self) -> int:
        """Where the block, its expected output included, ends in the page's text."""
        return self.expected.fence.end if self.expected else self.fence.end


@dataclass(frozen=True, slots=True)
class Check:
    """A number or word in the prose, and the expression that must give it."""

    index: int
    line: int
    token: str
    expression: str
    start: int
    end: int
    block: int


@dataclass(frozen=True, slots=True)
class Exemption:
    """A number in the prose that is not computed, and why."""

    line: int
    token: str
    reason: str
    start: int
    end: int


@dataclass(frozen=True)
class Page:
    """A lesson page, taken apart."""

    path: str
    text: str
    newline: str
    blocks: tuple[Block, ...]
    checks: tuple[Check, ...]
    exemptions: tuple[Exemption, ...]
    file: Path | None = None

    @cached_property
    def body_start(self) -> int:
        """Where the front matter ends and the page begins."""
        match = _FRONT_MATTER.match(self.text)
        return match.end() if match else 0

    @property
    def body_line(self) -> int:
        """How many lines the front matter takes."""
        return self.text.count("\n", 0, self.body_start)

    def chain(self, block: Block) -> tuple[Block, ...]:
        """The blocks that run before `block`, oldest first, and `block` itself."""
        links = [block]
        while links[-1].parent is not None:
            links.append(self.blocks[links[-1].parent])
        return tuple(reversed(links))

    def standalone_source(self, block: Block) -> str:
        """The code that a reader can paste into an empty file and run."""
        return (
            "\n\n".join(link.source.rstrip("\n") for link in self.chain(block)) + "\n"
        )

    def stands_in_caption(self, mark: Check | Exemption) -> bool:
        """Whether a check or an exemption stands in the caption of a block's figure."""
        return any(
            b.fence.start < mark.start < b.fence.source_start for b in self.blocks
        )

    def checks_of(self, block: Block) -> tuple[Check, ...]:
        """The inline checks that are evaluated after `block`."""
        return tuple(check for check in self.checks if check.block == block.index)


def read_page(path: Path, name: str | None = None) -> Page:
    """Read a page from a file.

    Args:
        path: The Markdown file.
        name: How messages call it; its path by default.

    Returns:
        The page, taken apart.

    Raises:
        PageError: If the file is no UTF-8 text, or `parse_page` refuses its text.
    """
    shown = name or path.as_posix()
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        wrong = f"byte 0x{raw[error.start]:02x} is not UTF-8. Save the page as UTF-8"
        raise PageError(shown, line, wrong) from None
    return replace(parse_page(text, shown), file=path.resolve())


def parse_page(text: str, path: str) -> Page:
    """Take a page apart.

    Args:
        text: The Markdown text.
        path: How messages call the page.

    Returns:
        Its blocks with their expected outputs, its inline checks and its exemptions.

    Raises:
        PageError: If a fence or a comment is not what `docs/how-it-checks.md` allows.
    """
    newline = _line_end(text, path)
    return _Parser(text.replace("\r\n", "\n"), path).page(newline)


def _line_end(text: str, path: str) -> str:
    """How the lines of the page end: an update must leave them as they are."""
    if "\r" not in text:
        return "\n"
    ends: list[str] = re.findall(r"\r\n|\r|\n", text)
    for line, end in enumerate(ends, start=1):
        if end != ends[0] or end == "\r":
            raise PageError(
                path,
                line,
                "all lines of a page must end alike, with LF or with CRLF. "
                "Save the page with one kind of line ends",
            )
    return ends[0]


class _Parser:
    """Reads one page from top to bottom; each method is one rule of the syntax."""

    def __init__(self, text: str, path: str) -> None:
        self.text = text
        self.path = path
        self.fences = list(find_fences(text, path))
        self._line_starts = [0, *(m.end() for m in re.finditer("\n", text))]
        self._prose = _blanked(text, self.fences)
        self._tab_paths = self._find_tabs()

    def page(self, newline: str) -> Page:
        """The whole page."""
        blocks = tuple(self._blocks())
        checks: list[Check] = []
        exemptions: list[Exemption] = []
        for match in self._comments():
            mark, _, content = match["comment"].strip().partition(" ")
            if mark[:1] in ("=", "!"):
                self._refuse_front_matter(match.start())
            if mark == "=":
                checks.append(self._check(match, content.strip(), len(checks), blocks))
            elif mark == "!":
                exemptions.append(self._exemption(match, content.strip()))
            elif mark[:1] in ("=", "!"):
                self.fail(match.start(), f"a space must follow {mark[0]} in a comment")
        return Page(
            self.path, self.text, newline, blocks, tuple(checks), tuple(exemptions)
        )

    def _refuse_front_matter(self, position: int) -> None:
        front_matter = _FRONT_MATTER.match(self.text)
        if front_matter and position < front_matter.end():
            self.fail(
                position,
                "front matter cannot hold a check or an exemption. "
                "Take the comment out",
            )

    def fail(self, position: int, message: str) -> None:
        """Refuse the page because of what stands at `position`."""
        raise PageError(self.path, self.line(position), message)

    def line(self, position: int) -> int:
        """The line, counted from 1, in which `position` lies."""
        return bisect_right(self._line_starts, position)

    # Blocks and their outputs

    def _blocks(self) -> list[Block]:
        blocks: list[Block] = []
        for fence in self.fences:
            if fence.language == "python":
                blocks.append(self._block(fence, blocks))
            elif fence.language == "output":
                last = blocks.pop() if blocks else None
                blocks.append(self._with_output(last, fence))
            else:
                self._refuse_lookalike(fence)
        return blocks

    def _refuse_lookalike(self, fence: Fence) -> None:
        language = fence.language or fence.options.strip().partition(" ")[0]
        got = fence.language or f"{{{fence.options}}}"
        if PYTHON_LIKE.fullmatch(language):
            self.fail(
                fence.start,
                f"a Python block must say ```python, got ```{got}. "
                "Write it so, or use ```text for code that is only shown",
            )
        if language.lower().lstrip(".") == "output":
            self.fail(
                fence.start,
                f"an output fence must say ```output, got ```{got}. "
                "Write it so, or use ```text for text that is only shown",
            )

    def _block(self, fence: Fence, before: list[Block]) -> Block:
        self._refuse_unseen(fence)
        try:
            options = parse_options(fence.options)
        except OptionError as error:
            self.fail(fence.start, str(error))
        tabs = self._tab_paths[self.line(fence.start) - 1]
        # What is copied must run: a block that raises would stop the whole chain.
        standing = [block for block in before if block.options.raises is None]
        parent = _last_visible(standing, tabs) if options.continues else None
        if options.continues and parent is None:
            self.fail(
                fence.start,
                "a block with .continues must have a block above it to continue"
                f"{' in the same tab' if tabs else ''}. Take .continues off",
            )
        if options.continues and parent is not None:
            self._refuse_broken_chain(fence, before[parent], options)
        return Block(
            len(before),
            self.line(fence.start),
            fence.source,
            options,
            fence,
            tabs,
            parent,
        )

    def _refuse_unseen(self, fence: Fence) -> None:
        if ">" in fence.prefix:
            self.fail(fence.start, "a block must not stand in a quote. Take the > off")
        if fence.prefix.strip():
            self.fail(
                fence.start,
                "a block must not begin on a list-marker line. "
                "Put the fence on a line of its own, indented under the item",
            )
        if "\t" in fence.prefix:
            self.fail(fence.start, "a fence must be indented by spaces, got a tab")
        if "\t" in fence.source:
            self.fail(
                self.text.index("\t", fence.source_start),
                "code must not hold a tab, which the site shows as spaces. "
                "Indent by spaces, and write \\t in a text",
            )

    def _refuse_broken_chain(
        self, fence: Fence, parent: Block, options: Options
    ) -> None:
        if options.runs_in_build and not parent.options.runs_in_build:
            self.fail(
                fence.start,
                f"a block with .continues must continue a block that runs, got the one "
                f"in line {parent.line}, which a build does not run. "
                "Move it above, or mark this one alike",
            )

    def _with_output(self, block: Block | None, fence: Fence) -> Block:
        between = self.text[block.end : fence.start] if block else "?"
        if block is None or block.expected or between.strip():
            self.fail(
                fence.start,
                "an output fence must stand right after the block that prints it. "
                "Move it there, or use ```text for text that is only shown",
            )
        assert block is not None
        if fence.prefix != block.fence.prefix:
            self.fail(fence.start, "an output fence must be indented as its block is")
        if not block.options.runs_in_build:
            self.fail(
                fence.start,
                "a block that a build does not run must have no output fence: "
                "its recording is its output. Take the fence away",
            )
        expected = Output(
            self.line(fence.start), fence.source, fence, self._approx(fence)
        )
        return Block(
            block.index, block.line, block.source, block.options, block.fence,
            block.tabs, block.parent, expected,
        )  # fmt: skip

    def _approx(self, fence: Fence) -> float | None:
        if not fence.options.strip():
            return None
        match = re.fullmatch(r'approx="([^"]*)"', fence.options.strip())
        try:
            tolerance = float(match[1]) if match else -1.0
        except ValueError:
            tolerance = -1.0
        if not 0 < tolerance < 1:
            self.fail(
                fence.start,
                f'an output fence takes approx="1e-3" or nothing, got {fence.options}',
            )
        if number := number_shown_too_precisely(fence.source, tolerance):
            self.fail(
                fence.start,
                "approx must be under half a unit of the last digit of every number, "
                f"got {tolerance:g} for {number}. Show fewer digits, or lower it",
            )
        return tolerance

    # Inline checks and exemptions

    def _comments(self) -> Iterator[re.Match[str]]:
        for match in _SPAN_OR_COMMENT.finditer(self._prose):
            if match["comment"] is None:
                continue
            for fence in self.fences:
                if match.start() < fence.start < match.end():
                    self.fail(fence.start, "a fence must not stand in an HTML comment")
            yield match
        opening = self._prose.rfind("<!--")
        if opening > self._prose.rfind("-->") and not self._in_code_span(opening):
            self.fail(opening, "an HTML comment must be closed with -->")

    def _in_code_span(self, position: int) -> bool:
        spans = _SPAN_OR_COMMENT.finditer(self._prose)
        return any(m.start() < position < m.end() for m in spans if m["ticks"])

    def _check(
        self,
        match: re.Match[str],
        expression: str,
        index: int,
        blocks: tuple[Block, ...],
    ) -> Check:
        line = self.line(match.start())
        if not expression:
            self.fail(match.start(), "an inline check must hold an expression")
        start, token = self._token(match)
        tabs = self._tab_paths[line - 1]
        above = [
            block
            for block in blocks
            if block.fence.start < match.start() and block.options.skip is None
        ]
        block = _last_visible(above, tabs)
        if block is None:
            self.fail(
                match.start(),
                f"the check of {token} must stand below a block that runs. "
                "Move it down, or exempt the number with <!-- ! reason -->",
            )
        assert block is not None
        return Check(index, line, token, expression, start, match.end(), block)

    def _exemption(self, match: re.Match[str], reason: str) -> Exemption:
        if reason not in REASONS:
            self.fail(
                match.start(),
                f"an exemption must give one of the reasons {', '.join(REASONS)}, "
                f"got {reason!r}",
            )
        start, token = self._token(match)
        return Exemption(self.line(match.start()), token, reason, start, match.end())

    def _token(self, match: re.Match[str]) -> tuple[int, str]:
        start_of_line = self._line_starts[self.line(match.start()) - 1]
        before = self._prose[start_of_line : match.start()]
        if before.lstrip().startswith("|") and "|" in match["comment"]:
            self.fail(match.start(), "a comment in a table must not hold a |")
        try:
            token = token_before(before)
        except TokenError as error:
            self.fail(match.start(), str(error))
        return match.start() - len(token), token

    # Tabs

    def _find_tabs(self) -> list[tuple[int, ...]]:
        """For each line, the content tabs that enclose it, outermost first."""
        fence_indents = {self.line(f.start): len(f.prefix) for f in self.fences}
        open_tabs: list[tuple[int, int]] = []
        paths = []
        for number, line in enumerate(self._prose.split("\n"), start=1):
            indent = len(line) - len(line.lstrip(" ")) if line.strip() else None
            indent = fence_indents.get(number, indent)
            if indent is not None:
                open_tabs = [tab for tab in open_tabs if tab[0] <= indent]
            if _TAB.match(line):
                open_tabs.append((indent + 4 if indent else 4, number))
            paths.append(tuple(tab[1] for tab in open_tabs))
        return paths


def _last_visible(blocks: Sequence[Block], tabs: tuple[int, ...]) -> int | None:
    """The last block that is not shut away in a tab which the reader may not see."""
    for block in reversed(blocks):
        if block.tabs == tabs[: len(block.tabs)]:
            return block.index
    return None


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
