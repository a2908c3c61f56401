"""Which changes of a page does nobody notice?

A change is noticed if the changed page is refused or found untrue. What only the text
says is compared with what the blocks did before; where code has changed, its chain runs
again.
"""

import hashlib
import tomllib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from attention_ref.lessons.errors import PageError
from attention_ref.lessons.execution import Job, Report
from attention_ref.lessons.mutation import Mutation
from attention_ref.lessons.page import Block, Page
from attention_ref.lessons.planning import plan
from attention_ref.lessons.processes import Runner
from attention_ref.lessons.running import Progress, Settings, page_result
from attention_ref.lessons.verification import PageResult, verify_page


@dataclass(frozen=True, slots=True)
class Survivor:
    """A change that is known to leave the page true, and why."""

    page: str
    line: str
    becomes: str
    reason: str


def unnoticed_in_text(result: PageResult, tried: Sequence[Mutation]) -> list[Mutation]:
    """Find the changes of outputs and checked numbers that nobody notices.

    Args:
        result: The page as it is, verified.
        tried: The changes.

    Returns:
        Those after which the page still counts as true.
    """
    outcomes = {
        block.block.index: block.outcome for block in result.blocks if block.outcome
    }
    unnoticed = []
    for mutation in tried:
        try:
            changed = mutation.apply()
        except PageError:
            continue
        if not verify_page(changed, outcomes, {}).problems:
            unnoticed.append(mutation)
    return unnoticed


def unnoticed_in_code(
    tried: Sequence[Mutation],
    settings: Settings,
    runner: Runner,
    progress: Progress | None = None,
) -> list[Mutation]:
    """Find the changes of code that nobody notices.

    Args:
        tried: The changes.
        settings: How to run the changed blocks, and those that continue them.
        runner: The processes.
        progress: Called whenever a job ends.

    Returns:
        Those after which every block and every check still counts as true.
    """
    changed = [(mutation, mutation.apply()) for mutation in tried]
    affected = [_affected(page, mutation.line) for mutation, page in changed]
    plans = [
        plan(page, settings.timeout, blocks)
        for (_, page), blocks in zip(changed, affected, strict=True)
    ]
    jobs = [job for each in plans for job in each]
    left = len(jobs)

    def ended(job: Job, _: Report) -> None:
        nonlocal left
        left -= 1
        if progress:
            progress(job, left)

    reports = iter(runner.run(jobs, ended))
    unnoticed = []
    for (mutation, page), blocks, own in zip(changed, affected, plans, strict=True):
        result = page_result(page, [(job, next(reports)) for job in own])
        if not list(_problems(result, {block.index for block in blocks})):
            unnoticed.append(mutation)
    return unnoticed


def sample(tried: Sequence[Mutation], most: int | None, seed: int) -> list[Mutation]:
    """Draw some of the changes, in the order of the page; all without a number.

    What is drawn hangs on the changed lines alone: it hardly changes when something
    else on the page does, and a larger sample holds the smaller ones.
    """

    def lot(mutation: Mutation) -> bytes:
        told = f"{seed}\n{mutation.before}\n{mutation.after}"
        return hashlib.sha256(told.encode()).digest()

    drawn = sorted(tried, key=lot)[:most]
    return sorted(drawn, key=lambda mutation: mutation.start)


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


def _affected(page: Page, line: int) -> list[Block]:
    """The block in whose code a line stands, and the blocks that continue it."""
    [changed] = [
        block
        for block in page.blocks
        if block.line < line <= block.line + block.source.count("\n")
    ]
    return [
        block
        for block in page.blocks
        if block.options.runs_in_build and changed in page.chain(block)
    ]


def _problems(result: PageResult, wanted: Collection[int]) -> Iterator[object]:
    for block in result.blocks:
        if block.block.index in wanted:
            yield from block.problems
    for check in result.checks:
        if check.check.block in wanted:
            yield from check.problems
