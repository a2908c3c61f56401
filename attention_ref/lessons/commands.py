"""What each command does, once the command line has been read.

Each returns 0 if all is as it should be, and 1 if it is not.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from attention_ref.lessons.pages.page import Page
from attention_ref.lessons.progress import Progress
from attention_ref.lessons.proofs.coverage import as_text, cover, percentage
from attention_ref.lessons.proofs.noticing import try_changes
from attention_ref.lessons.proofs.survivors import read_survivors
from attention_ref.lessons.publishing.plain_site import weave_folder
from attention_ref.lessons.publishing.rendering import check_what_readers_see
from attention_ref.lessons.quizzes.quiz import find_questions
from attention_ref.lessons.running.cache import Cache
from attention_ref.lessons.running.processes import Runner
from attention_ref.lessons.running.run import Settings, run_pages
from attention_ref.lessons.sources import find_sources, read_source, write_source
from attention_ref.lessons.updating import difference, updated_text
from attention_ref.lessons.verification import PageResult


def verify(options: argparse.Namespace) -> int:
    """Run every block, and say where it does something else than its page says."""
    results = _results(_pages(options.paths), options)
    problems = _listed_problems(results)
    blocks = [block for result in results for block in result.blocks]
    verified = sum(block.state == "verified" for block in blocks)
    checks = [check for result in results for check in result.checks]
    right = sum(check.state == "verified" for check in checks)
    print(
        f"{len(results)} pages, {verified} of {len(blocks)} blocks verified, "
        f"{right} of {len(checks)} inline checks verified, {problems} problems"
    )
    return 1 if problems else 0


def update(options: argparse.Namespace) -> int:
    """Write what the blocks print into the pages, and show what changed."""
    failed = 0
    for result in _results(_pages(options.paths), options):
        page = result.page
        text, left = updated_text(result)
        for problem in left:
            print(problem, end="\n\n")
        failed += len(left)
        if text != page.text:
            print(difference(page, text))
            assert page.file
            write_source(page.file, page, text)
    return 1 if failed else 0


def coverage(options: argparse.Namespace) -> int:
    """List the numbers in the text of the pages that nothing vouches for."""
    coverages = [cover(page) for page in _pages(options.paths)]
    print(as_text(coverages))
    return 1 if percentage(coverages) < options.fail_under else 0


def mutate(options: argparse.Namespace) -> int:
    """Change one character at a time, and list what no check notices."""
    results = _results(_pages(options.paths), options)
    if _listed_problems(results):
        return 1
    survivors = read_survivors(options.survivors) if options.survivors else []
    most = None if options.all else options.sample
    settings = Settings(timeout=options.timeout)
    unknown = 0
    with Runner() as runner, Progress() as progress:
        for result in results:
            trial = try_changes(result, most, options.seed, settings, runner, progress)
            print(trial.as_text(survivors), flush=True)
            unknown += len(trial.unknown(survivors))
    return 1 if unknown else 0


def weave(options: argparse.Namespace) -> int:
    """Write verified pages as plain Markdown, with their figures beside them."""
    # A workbook is copied: where it is rendered, it is rendered as a notebook.
    pages = [page for page in _pages([options.docs]) if page.path.endswith(".md")]
    results = _results(pages, options)
    if _listed_problems(results):
        return 1
    weave_folder(options.docs, results, options.out)
    print(f"{len(results)} pages woven into {options.out}")
    return 0


def _pages(paths: Sequence[Path]) -> list[Page]:
    """The pages that are meant: files as they are, folders with all that is in them."""
    found: list[Path] = []
    for path in paths:
        if not path.exists():
            message = f"{path} must be a page or a folder, and there is nothing"
            raise FileNotFoundError(message)
        found += find_sources(path) if path.is_dir() else [path]
    pages = [read_source(path) for path in found]
    for page in pages:
        check_what_readers_see(page)
        find_questions(page)
    return pages


def _results(pages: Sequence[Page], options: argparse.Namespace) -> list[PageResult]:
    cache = None if options.no_cache else Cache(Path(".cache", "lessons"))
    settings = Settings(timeout=options.timeout, cache=cache)
    with Progress() as progress:
        return run_pages(pages, settings, progress=progress)


def _listed_problems(results: Sequence[PageResult]) -> int:
    """Print every problem, and say how many there are."""
    problems = [problem for result in results for problem in result.problems]
    for problem in problems:
        print(problem, end="\n\n")
    return len(problems)
