"""Which changes of a page does nobody notice?

A change is noticed if the changed page is refused or found untrue. What only the text
says is compared with what the blocks did before; where code has changed, its chain runs
again.
"""

import hashlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from attention_ref.lessons.errors import PageError
from attention_ref.lessons.pages.page import Block, Page
from attention_ref.lessons.proofs.mutation import (
    Mutation,
    code_mutations,
    said_mutations,
)
from attention_ref.lessons.proofs.survivors import Survivor, known
from attention_ref.lessons.running.jobs import Job, Report
from attention_ref.lessons.running.planning import plan
from attention_ref.lessons.running.processes import Runner
from attention_ref.lessons.running.run import Progress, Settings, page_result
from attention_ref.lessons.verification import PageResult, verify_page


@dataclass(frozen=True, slots=True)
class Trial:
    """The changes of a page that were tried, and those that nobody noticed."""

    page: Page
    said: Sequence[Mutation]
    said_unnoticed: Sequence[Mutation]
    code: Sequence[Mutation]
    code_unnoticed: Sequence[Mutation]

    def unknown(self, survivors: Collection[Survivor]) -> list[Mutation]:
        """The unnoticed changes that have no reason; what is said never has one."""
        code = [each for each in self.code_unnoticed if not known(each, survivors)]
        return [*self.said_unnoticed, *code]

    def as_text(self, survivors: Collection[Survivor]) -> str:
        """What was tried, and a paragraph for each change that nobody noticed."""
        path = self.page.path
        kinds = {
            "outputs and checked numbers": (self.said, self.said_unnoticed),
            "code": (self.code, self.code_unnoticed),
        }
        lines = [
            f"{path}: {kind}: {len(tried)} changes tried, {len(unnoticed)} unnoticed"
            for kind, (tried, unnoticed) in kinds.items()
        ]
        for each in (*self.said_unnoticed, *self.code_unnoticed):
            entry = known(each, survivors)
            why = entry.reason if entry else "nobody noticed"
            lines.append(f"{path}:{each.line}: {why}")
            lines += [f"  - {each.before}", f"  + {each.after}"]
        return "\n".join(lines)


def try_changes(
    result: PageResult,
    most: int | None,
    seed: int,
    settings: Settings,
    runner: Runner,
    progress: Progress | None = None,
) -> Trial:
    """Change a page in small ways, and see what nobody notices.

    Args:
        result: The page as it is, verified.
        most: How many changes of what is said, and of code, to try; `None` for all.
        seed: Which ones, if not all.
        settings: How to run changed blocks.
        runner: The processes.
        progress: Called whenever a job ends.

    Returns:
        What was tried, and what was not noticed.
    """
    said = sample(list(said_mutations(result.page)), most, seed)
    code = sample(list(code_mutations(result.page)), most, seed)
    return Trial(
        result.page,
        said,
        unnoticed_in_text(result, said),
        code,
        unnoticed_in_code(code, settings, runner, progress),
    )


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
