"""The record of a build: every block, every inline check, and what became of them."""

import platform
import subprocess
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from attention_ref.lessons.publishing.weaving import describe
from attention_ref.lessons.verification import BlockResult, CheckResult, PageResult

SCHEMA = 1
_COLUMNS = (
    *("page", "blocks", "run and true", "recorded", "not run"),
    *("numbers checked", "numbers exempt"),
)
_LIBRARIES = ("numpy", "torch", "matplotlib", "mkdocs", "mkdocs-material", "sybil")


def as_data(results: Sequence[PageResult]) -> dict[str, Any]:
    """The report as plain data, for `verification.json`.

    Args:
        results: All pages with their results.

    Returns:
        Schema number, commit, versions, totals, and every page with its blocks, checks
        and exemptions.
    """
    return {
        "schema": SCHEMA,
        "commit": _commit(),
        "versions": _versions(),
        "totals": totals(results),
        "pages": [_page(result) for result in results],
    }


def totals(results: Iterable[PageResult]) -> dict[str, int]:
    """How many blocks, outputs, figures and inline checks there are, by state."""
    counted: Counter[str] = Counter(pages=0, blocks=0, checks=0, exemptions=0)
    for result in results:
        counted["pages"] += bool(result.blocks or result.checks)
        counted["exemptions"] += len(result.page.exemptions)
        for block in result.blocks:
            counted["blocks"] += 1
            counted[f"blocks {block.state}"] += 1
            counted["outputs"] += block.block.expected is not None
            counted["figures"] += bool(block.outcome and block.outcome.figures)
        for check in result.checks:
            counted["checks"] += 1
            counted[f"checks {check.state}"] += 1
    return dict(counted)


def sentence(results: Iterable[PageResult]) -> str:
    """The totals in one sentence, for a page's foot and for the home page."""
    count = totals(results)
    parts = [f"{_number(count.get('blocks verified', 0), 'block')} run"]
    for key, noun, what in (
        ("outputs", "output", "compared"),
        ("checks verified", "number", "in the text checked"),
        ("figures", "figure", "drawn"),
        ("blocks recorded", "recording", "shown"),
        ("blocks not run", "block", "not run yet"),
    ):
        if number := count.get(key):
            parts.append(f"{_number(number, noun)} {what}")
    return ", ".join(parts)


def slowest(results: Iterable[PageResult], most: int = 5) -> list[str]:
    """The slowest blocks of this build, such as `docs/a.md:12: 3.4 s`."""
    timed = [
        (block.outcome.seconds, f"{result.page.path}:{block.block.line}")
        for result in results
        for block in result.blocks
        if block.outcome and block.recording is None
    ]
    return [
        f"{where}: {seconds:.1f} s" for seconds, where in sorted(timed)[::-1][:most]
    ]


def as_markdown(results: Sequence[PageResult], data: dict[str, Any]) -> str:
    """The report as a page of the site.

    Args:
        results: All pages with their results.
        data: The same `as_data`.

    Returns:
        The Markdown text.
    """
    listed = [result for result in results if result.blocks or result.checks]
    rows = [_row(result) for result in listed]
    apart = [line for result in listed for line in _exceptions(result)]
    versions = ", ".join(
        f"{name} {number}" for name, number in data["versions"].items()
    )
    commit = f" from commit `{data['commit'][:12]}`" if data["commit"] else ""
    return "\n".join(
        [
            "---",
            "title: Verification report",
            "description: What the build of this site ran and compared.",
            "---",
            "",
            "# Verification report",
            "",
            f"This site was built{commit} with {versions}.",
            f"{sentence(results)}.",
            "The same in a form for programs: [verification.json](verification.json).",
            "",
            f"| {' | '.join(_COLUMNS)} |",
            f"|---|{'--:|' * (len(_COLUMNS) - 1)}",
            *rows,
            "",
            "## Blocks that this build did not run",
            "",
            *(apart or ["None."]),
            "",
        ]
    )


def _row(result: PageResult) -> str:
    count = totals([result])
    cells = [
        count["blocks"],
        count.get("blocks verified", 0),
        count.get("blocks recorded", 0),
        count.get("blocks not run", 0) + count.get("blocks skipped", 0),
        count.get("checks verified", 0) + count.get("checks recorded", 0),
        count["exemptions"],
    ]
    return f"| `{result.page.path}` | {' | '.join(map(str, cells))} |"


def _exceptions(result: PageResult) -> list[str]:
    return [
        f"- `{result.page.path}`, line {block.block.line}: {describe(block)}."
        for block in result.blocks
        if block.state != "verified"
    ]


def _page(result: PageResult) -> dict[str, Any]:
    return {
        "page": result.page.path,
        "blocks": [_block(block) for block in result.blocks],
        "checks": [_check(check) for check in result.checks],
        "exemptions": [
            {"line": e.line, "token": e.token, "reason": e.reason}
            for e in result.page.exemptions
        ],
    }


def _block(result: BlockResult) -> dict[str, Any]:
    entry: dict[str, Any] = {"line": result.block.line, "state": result.state}
    if result.outcome:
        entry["seconds"] = round(result.outcome.seconds, 3)
    if result.state != "verified":
        entry["note"] = describe(result)
    if result.recording:
        entry["recorded"] = result.recording.where
    if result.problems:
        entry["problems"] = [str(problem) for problem in result.problems]
    return entry


def _check(result: CheckResult) -> dict[str, Any]:
    check = result.check
    return {
        "line": check.line,
        "token": check.token,
        "expression": check.expression,
        "state": result.state,
    }


def _versions() -> dict[str, str]:
    found = {"Python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _commit() -> str:
    try:
        asked = subprocess.run(
            ["git", "rev-parse", "HEAD"],  # noqa: S607 - wherever git is
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return asked.stdout.strip()


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
