"""Which numbers of a page are computed, and which are only said?

A page's text is what its rendered HTML shows: prose, headings, tables, lists, titles of
admonitions, tabs and files, formulas, code. Added to it are the texts in a block's
options, which the site shows too: a figure's text alternative and caption, the reason
why a block is not run. Every numeral counts, also within a word (`float32`). Number
words do not count, nor do the markers of list items and footnotes, which the renderer
makes. Front matter is not text.

A number is

- *verified* in a Python block that runs, in its output, and in an inline check;
- *exempt* in what an `<!-- ! reason -->` touches;
- *automatic* in a code span, in code that is only shown, in a web address, and where it
  is notation in a formula;
- *unverified* anywhere else.

An inline check under a block that a build does not run verifies nothing until the block
is recorded. Notation in a formula is what stands in a sub- or superscript, and 0, 1 and
2, of which algebra is made. Any other number in a formula is data, and no check can
stand in a formula: data belongs beside it, as text.

This says what is under test. Whether it is true, `attention-ref verify` says.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from attention_ref.lessons.pages.fences import find_fences
from attention_ref.lessons.pages.page import Page
from attention_ref.lessons.proofs.visible import (
    CONFIGS,
    EXTENSIONS,
    NUMBER,
    SeenNumber,
    seen_numbers,
)
from attention_ref.lessons.running.recordings import code_digest, read_recordings

Kind = Literal["verified", "exempt", "automatic", "unverified"]

_COLUMNS = ("numbers", "verified", "exempt", "automatic", "unverified", "covered")


@dataclass(frozen=True, slots=True)
class Number:
    """A number that a reader sees.

    Attributes:
        line: The line of the page, counted from 1.
        text: The number.
        kind: What vouches for it.
        context: The text around it.
    """

    line: int
    text: str
    kind: Kind
    context: str


@dataclass(frozen=True, slots=True)
class Coverage:
    """A page with all its numbers."""

    page: Page
    numbers: tuple[Number, ...]

    def count(self, kind: Kind) -> int:
        """How many numbers there are of one kind."""
        return sum(number.kind == kind for number in self.numbers)

    @property
    def unverified(self) -> list[Number]:
        """The numbers that are only said, from top to bottom."""
        found = (number for number in self.numbers if number.kind == "unverified")
        return sorted(found, key=lambda number: number.line)


def cover(
    page: Page,
    extensions: Sequence[Any] = EXTENSIONS,
    configs: Mapping[str, Any] = CONFIGS,
) -> Coverage:
    """Find every number of a page, and what vouches for it.

    Args:
        page: The page.
        extensions: The site's Markdown extensions, `pymdownx.superfences` among them.
        configs: Their settings.

    Returns:
        The numbers: those of the text, of the fences, and of the blocks' options.
    """
    judge = _Judge(page)
    seen = seen_numbers(page, extensions, configs)
    numbers = [judge.number(each) for each in seen]
    numbers += [judge.number(each) for each in _in_captions(page)]
    return Coverage(page, (*numbers, *_in_fences(page), *_in_options(page)))


def percentage(coverages: Sequence[Coverage]) -> float:
    """How many of a hundred numbers something vouches for."""
    total = sum(len(each.numbers) for each in coverages)
    unverified = sum(each.count("unverified") for each in coverages)
    return 100 * (total - unverified) / total if total else 100.0


def as_text(coverages: Sequence[Coverage]) -> str:
    """A table with a row for each page, every exemption, every unverified number."""
    lines = _table(coverages)
    for each in coverages:
        for exemption in each.page.exemptions:
            where = f"{each.page.path}:{exemption.line}"
            lines.append(f"{where}: {exemption.token} is exempt: {exemption.reason}")
    for each in coverages:
        for number in each.unverified:
            where = f"{each.page.path}:{number.line}"
            lines.append(f"{where}: {number.text} is unverified in “{number.context}”")
    return "\n".join(lines)


class _Judge:
    """Tells what vouches for a number by where it stands in the Markdown."""

    def __init__(self, page: Page) -> None:
        self._text = page.text
        recorded = read_recordings(page)
        self._verified = [
            (check.start, check.end)
            for check in page.checks
            if (block := page.blocks[check.block]).options.runs_in_build
            or code_digest(page, block) in recorded
        ]
        self._exempt = [(each.start, each.end) for each in page.exemptions]

    def number(self, seen: SeenNumber) -> Number:
        """The number with its line and its kind."""
        position = seen.position
        if position is None:
            position = max(self._text.find(seen.context), 0)
            position = max(self._text.find(seen.text, position), 0)
        line = self._text.count("\n", 0, position) + 1
        return Number(line, seen.text, self._kind(seen), seen.context)

    def _kind(self, seen: SeenNumber) -> Kind:
        if _within(seen.position, self._verified):
            return "verified"
        if _within(seen.position, self._exempt):
            return "exempt"
        return "unverified" if seen.where == "text" else "automatic"


def _within(position: int | None, ranges: Sequence[tuple[int, int]]) -> bool:
    return position is not None and any(a <= position < b for a, b in ranges)


def _in_fences(page: Page) -> Iterator[Number]:
    running = {b.fence.start for b in page.blocks if b.options.runs_in_build}
    for fence in find_fences(page.text, page.path):
        vouched = fence.language == "output" or fence.start in running
        kind: Kind = "verified" if vouched else "automatic"
        first = page.text.count("\n", 0, fence.source_start) + 1
        for line, text in enumerate(fence.source.split("\n"), start=first):
            for match in NUMBER.finditer(text):
                yield Number(line, match[0], kind, text.strip())


def _in_captions(page: Page) -> Iterator[SeenNumber]:
    for block in page.blocks:
        caption = block.options.caption or ""
        start = page.text.find(f'"{caption}"', block.fence.start) + 1
        shown = re.sub("<!--.*?-->", lambda comment: " " * len(comment[0]), caption)
        for match in NUMBER.finditer(shown):
            position = start + match.start()
            yield SeenNumber(match[0], "text", position, block.options.shown_caption)


def _in_options(page: Page) -> Iterator[Number]:
    for block in page.blocks:
        options = block.options
        texts = options.figure, options.recorded, options.skip
        for text in filter(None, texts):
            for match in NUMBER.finditer(text):
                yield Number(block.line, match[0], "unverified", text)


def _table(coverages: Sequence[Coverage]) -> list[str]:
    rows = [["page", *_COLUMNS], *(_row(each.page.path, [each]) for each in coverages)]
    if len(coverages) > 1:
        rows.append(_row("all pages", coverages))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]


def _row(name: str, coverages: Sequence[Coverage]) -> list[str]:
    kinds: tuple[Kind, ...] = ("verified", "exempt", "automatic", "unverified")
    counts = [sum(each.count(kind) for each in coverages) for kind in kinds]
    covered = f"{percentage(coverages):.1f} %"
    return [name, str(sum(counts)), *map(str, counts), covered]
