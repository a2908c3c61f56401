"""What a page is to the engine: blocks, expected outputs, inline checks, exemptions."""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from attention_ref.lessons.pages.fences import Fence
from attention_ref.lessons.pages.options import Options

FRONT_MATTER = re.compile(r"\A---[ \t]*\n.*?\n(?:---|\.\.\.)[ \t]*\n", re.DOTALL)


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
        match = FRONT_MATTER.match(self.text)
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

    @cached_property
    def marked(self) -> tuple[Check | Exemption, ...]:
        """Checks and exemptions in the text; captions are no part of the Markdown."""
        captions = [(b.fence.start, b.fence.source_start) for b in self.blocks]
        found: tuple[Check | Exemption, ...] = (*self.checks, *self.exemptions)
        return tuple(
            each
            for each in found
            if not any(start < each.start < end for start, end in captions)
        )

    def checks_of(self, block: Block) -> tuple[Check, ...]:
        """The inline checks that are evaluated after `block`."""
        return tuple(check for check in self.checks if check.block == block.index)
