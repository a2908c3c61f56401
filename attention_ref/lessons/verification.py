"""Is a page true? The state of each of its blocks and inline checks."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from attention_ref.lessons.comparing import Problem, compare_block, compare_check
from attention_ref.lessons.pages.page import Block, Check, Page
from attention_ref.lessons.running.jobs import Outcome
from attention_ref.lessons.running.recordings import (
    Recording,
    code_digest,
    read_recordings,
)

State = Literal["verified", "failed", "recorded", "not run", "skipped"]


@dataclass(slots=True)
class BlockResult:
    """A block, what it did, and whether the page says so."""

    block: Block
    state: State
    outcome: Outcome | None = None
    problems: list[Problem] = field(default_factory=list)
    recording: Recording | None = None


@dataclass(slots=True)
class CheckResult:
    """An inline check, the value of its expression, and whether the page says so."""

    check: Check
    state: State
    value: Any = None
    problems: list[Problem] = field(default_factory=list)


@dataclass(slots=True)
class PageResult:
    """A page with the results of all its blocks and inline checks."""

    page: Page
    blocks: list[BlockResult]
    checks: list[CheckResult]
    stale: list[Problem] = field(default_factory=list)

    @property
    def problems(self) -> list[Problem]:
        """Everything that is wrong with the page, in the order of its lines."""
        found = [*self.stale, *(p for block in self.blocks for p in block.problems)]
        found += [p for check in self.checks for p in check.problems]
        return sorted(found, key=lambda problem: problem.line)


def verify_page(
    page: Page, outcomes: dict[int, Outcome], endings: dict[int, str]
) -> PageResult:
    """Compare a page with what its blocks did.

    Args:
        page: The page.
        outcomes: What each block did, by the block's number.
        endings: Why a block has no outcome, for those that ended their process.

    Returns:
        A result for every block and every inline check of the page.
    """
    recordings = read_recordings(page)
    blocks = [
        _block_result(page, block, outcomes, endings)
        if block.options.runs_in_build
        else _recorded_result(page, block, recordings)
        for block in page.blocks
    ]
    checks = [_check_result(page, check, blocks[check.block]) for check in page.checks]
    return PageResult(page, blocks, checks, list(_stale(page, recordings)))


def _block_result(
    page: Page, block: Block, outcomes: dict[int, Outcome], endings: dict[int, str]
) -> BlockResult:
    outcome = outcomes.get(block.index)
    if outcome is None:
        message = _why_not_run(page, block, outcomes, endings)
        return BlockResult(
            block, "failed", None, [Problem(page.path, block.line, message)]
        )
    problems = list(compare_block(page, block, outcome))
    return BlockResult(block, "failed" if problems else "verified", outcome, problems)


def _recorded_result(
    page: Page, block: Block, recordings: dict[str, Recording]
) -> BlockResult:
    if block.options.skip is not None:
        return BlockResult(block, "skipped")
    recording = recordings.get(code_digest(page, block))
    if recording is None:
        return BlockResult(block, "not run")
    outcome = recording.outcome(page, block)
    result = BlockResult(block, "recorded", outcome, recording=recording)
    if changed := recording.changed_modules():
        message = (
            f"recorded with another version of {', '.join(changed)}. "
            f"{_record_again(block)}"
        )
        result.state = "failed"
        result.problems = [Problem(page.path, block.line, message)]
    return result


def _record_again(block: Block) -> str:
    device = "-m gpu " if block.options.gpu else ""
    return f"Record again: pytest docs {device}--record"


def _stale(page: Page, recordings: dict[str, Recording]) -> Iterator[Problem]:
    """Recordings of code that is no longer on the page."""
    recorded = [b for b in page.blocks if not b.options.runs_in_build]
    current = {code_digest(page, block) for block in recorded}
    for digest, recording in recordings.items():
        if digest not in current:
            line = recorded[0].line if recorded else 1
            date = recording.where.get("date", "an unknown day")
            message = (
                f"the recording of {date} is of code that is no longer here. "
                "Record again: pytest docs --record"
            )
            yield Problem(page.path, line, message)


def _check_result(page: Page, check: Check, above: BlockResult) -> CheckResult:
    if above.state in ("skipped", "not run"):
        return CheckResult(check, "not run")
    if above.outcome is None or check.index not in above.outcome.answers:
        failed = "failed" if above.recording is None else "was recorded without it"
        message = f"not checked, because the block in line {above.block.line} {failed}"
        return CheckResult(
            check, "failed", None, [Problem(page.path, check.line, message)]
        )
    answer = above.outcome.answers[check.index]
    problem = compare_check(page, check, answer)
    right: State = "recorded" if above.recording else "verified"
    state: State = "failed" if problem else right
    return CheckResult(check, state, answer, [problem] if problem else [])


def _why_not_run(
    page: Page, block: Block, outcomes: dict[int, Outcome], endings: dict[int, str]
) -> str:
    for link in page.chain(block)[:-1]:
        outcome = outcomes.get(link.index)
        if outcome is None or outcome.failure:
            return f"not run, because the block in line {link.line} failed"
    return f"the block {endings.get(block.index, 'did not run')}"
