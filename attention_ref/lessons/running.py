"""Run pages: the build, the tests and the command line all come through here."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from attention_ref.lessons.cache import Cache
from attention_ref.lessons.execution import Job, Outcome, Report
from attention_ref.lessons.page import Block, Page
from attention_ref.lessons.planning import plan
from attention_ref.lessons.processes import Runner
from attention_ref.lessons.verification import PageResult, verify_page

DEFAULT_TIMEOUT = 60.0

Progress = Callable[[Job, int], None]
"""Called when a job ends: with the job, and with how many are left."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How pages are run.

    Attributes:
        timeout: Seconds for one chain of blocks, where no block asks for more.
        cache: Where results are kept, so that what has not changed need not run.
    """

    timeout: float = DEFAULT_TIMEOUT
    cache: Cache | None = None


def run_pages(
    pages: Sequence[Page],
    settings: Settings = Settings(),
    runner: Runner | None = None,
    progress: Progress | None = None,
) -> list[PageResult]:
    """Run every block of the pages that a build runs, and verify what the pages say.

    Args:
        pages: The pages.
        settings: How to run them.
        runner: Processes that may already be warm; by default some that end afterwards.
        progress: Called whenever a job ends.

    Returns:
        One result for each page.
    """
    if runner is None:
        with Runner() as own:
            return run_pages(pages, settings, own, progress)
    jobs = [job for page in pages for job in plan(page, settings.timeout)]
    done: dict[str, list[tuple[Job, Report]]] = {page.path: [] for page in pages}
    for job, report in zip(
        jobs, _reports(jobs, settings.cache, runner, progress), strict=True
    ):
        done[job.page].append((job, report))
    return [_verified(page, done[page.path]) for page in pages]


def run_blocks(
    page: Page, wanted: Collection[Block], settings: Settings, runner: Runner
) -> PageResult:
    """Run some blocks of a page, and those that they continue.

    Args:
        page: The page.
        wanted: The blocks.
        settings: How to run them.
        runner: The processes.

    Returns:
        The page's result. What was not wanted counts as not having run.
    """
    jobs = plan(page, settings.timeout, wanted)
    reports = _reports(jobs, settings.cache, runner, None)
    return _verified(page, list(zip(jobs, reports, strict=True)))


def _reports(
    jobs: Sequence[Job],
    cache: Cache | None,
    runner: Runner,
    progress: Progress | None,
) -> list[Report]:
    """The jobs' reports, from the cache where they are still true."""
    reports = {n: cache.find(job) for n, job in enumerate(jobs)} if cache else {}
    missing = [number for number in range(len(jobs)) if reports.get(number) is None]
    left = len(missing)

    def ended(job: Job, report: Report) -> None:
        nonlocal left
        left -= 1
        if cache:
            cache.keep(job, report)
        if progress:
            progress(job, left)

    fresh = runner.run([jobs[number] for number in missing], ended)
    reports |= dict(zip(missing, fresh, strict=True))
    return [report for n in range(len(jobs)) if (report := reports[n]) is not None]


def _verified(page: Page, done: Sequence[tuple[Job, Report]]) -> PageResult:
    outcomes: dict[int, Outcome] = {}
    endings: dict[int, str] = {}
    for job, report in done:
        outcomes.update(report.outcomes)
        if report.ending:
            unfinished = [s.block for s in job.steps if s.block not in report.outcomes]
            endings.update(dict.fromkeys(unfinished[:1], report.ending))
    return verify_page(page, outcomes, endings)
