"""Group the blocks of a page into jobs that run in processes of their own."""

from collections.abc import Collection
from pathlib import PurePath

from attention_ref.lessons.pages.page import Block, Page
from attention_ref.lessons.running.jobs import FigureRequest, Job, Question, Step


def plan(
    page: Page, timeout: float, wanted: Collection[Block] | None = None
) -> list[Job]:
    """Group the blocks of a page into jobs.

    A chain is one job. Where two tabs continue the same block, the second starts
    afresh and runs the shared part again, so that neither sees the other's names.

    Args:
        page: The page.
        timeout: Seconds for a job, where none of its blocks asks for more.
        wanted: The blocks whose results matter; by default all that a build runs.

    Returns:
        The jobs, in the order of the page.
    """
    if wanted is None:
        wanted = [block for block in page.blocks if block.options.runs_in_build]
    needed = {link.index for block in wanted for link in page.chain(block)}
    chains: list[list[Block]] = []
    reported: list[int] = []
    for block in (page.blocks[index] for index in sorted(needed)):
        for chain in chains:
            if block.parent is not None and chain[-1].index == block.parent:
                chain.append(block)
                break
        else:
            chain = list(page.chain(block))
            chains.append(chain)
            reported.append(len(chain) - 1)
    return [
        _job(page, chain, silent, timeout)
        for chain, silent in zip(chains, reported, strict=True)
    ]


def _job(page: Page, chain: list[Block], silent: int, timeout: float) -> Job:
    steps = [_step(page, block, place >= silent) for place, block in enumerate(chain)]
    longest = max(block.options.timeout or timeout for block in chain)
    return Job(page.path, tuple(steps), longest)


def _step(page: Page, block: Block, reported: bool) -> Step:
    checks = page.checks_of(block) if reported else ()
    questions = tuple(Question(c.index, c.line, c.expression) for c in checks)
    options = block.options
    request = None
    if options.figure is not None:
        name = f"{PurePath(page.path).stem}-{block.index}"
        request = FigureRequest(
            name, options.figure, options.shown_caption, options.illustration
        )
    return Step(
        block.index,
        block.line,
        block.source,
        questions,
        request,
        options.raises,
        reported,
    )
