"""`attention-ref`: verify pages, or write real outputs into them."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from attention_ref.lessons.cache import Cache
from attention_ref.lessons.errors import PageError
from attention_ref.lessons.page import Page, read_page
from attention_ref.lessons.running import Settings, run_pages
from attention_ref.lessons.updating import difference, updated_text, write_page


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: The words after `attention-ref`; those of the process by default.

    Returns:
        0 if every page is true, 1 if one is not, 2 if the call is wrong.
    """
    options = _parser().parse_args(arguments)
    try:
        pages = [(path, read_page(path)) for path in _pages(options.paths)]
    except (PageError, FileNotFoundError) as error:
        print(error, file=sys.stderr)
        return 1 if isinstance(error, PageError) else 2
    cache = None if options.no_cache else Cache(Path(".cache", "lessons"))
    settings = Settings(timeout=options.timeout, cache=cache)
    command = _update if options.command == "update" else _verify
    return command(pages, settings)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="attention-ref", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    texts = {
        "verify": "run every block and compare what it prints with what the page says",
        "update": "write what the blocks print into the pages, and show what changed",
    }
    for name, text in texts.items():
        command = commands.add_parser(name, help=text, description=text)
        command.add_argument("paths", nargs="+", type=Path, metavar="PATH")
        command.add_argument(
            "--timeout",
            type=float,
            default=Settings().timeout,
            metavar="SECONDS",
            help="stop a chain of blocks after that long (default: %(default)g)",
        )
        command.add_argument(
            "--no-cache",
            action="store_true",
            help="run every block, also those that ran before and have not changed",
        )
    return parser


def _pages(paths: Sequence[Path]) -> list[Path]:
    """The Markdown files that are meant: files as they are, folders with all pages."""
    found: list[Path] = []
    for path in paths:
        if not path.exists():
            message = (
                f"attention-ref: {path} must be a page or a folder, got nothing there"
            )
            raise FileNotFoundError(message)
        found += sorted(path.rglob("*.md")) if path.is_dir() else [path]
    return found


def _verify(pages: list[tuple[Path, Page]], settings: Settings) -> int:
    results = run_pages([page for _, page in pages], settings)
    problems = [problem for result in results for problem in result.problems]
    for problem in problems:
        print(problem, end="\n\n")
    blocks = [block for result in results for block in result.blocks]
    verified = sum(block.state == "verified" for block in blocks)
    checks = [check for result in results for check in result.checks]
    right = sum(check.state == "verified" for check in checks)
    print(
        f"{len(pages)} pages, {verified} of {len(blocks)} blocks verified, "
        f"{right} of {len(checks)} inline checks verified, {len(problems)} problems"
    )
    return 1 if problems else 0


def _update(pages: list[tuple[Path, Page]], settings: Settings) -> int:
    failed = 0
    results = run_pages([page for _, page in pages], settings)
    for (path, page), result in zip(pages, results, strict=True):
        text, left = updated_text(result)
        for problem in left:
            print(problem, end="\n\n")
        failed += len(left)
        if text != page.text:
            print(difference(page, text))
            write_page(path, page, text)
    return 1 if failed else 0
