"""Page + results → the Markdown that a site generator renders.

Our own options leave the fences, expected outputs make room for what was really
printed, checked numbers lose their comments. What stands where an output stood is the
caller's choice: plain Markdown that every generator understands, or a site's panels.
"""

import re
from collections.abc import Callable
from html import escape

from attention_ref.lessons.comparing import printed_text
from attention_ref.lessons.verification import BlockResult, CheckResult, PageResult

Present = Callable[[BlockResult], str]


def weave(
    result: PageResult, present: Present, mark: Callable[[int], str] = lambda _: ""
) -> str:
    """Write the page as it is to be published, its front matter left out.

    Args:
        result: The page and its results.
        present: Gives the Markdown that stands below a block.
        mark: Gives what stands behind each of the `marked` tokens of the page.

    Returns:
        The Markdown text.
    """
    page = result.page
    edits: list[tuple[int, int, str]] = []
    for block in result.blocks:
        edits += _block_edits(block, present(block))
    checked = {each.check.start: _shown_check(each) for each in result.checks}
    for number, each in enumerate(page.marked):
        token = checked.get(each.start, each.token)
        edits.append((each.start, each.end, token + mark(number)))
    text = page.text
    for start, end, replacement in sorted(edits, reverse=True):
        text = text[:start] + replacement + text[end:]
    return text[page.body_start :]


def describe(result: BlockResult) -> str:
    """The state of a block in words, such as `output, verified`."""
    options = result.block.options
    if result.state == "skipped":
        return f"not run: {options.skip}"
    if result.recording and result.state == "recorded":
        return f"output, {_recorded(result.recording.where)}"
    if result.state == "not run" and options.gpu:
        return "not run: no recording from a CUDA device yet"
    if result.state == "not run":
        return f"not run in a build, because {options.recorded}; no recording yet"
    if result.state == "failed":
        return "failed: the page does not say what this block does"
    if shown_text(result):
        return "output, verified"
    return "figure drawn by this block" if options.figure else "runs, prints nothing"


def _recorded(where: dict[str, str]) -> str:
    machine = where.get("device") or where.get("processor", "an unknown machine")
    names = {"driver": "driver", "torch": "torch", "numpy": "NumPy"}
    versions = [f"{names[key]} {where[key]}" for key in names if key in where]
    date = where.get("date", "an unknown day")
    return f"recorded on {date}: {', '.join([machine, *versions])}"


def shown_text(result: BlockResult) -> str:
    """What a reader sees as the block's output; for a failure, what is wrong."""
    if result.state == "failed":
        return "\n\n".join(str(problem) for problem in result.problems)
    return printed_text(result.outcome) if result.outcome else ""


def _block_edits(result: BlockResult, below: str) -> list[tuple[int, int, str]]:
    fence, block = result.block.fence, result.block
    theme = " ".join(f'{k}="{v}"' for k, v in block.options.theme.items())
    opening = f"{fence.prefix}{fence.marker}python{f' {{{theme}}}' if theme else ''}\n"
    indented = "\n".join(f"{fence.prefix}{ln}".rstrip() for ln in below.split("\n"))
    return [
        (fence.start, fence.source_start, opening),
        (fence.end, block.end, f"\n\n{indented}\n"),
    ]


def _shown_check(result: CheckResult) -> str:
    check = result.check
    if result.state == "not run":
        return check.token
    kind = "lesson-wrong" if result.state == "failed" else "lesson-checked"
    said = f"{check.expression} = {result.value!r}" if kind == "lesson-wrong" else ""
    title = _attribute(said or f"checked: {check.expression}")
    return f'<span class="{kind}" title="{title}">{check.token}</span>'


def _attribute(text: str) -> str:
    """Text for an attribute within Markdown: nothing in it may look like Markdown."""
    return re.sub(r"[`\\*_\[\]|$~^]", lambda m: f"&#{ord(m[0])};", escape(text))
