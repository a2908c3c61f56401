"""Compare what blocks did with what the page says they do, and word the difference."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from attention_ref.lessons.pages.inline import TokenError, plain, rendered
from attention_ref.lessons.pages.page import Block, Check, Output, Page
from attention_ref.lessons.pages.tolerance import agree
from attention_ref.lessons.running.jobs import Failure, Outcome


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a page is not true: page, line, what was expected and what came."""

    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


def compare_block(page: Page, block: Block, outcome: Outcome) -> Iterator[Problem]:
    """Compare one block with its outcome.

    Args:
        page: The page.
        block: The block.
        outcome: What it did.

    Yields:
        What the page says otherwise: exception, warnings, figures, printed text.
    """
    raised = outcome.failure
    if raised and raised.kind != block.options.raises:
        yield _unexpected_exception(page, block, raised, outcome)
        return
    if block.options.raises and not raised:
        message = f"must raise {block.options.raises}, and raised nothing"
        yield Problem(page.path, block.line, message)
    yield from _compare_warnings(page, block, outcome)
    yield from _compare_figures(page, block, outcome)
    if not block.options.runs_in_build:
        return  # its recording is its output
    if problem := _compare_output(page, block, outcome):
        yield problem


def compare_check(page: Page, check: Check, answer: Any) -> Problem | None:
    """Compare an inline check with the value of its expression.

    Args:
        page: The page.
        check: The check.
        answer: The value as plain data, or the failure of the expression.

    Returns:
        What the page says otherwise, or nothing.
    """
    where = f"the check of {check.token} (= {check.expression})"
    if isinstance(answer, Failure):
        return Problem(page.path, check.line, f"{where} failed: {answer}")
    try:
        right = rendered(check.token, answer)
    except TokenError as error:
        return Problem(page.path, check.line, f"{where} cannot be compared: {error}")
    if right == plain(check.token):
        return None
    message = (
        f"the page says {plain(check.token)}, and {check.expression} = {answer!r}, "
        f"which is {right} at the digits shown. "
        f"If that is right, write it, or run: attention-ref update {page.path}"
    )
    return Problem(page.path, check.line, message)


def printed_text(outcome: Outcome) -> str:
    """What an output fence must hold: the printed text, then an expected exception."""
    text = outcome.printed
    if outcome.failure:
        separator = "\n" if text and not text.endswith("\n") else ""
        text = f"{text}{separator}{outcome.failure}\n"
    return _trimmed(text)


def same_text(expected: Output, actual: str) -> bool:
    """Whether a printed text is the expected one, within `approx` where it is given."""
    wanted = _trimmed(expected.text)
    if wanted == actual or expected.approx is None:
        return wanted == actual
    return agree(wanted, actual, expected.approx)


def _unexpected_exception(
    page: Page, block: Block, raised: Failure, outcome: Outcome
) -> Problem:
    wanted = f", and must raise {block.options.raises}" if block.options.raises else ""
    details = [raised.traceback.rstrip()]
    if outcome.printed.strip():
        details += ["printed before:", outcome.printed.rstrip()]
    if outcome.complained.strip():
        details += ["written to standard error:", outcome.complained.rstrip()]
    line = block.line + raised.line
    return Problem(page.path, line, "\n".join([f"{raised}{wanted}", *details]))


def _compare_warnings(page: Page, block: Block, outcome: Outcome) -> Iterator[Problem]:
    expected = block.options.warns
    if expected and all(warning.kind != expected for warning in outcome.warned):
        yield Problem(page.path, block.line, f"must warn {expected}, and did not")
    for warning in outcome.warned:
        if warning.kind != expected:
            advice = f'Mend it, or expect it with warns="{warning.kind}"'
            line = block.line + warning.line
            yield Problem(page.path, line, f"warns {warning}. {advice}")


def _compare_figures(page: Page, block: Block, outcome: Outcome) -> Iterator[Problem]:
    wanted, drawn = block.options.figure is not None, len(outcome.figures)
    if wanted and drawn != 1:
        message = f"a block with figure=… must draw one figure, got {drawn}"
        yield Problem(page.path, block.line, message)
    elif drawn and not wanted:
        message = (
            "the block draws a figure without a text alternative. "
            'Give it figure="what the figure shows"'
        )
        yield Problem(page.path, block.line, message)


def _compare_output(page: Page, block: Block, outcome: Outcome) -> Problem | None:
    actual = printed_text(outcome)
    expected = block.expected
    update = f"If the new output is right, run: attention-ref update {page.path}"
    if expected is None:
        if not actual:
            return None
        message = f"the block prints, and has no output fence. {update}"
        return Problem(page.path, block.line, f"{message}\n{_diff('', actual)}")
    if not actual:
        message = "the block prints nothing, so its output fence must go"
        return Problem(page.path, expected.line, message)
    if same_text(expected, actual):
        return None
    message = f"output differs from what the page says. {update}"
    difference = _diff(_trimmed(expected.text), actual)
    return Problem(page.path, expected.line, f"{message}\n{difference}")


def _diff(expected: str, actual: str) -> str:
    import difflib  # most pages are true

    lines = difflib.unified_diff(
        expected.splitlines(),
        actual.splitlines(),
        "expected",
        "actual",
        lineterm="",
        n=2,
    )
    return "\n".join(lines)


def _trimmed(text: str) -> str:
    """Without trailing blanks and trailing empty lines."""
    return "\n".join(line.rstrip() for line in text.split("\n")).rstrip("\n")
