"""Run pages: the build, the tests and the command line all come through here."""

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from attention_ref.lessons.comparing import Problem, compare_block, compare_check
from attention_ref.lessons.pages.page import Block, Page
from attention_ref.lessons.running.cache import Cache
from attention_ref.lessons.running.jobs import Job, Outcome, Report
from attention_ref.lessons.running.machine import describe_machine
from attention_ref.lessons.running.planning import plan
from attention_ref.lessons.running.processes import Runner
from attention_ref.lessons.running.recordings import Recording, make_recording
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
    return [page_result(page, done[page.path]) for page in pages]


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
    return page_result(page, list(zip(jobs, reports, strict=True)))


def record_block(
    page: Page, block: Block, settings: Settings, runner: Runner
) -> tuple[Recording | None, list[Problem]]:
    """Run a block that a build does not run, and make its recording.

    Args:
        page: The page.
        block: The block.
        settings: How to run it.
        runner: The processes.

    Returns:
        The recording, or nothing and what is wrong.
    """
    [job] = plan(page, settings.timeout, [block])
    [report] = runner.run([job])
    outcome = report.outcomes.get(block.index)
    if outcome is None:
        failed = (o.failure for o in report.outcomes.values() if o.failure)
        why = report.ending or f"failed before: {next(failed, 'it did not run')}"
        return None, [Problem(page.path, block.line, f"the block {why}")]
    problems = list(compare_block(page, block, outcome))
    for check in page.checks_of(block):
        answer = outcome.answers.get(check.index)
        problem = None if problems else compare_check(page, check, answer)
        problems += [problem] if problem else []
    if problems:
        return None, problems
    where = describe_machine()
    return make_recording(page, block, outcome, report.files, where), []


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
    started = time.time_ns()

    def ended(job: Job, report: Report) -> None:
        nonlocal left
        left -= 1
        if cache:
            cache.keep(job, report, started)
        if progress:
            progress(job, left)

    fresh = runner.run([jobs[number] for number in missing], ended)
    reports |= dict(zip(missing, fresh, strict=True))
    return [report for n in range(len(jobs)) if (report := reports[n]) is not None]


def page_result(page: Page, done: Sequence[tuple[Job, Report]]) -> PageResult:
    """Verify a page by what became of its jobs.

    Args:
        page: The page.
        done: Jobs of the page with their reports; blocks of other jobs have not run.

    Returns:
        The page's result.
    """
    outcomes: dict[int, Outcome] = {}
    endings: dict[int, str] = {}
    for job, report in done:
        outcomes.update(report.outcomes)
        if report.ending:
            unfinished = [
                step.block
                for step in job.steps
                if step.reported and step.block not in report.outcomes
            ]
            endings.update(dict.fromkeys(unfinished[:1], report.ending))
    return verify_page(page, outcomes, endings)
