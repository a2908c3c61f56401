"""Write real outputs and inline numbers into a page, and touch nothing else."""

import difflib
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from attention_ref.lessons.comparing import Problem, printed_text, same_text
from attention_ref.lessons.errors import PageError
from attention_ref.lessons.pages.inline import TokenError, plain, rendered
from attention_ref.lessons.pages.page import Page
from attention_ref.lessons.running.jobs import Failure
from attention_ref.lessons.verification import PageResult


def updated_text(result: PageResult) -> tuple[str, list[Problem]]:
    """Write what the blocks gave into the page's text.

    Args:
        result: The page and its results.

    Returns:
        The new text, and what cannot be put right by writing: blocks that fail.
    """
    edits = [*_output_edits(result), *_check_edits(result)]
    written = {(edit[3].path, edit[3].line, edit[3].message) for edit in edits}
    text = result.page.text
    for start, end, replacement, _ in sorted(edits, key=lambda e: e[0], reverse=True):
        text = text[:start] + replacement + text[end:]
    left = [p for p in result.problems if (p.path, p.line, p.message) not in written]
    return text, left


def difference(page: Page, text: str) -> str:
    """What an update changes, as a unified diff."""
    lines = difflib.unified_diff(
        page.text.splitlines(),
        text.splitlines(),
        page.path,
        page.path,
        lineterm="",
        n=1,
    )
    return "\n".join(lines)


def write_page(path: Path, page: Page, text: str) -> None:
    """Replace a page's file whole, or leave it as it was.

    Args:
        path: The file.
        page: The page that was read from it; its line ends are kept.
        text: The new text.

    Raises:
        PageError: If the file has changed since it was read.
    """
    raw = path.read_bytes()
    mark = "\ufeff" if raw.startswith(b"\xef\xbb\xbf") else ""
    if raw.decode("utf-8-sig").replace("\r\n", "\n") != page.text:
        message = "the page has changed while its blocks ran. Run the update again"
        raise PageError(page.path, 1, message)
    data = (mark + text.replace("\n", page.newline)).encode()
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(temporary).chmod(path.stat().st_mode)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


_Edit = tuple[int, int, str, Problem]


def _output_edits(result: PageResult) -> Iterator[_Edit]:
    for each in result.blocks:
        if each.outcome is None or len(each.problems) != 1:
            continue
        block, failure = each.block, each.outcome.failure
        if failure and failure.kind != block.options.raises:
            continue
        actual = printed_text(each.outcome)
        expected = block.expected
        if expected and actual and same_text(expected, actual):
            continue
        if expected is None and actual:
            fence = _fenced(actual, block.fence.prefix, "```", "")
            yield block.end, block.end, f"\n\n{fence}", each.problems[0]
        elif expected and actual:
            old = expected.fence
            fence = _fenced(actual, old.prefix, old.marker, old.options)
            yield old.start, old.end, fence, each.problems[0]
        elif expected:
            yield block.fence.end, expected.fence.end, "", each.problems[0]


def _fenced(text: str, prefix: str, marker: str, options: str) -> str:
    """An output fence, its marker longer than any run of it within the text."""
    runs = re.findall(f"{marker[0]}+", text)
    marker = max([marker, *(run + marker[0] for run in runs)], key=len)
    braces = f" {{{options}}}" if options else ""
    body = "".join(f"{prefix}{line}".rstrip() + "\n" for line in text.split("\n"))
    return f"{prefix}{marker}output{braces}\n{body}{prefix}{marker}"


def _check_edits(result: PageResult) -> Iterator[_Edit]:
    for each in result.checks:
        answer_failed = isinstance(each.value, Failure)
        if each.state != "failed" or answer_failed or len(each.problems) != 1:
            continue
        if each.check.index not in _answers(result, each.check.block):
            continue
        try:
            right = rendered(each.check.token, each.value)
        except TokenError:
            continue
        token, shown = each.check.token, plain(each.check.token)
        end = each.check.start + len(token)
        yield each.check.start, end, token.replace(shown, right), each.problems[0]


def _answers(result: PageResult, block: int) -> dict[int, object]:
    outcome = result.blocks[block].outcome
    return outcome.answers if outcome else {}
