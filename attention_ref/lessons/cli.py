"""`attention-ref`: verify pages, update them, count what they check, weave them."""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from attention_ref.lessons import commands
from attention_ref.lessons.errors import PageError
from attention_ref.lessons.running.run import DEFAULT_TIMEOUT


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
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")

    verify = _command(
        subparsers,
        "verify",
        commands.verify,
        "run every block and compare what it does with what the page says",
    )
    _add_paths(verify)
    update = _command(
        subparsers,
        "update",
        commands.update,
        "write what the blocks print into the pages, and show what changed",
    )
    _add_paths(update)
    coverage = _command(
        subparsers,
        "coverage",
        commands.coverage,
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
        subparsers,
        "mutate",
        commands.mutate,
        "change one character of pages at a time, and list what nobody notices",
    )
    _add_paths(mutate)
    _add_sample(mutate)
    weave = _command(
        subparsers,
        "weave",
        commands.weave,
        "write verified pages as plain Markdown that any site generator renders",
    )
    weave.add_argument(
        "docs", type=Path, metavar="DOCS", help="the folder of the pages"
    )
    weave.add_argument("out", type=Path, metavar="OUT", help="a folder to be made")
    return parser


def _command(
    subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    function: Callable[[argparse.Namespace], int],
    text: str,
    *,
    runs: bool = True,
) -> argparse.ArgumentParser:
    """A subcommand, with the options of all that run blocks if it does."""
    parser = subparsers.add_parser(name, help=text, description=text)
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


if __name__ == "__main__":
    sys.exit(main())
