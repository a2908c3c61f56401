"""Recordings: what blocks did that a build does not run, and where they did it.

A recording is evidence. It names the machine, the device, the versions and the day, and
the code that ran: its own, and that of every module it imported outside site-packages.
"""

import hashlib
import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from attention_ref.lessons.pages.page import Block, Page
from attention_ref.lessons.running.dependencies import imported_packages
from attention_ref.lessons.running.jobs import Outcome

FOLDER = "recordings"
_ENGINE = Path(__file__).resolve().parents[1]
_PACKAGE = __name__.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Recording:
    """What one block did when it was recorded.

    Attributes:
        code: The digest of the code that a reader would copy.
        modules: The digests of the imported sources, by their place on `sys.path`.
        printed: What it printed.
        figures: The figures it drew, as HTML.
        answers: The values of the inline checks below it, by their expressions.
        seconds: How long it took.
        where: Machine, device, driver, versions and date.
    """

    code: str
    modules: dict[str, str]
    printed: str
    figures: list[str]
    answers: dict[str, Any]
    seconds: float
    where: dict[str, str] = field(default_factory=dict)

    def outcome(self, page: Page, block: Block) -> Outcome:
        """The recording as if the block had just run."""
        answers = {
            check.index: self.answers[check.expression]
            for check in page.checks_of(block)
            if check.expression in self.answers
        }
        return Outcome(
            block.index,
            self.printed,
            figures=self.figures,
            answers=answers,
            seconds=self.seconds,
        )

    def changed_modules(self) -> list[str]:
        """The imported sources that are no longer what they were."""
        return [name for name, was in self.modules.items() if _digest_of(name) != was]


def make_recording(
    page: Page,
    block: Block,
    outcome: Outcome,
    files: Iterable[str],
    where: Mapping[str, str],
) -> Recording:
    """Turn what a block did into a recording.

    Args:
        page: The block's page.
        block: The block.
        outcome: What it did.
        files: What it imported or read.
        where: Machine, device, driver, versions and date.

    Returns:
        The recording, to be kept with `write_recordings`.
    """
    imports = imported_packages(page.standalone_source(block))
    places = sorted(filter(None, map(_place_on_path, files)))
    # The engine lives in the package, too: its process loads more than the block asked.
    if _PACKAGE not in imports:
        places = [p for p in places if not p.startswith(f"{_PACKAGE}/")]
    return Recording(
        code_digest(page, block),
        {place: _digest_of(place) for place in places},
        outcome.printed,
        outcome.figures,
        {c.expression: outcome.answers[c.index] for c in page.checks_of(block)},
        round(outcome.seconds, 3),
        dict(where),
    )


def code_digest(page: Page, block: Block) -> str:
    """What identifies a recorded block: the code that a reader would copy."""
    return _digest(page.standalone_source(block).encode())


def recordings_path(page: Page) -> Path | None:
    """Where a page's recordings lie: in the nearest folder `recordings` above it."""
    if page.file is None:
        return None
    for folder in page.file.parents:
        if Path(folder, FOLDER).is_dir():
            place = page.file.relative_to(folder).with_suffix(".json")
            return folder / FOLDER / place
    return None


def read_recordings(page: Page) -> dict[str, Recording]:
    """The recordings of a page, by the digest of their code."""
    path = recordings_path(page)
    if path is None or not path.is_file():
        return {}
    entries = json.loads(path.read_text(encoding="utf-8"))
    recordings = [Recording(**entry) for entry in entries]
    return {recording.code: recording for recording in recordings}


def write_recordings(page: Page, recordings: Iterable[Recording]) -> Path:
    """Keep recordings for a page, in the order of its blocks, and drop stale ones.

    Args:
        page: The page.
        recordings: New ones; older ones of other blocks stay.

    Returns:
        The file that was written.
    """
    path = recordings_path(page)
    if path is None:
        message = f"a folder {FOLDER}/ must lie beside or above {page.path}. Make one"
        raise FileNotFoundError(message)
    known = read_recordings(page) | {each.code: each for each in recordings}
    blocks = [b for b in page.blocks if not b.options.runs_in_build]
    kept = [known[d] for b in blocks if (d := code_digest(page, b)) in known]
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps([asdict(each) for each in kept], indent=2, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")
    return path


def _place_on_path(file: str) -> str | None:
    path = Path(file)
    if path.suffix != ".py" or path.is_relative_to(_ENGINE):
        return None
    for root in map(Path, filter(None, sys.path)):
        if path.is_relative_to(root.resolve()):
            return path.relative_to(root.resolve()).as_posix()
    return None


def _digest_of(place: str) -> str:
    for root in filter(None, sys.path):
        if Path(root, place).is_file():
            return _digest(Path(root, place).read_bytes())
    return "gone"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
