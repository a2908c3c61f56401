"""Changes of code after which a page is still true: a list, each with its reason.

A `[[survivor]]` of the TOML file names the `page`, the `line` of code as it is, what it
`becomes` (a list), and the `reason` why the page stays true.
"""

import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from attention_ref.lessons.mutation import Mutation


@dataclass(frozen=True, slots=True)
class Survivor:
    """A change that is known to leave the page true, and why."""

    page: str
    line: str
    becomes: str
    reason: str


def read_survivors(path: Path) -> list[Survivor]:
    """Read the changes that are known to leave a page true, each with its reason."""
    entries = tomllib.loads(path.read_text("utf-8")).get("survivor", [])
    return [
        Survivor(entry["page"], entry["line"], becomes, entry["reason"])
        for entry in entries
        for becomes in entry["becomes"]
    ]


def known(mutation: Mutation, survivors: Collection[Survivor]) -> Survivor | None:
    """Find the entry for a change, wherever on the page the line now stands."""
    wanted = mutation.page.path, mutation.before, mutation.after
    for each in survivors:
        if (each.page, each.line, each.becomes) == wanted:
            return each
    return None
