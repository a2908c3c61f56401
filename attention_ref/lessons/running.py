"""Run pages: which blocks make a job, in which processes, with which results.

The build, the tests and the command line all come through here.
"""

import ast
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from attention_ref.lessons.execution import (
    FigureRequest,
    Job,
    Outcome,
    Question,
    Report,
    Step,
)
from attention_ref.lessons.page import Block, Page
from attention_ref.lessons.processes import Runner
from attention_ref.lessons.verification import PageResult, verify_page

# Slow to import, and safe to import before a fork. Only those that a page uses are.
PRELOADABLE = ("numpy", "torch", "matplotlib.pyplot")
DEFAULT_TIMEOUT = 60.0


@dataclass(frozen=True, slots=True)
class Settings:
    """How pages are run.

    Attributes:
        timeout: Seconds for one chain of blocks, where no block asks for more.
        workers: How many chains run at the same time; all cores by default.
    """

    timeout: float = DEFAULT_TIMEOUT
    workers: int | None = None


def run_pages(
    pages: Sequence[Page],
    settings: Settings = Settings(),
    progress: Callable[[Page, int], None] | None = None,
) -> list[PageResult]:
    """Run every block of the pages that a build runs, and verify what the pages say.

    Args:
        pages: The pages.
        settings: How to run them.
        progress: Called with a page, and the number of jobs left, as its jobs end.

    Returns:
        One result for each page.
    """
    with Runner(modules_to_preload(pages), settings.workers) as runner:
        return run_pages_with(runner, pages, settings, progress)


def run_pages_with(
    runner: Runner,
    pages: Sequence[Page],
    settings: Settings,
    progress: Callable[[Page, int], None] | None = None,
) -> list[PageResult]:
    """As `run_pages`, in the processes of a runner that may already be warm."""
    jobs = [job for page in pages for job in plan(page, settings.timeout)]
    left = len(jobs)
    by_path = {page.path: page for page in pages}

    def ended(job: Job) -> None:
        nonlocal left
        left -= 1
        if progress:
            progress(by_path[job.page], left)

    done: dict[str, list[tuple[Job, Report]]] = {page.path: [] for page in pages}
    for job, report in zip(jobs, runner.run(jobs, ended), strict=True):
        done[job.page].append((job, report))
    return [_verified(page, done[page.path]) for page in pages]


def run_page_with(
    runner: Runner, page: Page, settings: Settings, wanted: Collection[Block]
) -> PageResult:
    """Run some blocks of a page, and what they continue; other blocks have no result."""
    jobs = plan(page, settings.timeout, wanted)
    return _verified(page, list(zip(jobs, runner.run(jobs), strict=True)))


def _verified(page: Page, done: Sequence[tuple[Job, Report]]) -> PageResult:
    outcomes: dict[int, Outcome] = {}
    endings: dict[int, str] = {}
    for job, report in done:
        outcomes.update(report.outcomes)
        if report.ending:
            unfinished = [s.block for s in job.steps if s.block not in report.outcomes]
            endings.update(dict.fromkeys(unfinished[:1], report.ending))
    return verify_page(page, outcomes, endings)


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
            name, options.figure, options.caption or "", options.illustration
        )
    return Step(block.index, block.line, block.source, questions, request, reported)


def modules_to_preload(pages: Sequence[Page]) -> list[str]:
    """The slow modules that some block of the pages imports."""
    found: set[str] = set()
    for block in (block for page in pages for block in page.blocks):
        if block.options.runs_in_build:
            found |= _imported(block.source)
            if block.options.figure is not None:
                found.add("matplotlib")
    return [name for name in PRELOADABLE if name.partition(".")[0] in found]


def _imported(source: str) -> set[str]:
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return set()
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return names
