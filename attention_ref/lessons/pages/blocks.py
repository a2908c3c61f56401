"""The rules for blocks and their expected outputs.

They refuse whatever a reader could see and a test could miss.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from attention_ref.lessons.pages.fences import Fence
from attention_ref.lessons.pages.options import OptionError, Options, parse_options
from attention_ref.lessons.pages.page import Block, Output
from attention_ref.lessons.pages.source import Source
from attention_ref.lessons.pages.tolerance import number_shown_too_precisely

# What highlighters take for Python: `py`, `python3`, `Python`, `pycon`, `{.python}` …
PYTHON_LIKE = re.compile(
    r"\.?(i?python[\d.]*|py[23]?|pycon|python-(console|repl))", re.IGNORECASE
)


def read_blocks(source: Source) -> tuple[Block, ...]:
    """Read the blocks of a page, each with what it is expected to print.

    Args:
        source: The page's text.

    Returns:
        The blocks, in the order of the page.

    Raises:
        PageError: If a fence could be seen by a reader and missed by a test, or an
            option is not known, or an output fence does not belong to a block.
    """
    blocks: list[Block] = []
    for fence in source.fences:
        if fence.language == "python":
            blocks.append(_block(source, fence, blocks))
        elif fence.language == "output":
            last = blocks.pop() if blocks else None
            blocks.append(_with_output(source, last, fence))
        else:
            _refuse_lookalike(source, fence)
    return tuple(blocks)


def _refuse_lookalike(source: Source, fence: Fence) -> None:
    language = fence.language or fence.options.strip().partition(" ")[0]
    got = fence.language or f"{{{fence.options}}}"
    if PYTHON_LIKE.fullmatch(language):
        source.refuse(
            fence.start,
            f"a Python block must say ```python, got ```{got}. "
            "Write it so, or use ```text for code that is only shown",
        )
    if language.lower().lstrip(".") == "output":
        source.refuse(
            fence.start,
            f"an output fence must say ```output, got ```{got}. "
            "Write it so, or use ```text for text that is only shown",
        )


def _block(source: Source, fence: Fence, before: list[Block]) -> Block:
    _refuse_unseen(source, fence)
    try:
        options = parse_options(fence.options)
    except OptionError as error:
        source.refuse(fence.start, str(error))
    tabs = source.tabs_at(fence.start)
    # What is copied must run: a block that raises would stop the whole chain.
    standing = [block for block in before if block.options.raises is None]
    parent = last_visible(standing, tabs) if options.continues else None
    if options.continues and parent is None:
        source.refuse(
            fence.start,
            "a block with .continues must have a block above it to continue"
            f"{' in the same tab' if tabs else ''}. Take .continues off",
        )
    if options.continues and parent is not None:
        _refuse_broken_chain(source, fence, before[parent], options)
    return Block(
        len(before),
        source.line(fence.start),
        fence.source,
        options,
        fence,
        tabs,
        parent,
    )


def _refuse_unseen(source: Source, fence: Fence) -> None:
    if ">" in fence.prefix:
        source.refuse(fence.start, "a block must not stand in a quote. Take the > off")
    if fence.prefix.strip():
        source.refuse(
            fence.start,
            "a block must not begin on a list-marker line. "
            "Put the fence on a line of its own, indented under the item",
        )
    if "\t" in fence.prefix:
        source.refuse(fence.start, "a fence must be indented by spaces, got a tab")
    if "\t" in fence.source:
        source.refuse(
            source.text.index("\t", fence.source_start),
            "code must not hold a tab, which the site shows as spaces. "
            "Indent by spaces, and write \\t in a text",
        )


def _refuse_broken_chain(
    source: Source, fence: Fence, parent: Block, options: Options
) -> None:
    if options.runs_in_build and not parent.options.runs_in_build:
        source.refuse(
            fence.start,
            f"a block with .continues must continue a block that runs, got the one "
            f"in line {parent.line}, which a build does not run. "
            "Move it above, or mark this one alike",
        )


def _with_output(source: Source, block: Block | None, fence: Fence) -> Block:
    between = source.text[block.end : fence.start] if block else "?"
    if block is None or block.expected or between.strip():
        source.refuse(
            fence.start,
            "an output fence must stand right after the block that prints it. "
            "Move it there, or use ```text for text that is only shown",
        )
    if fence.prefix != block.fence.prefix:
        source.refuse(fence.start, "an output fence must be indented as its block is")
    if not block.options.runs_in_build:
        source.refuse(
            fence.start,
            "a block that a build does not run must have no output fence: "
            "its recording is its output. Take the fence away",
        )
    expected = Output(
        source.line(fence.start), fence.source, fence, _approx(source, fence)
    )
    return replace(block, expected=expected)


def _approx(source: Source, fence: Fence) -> float | None:
    if not fence.options.strip():
        return None
    match = re.fullmatch(r'approx="([^"]*)"', fence.options.strip())
    try:
        tolerance = float(match[1]) if match else -1.0
    except ValueError:
        tolerance = -1.0
    if not 0 < tolerance < 1:
        source.refuse(
            fence.start,
            f'an output fence takes approx="1e-3" or nothing, got {fence.options}',
        )
    if number := number_shown_too_precisely(fence.source, tolerance):
        source.refuse(
            fence.start,
            "approx must be under half a unit of the last digit of every number, "
            f"got {tolerance:g} for {number}. Show fewer digits, or lower it",
        )
    return tolerance


def last_visible(blocks: Sequence[Block], tabs: tuple[int, ...]) -> int | None:
    """The last block that is not shut away in a tab which the reader may not see."""
    for block in reversed(blocks):
        if block.tabs == tabs[: len(block.tabs)]:
            return block.index
    return None
