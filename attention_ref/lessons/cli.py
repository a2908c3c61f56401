"""`attention-ref`: verify pages, update them, count what they check, weave them."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from attention_ref.lessons.errors import PageError
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
from attention_ref.lessons.running.run import DEFAULT_TIMEOUT, Settings, run_pages
from attention_ref.lessons.sources import find_sources, read_source, write_source
from attention_ref.lessons.updating import difference, updated_text
from attention_ref.lessons.verification import PageResult


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: The words after `attention-ref`; those of the process by default.

    Returns:
        0 if every page is true, 1 if one is not, 2 if the call is wrong.
    """
    options = _parser().parse_args(arguments)
    try:
        status: int = options.command(options)
    except PageError as error:
        print(error, file=sys.stderr)
        return 1
    except (FileNotFoundError, FileExistsError) as error:
        print(f"attention-ref: {error}", file=sys.stderr)
        return 2
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="attention-ref", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    verify = _command(
        commands,
        "verify",
        _verify,
        "run every block and compare what it does with what the page says",
    )
    _add_paths(verify)
    update = _command(
        commands,
        "update",
        _update,
        "write what the blocks print into the pages, and show what changed",
    )
    _add_paths(update)
    coverage = _command(
        commands,
        "coverage",
        _coverage,
        "list the numbers in the text of pages that nothing vouches for",
        runs=False,
    )
    _add_paths(coverage)
    coverage.add_argument(
        "--fail-under",
        type=float,
        default=0.0,
        metavar="PERCENT",
        help="exit with 1 if fewer of a hundred numbers are vouched for",
    )
    mutate = _command(
        commands,
        "mutate",
        _mutate,
        "change one character of pages at a time, and list what nobody notices",
    )
    _add_paths(mutate)
    _add_sample(mutate)
    weave = _command(
        commands,
        "weave",
        _weave,
        "write verified pages as plain Markdown that any site generator renders",
    )
    weave.add_argument(
        "docs", type=Path, metavar="DOCS", help="the folder of the pages"
    )
    weave.add_argument("out", type=Path, metavar="OUT", help="a folder to be made")
    return parser


def _command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    function: object,
    text: str,
    *,
    runs: bool = True,
) -> argparse.ArgumentParser:
    """A subcommand, with the options of all that run blocks if it does."""
    parser = commands.add_parser(name, help=text, description=text)
    parser.set_defaults(command=function)
    if not runs:
        return parser
    parser.add_argument(
        "--timeout",
        type=float,
        default=DEFAULT_TIMEOUT,
        metavar="SECONDS",
        help="stop a chain of blocks after that long (default: %(default)g)",
    )
    parser.add_argument(
        "--no-cache",
        action="store_true",
        help="run every block, also those that ran before and have not changed",
    )
    return parser


def _add_paths(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        nargs="+",
        type=Path,
        metavar="PATH",
        help="a page, or a folder of them",
    )


def _add_sample(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--sample",
        type=int,
        default=40,
        metavar="N",
        help="changes to try on each page, of outputs and of code (default: 40)",
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="S", help="which ones (default: 0)"
    )
    parser.add_argument("--all", action="store_true", help="try every change")
    parser.add_argument(
        "--survivors",
        type=Path,
        metavar="FILE",
        help="a TOML file of changes that leave a page true, each with its reason",
    )


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


def _verify(options: argparse.Namespace) -> int:
    results = _results(_pages(options.paths), options)
    problems = [problem for result in results for problem in result.problems]
    for problem in problems:
        print(problem, end="\n\n")
    blocks = [block for result in results for block in result.blocks]
    verified = sum(block.state == "verified" for block in blocks)
    checks = [check for result in results for check in result.checks]
    right = sum(check.state == "verified" for check in checks)
    print(
        f"{len(results)} pages, {verified} of {len(blocks)} blocks verified, "
        f"{right} of {len(checks)} inline checks verified, {len(problems)} problems"
    )
    return 1 if problems else 0


def _update(options: argparse.Namespace) -> int:
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


def _coverage(options: argparse.Namespace) -> int:
    coverages = [cover(page) for page in _pages(options.paths)]
    print(as_text(coverages))
    return 1 if percentage(coverages) < options.fail_under else 0


def _mutate(options: argparse.Namespace) -> int:
    results = _results(_pages(options.paths), options)
    problems = [problem for result in results for problem in result.problems]
    for problem in problems:
        print(problem, end="\n\n")
    if problems:
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


def _weave(options: argparse.Namespace) -> int:
    # A workbook is copied: where it is rendered, it is rendered as a notebook.
    pages = [page for page in _pages([options.docs]) if page.path.endswith(".md")]
    results = _results(pages, options)
    problems = [problem for result in results for problem in result.problems]
    for problem in problems:
        print(problem, end="\n\n")
    if problems:
        return 1
    weave_folder(options.docs, results, options.out)
    print(f"{len(results)} pages woven into {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
