"""The rules for what stands in comments: inline checks and exemptions."""

import re
from collections.abc import Iterator, Sequence

from attention_ref.lessons.pages.blocks import last_visible
from attention_ref.lessons.pages.inline import TokenError, token_before
from attention_ref.lessons.pages.page import FRONT_MATTER, Block, Check, Exemption
from attention_ref.lessons.pages.source import Source

REASONS = ("year", "ordinal", "section", "name", "quoted source", "illustration")
# A code span may hold a comment that is only shown; whichever starts first wins.
_SPAN_OR_COMMENT = re.compile(
    r"(?<![`\\])(?P<ticks>`+)(?!`)(?:(?!\n[ \t]*\n).)+?(?<!`)(?P=ticks)(?!`)"
    r"|<!--(?P<comment>.*?)-->",
    re.DOTALL,
)


def read_marks(
    source: Source, blocks: Sequence[Block]
) -> tuple[tuple[Check, ...], tuple[Exemption, ...]]:
    """Read the inline checks and the exemptions of a page.

    Args:
        source: The page's text.
        blocks: Its blocks.

    Returns:
        The checks and the exemptions, each in the order of the page.

    Raises:
        PageError: If a comment touches nothing, or says nothing that can be checked.
    """
    checks: list[Check] = []
    exemptions: list[Exemption] = []
    for match in _comments(source):
        mark, _, content = match["comment"].strip().partition(" ")
        if mark[:1] in ("=", "!"):
            _refuse_front_matter(source, match.start())
        if mark == "=":
            index = len(checks)
            checks.append(_check(source, match, content.strip(), index, blocks))
        elif mark == "!":
            exemptions.append(_exemption(source, match, content.strip()))
        elif mark[:1] in ("=", "!"):
            source.refuse(match.start(), f"a space must follow {mark[0]} in a comment")
    return tuple(checks), tuple(exemptions)


def _comments(source: Source) -> Iterator[re.Match[str]]:
    for match in _SPAN_OR_COMMENT.finditer(source.prose):
        if match["comment"] is None:
            continue
        for fence in source.fences:
            if match.start() < fence.start < match.end():
                source.refuse(fence.start, "a fence must not stand in an HTML comment")
        yield match
    opening = source.prose.rfind("<!--")
    if opening > source.prose.rfind("-->") and not _in_code_span(source, opening):
        source.refuse(opening, "an HTML comment must be closed with -->")


def _in_code_span(source: Source, position: int) -> bool:
    spans = _SPAN_OR_COMMENT.finditer(source.prose)
    return any(m.start() < position < m.end() for m in spans if m["ticks"])


def _check(
    source: Source,
    match: re.Match[str],
    expression: str,
    index: int,
    blocks: Sequence[Block],
) -> Check:
    line = source.line(match.start())
    if not expression:
        source.refuse(match.start(), "an inline check must hold an expression")
    start, token = _token(source, match)
    tabs = source.tabs_at(match.start())
    above = [
        block
        for block in blocks
        if block.fence.start < match.start() and block.options.skip is None
    ]
    block = last_visible(above, tabs)
    if block is None:
        source.refuse(
            match.start(),
            f"the check of {token} must stand below a block that runs. "
            "Move it down, or exempt the number with <!-- ! reason -->",
        )
    return Check(index, line, token, expression, start, match.end(), block)


def _exemption(source: Source, match: re.Match[str], reason: str) -> Exemption:
    if reason not in REASONS:
        source.refuse(
            match.start(),
            f"an exemption must give one of the reasons {', '.join(REASONS)}, "
            f"got {reason!r}",
        )
    start, token = _token(source, match)
    return Exemption(source.line(match.start()), token, reason, start, match.end())


def _token(source: Source, match: re.Match[str]) -> tuple[int, str]:
    before = source.before(match.start())
    if before.lstrip().startswith("|") and "|" in match["comment"]:
        source.refuse(match.start(), "a comment in a table must not hold a |")
    try:
        token = token_before(before)
    except TokenError as error:
        source.refuse(match.start(), str(error))
    return match.start() - len(token), token


def _refuse_front_matter(source: Source, position: int) -> None:
    front_matter = FRONT_MATTER.match(source.text)
    if front_matter and position < front_matter.end():
        source.refuse(
            position,
            "front matter cannot hold a check or an exemption. Take the comment out",
        )
