"""Changes of code after which a page is still true: a list, each with its reason.

A `[[survivor]]` of the TOML file names the `page`, the heading of its `section`, the
`line` of code as it is, what it `becomes` (a list), and the `reason` why the page stays
true. It holds wherever in the section the line stands.
"""

import re
import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from attention_ref.lessons.pages.fences import find_fences
from attention_ref.lessons.proofs.mutation import Mutation


@dataclass(frozen=True, slots=True)
class Survivor:
    """A change that is known to leave the page true, and why."""

    page: str
    section: str
    line: str
    becomes: str
    reason: str


def read_survivors(path: Path) -> list[Survivor]:
    """Read the changes that are known to leave a page true, each with its reason."""
    entries = tomllib.loads(path.read_text("utf-8")).get("survivor", [])
    return [
        Survivor(
            entry["page"], entry["section"], entry["line"], becomes, entry["reason"]
        )
        for entry in entries
        for becomes in entry["becomes"]
    ]


def known(mutation: Mutation, survivors: Collection[Survivor]) -> Survivor | None:
    """Find the entry for a change."""
    wanted = described(mutation)
    for each in survivors:
        if (each.page, each.section, each.line, each.becomes) == wanted:
            return each
    return None


def described(mutation: Mutation) -> tuple[str, str, str, str]:
    """The page, the section, the line as it is and as it becomes."""
    page = mutation.page
    above = [
        title
        for position, title in _headings(page.text, page.path)
        if position < mutation.start
    ]
    section = above[-1] if above else ""
    return page.path, section, mutation.before, mutation.after


@lru_cache(maxsize=8)
def _headings(text: str, path: str) -> tuple[tuple[int, str], ...]:
    """Where the headings of a page stand, and what they say."""
    fences = [(fence.start, fence.end) for fence in find_fences(text, path)]
    return tuple(
        (match.start(), re.sub("<!--.*?-->", "", match["title"]).strip())
        for match in re.finditer(r"^#+ (?P<title>.*)$", text, re.MULTILINE)
        if not any(start <= match.start() < end for start, end in fences)
    )
