"""A lesson as a Jupyter notebook, with what its blocks printed and drew.

On the page every block without `.continues` stands alone; in a notebook all cells share
one kernel. Where that would show, a cell is put in front. It sets back what a block has
set for a whole library, or runs again, in silence, what the next cell continues.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from attention_ref.lessons.comparing import printed_text
from attention_ref.lessons.notebooks.jupyter import as_notebook, installing_cell
from attention_ref.lessons.notebooks.notebook_text import NotebookText, Resolve
from attention_ref.lessons.pages.page import Block
from attention_ref.lessons.publishing.scripts import SETTINGS
from attention_ref.lessons.publishing.weaving import describe
from attention_ref.lessons.running.dependencies import imported_packages
from attention_ref.lessons.verification import BlockResult, PageResult

_OWN = "attention_ref"


def lesson_notebook(
    result: PageResult, wheel: str, style: str, resolve: Resolve
) -> NotebookNode:
    """Write a lesson as a notebook.

    Args:
        result: The lesson, and what its blocks did.
        wheel: The address of the package's wheel; empty where nobody knows it.
        style: The style sheet of the site's figures.
        resolve: Gives the address that a link of the page leads to, or nothing.

    Returns:
        The notebook. Blocks that a build does not run are text in it.
    """
    return as_notebook(_Writer(result, style, resolve).cells(wheel))


def figure_style(sheet: str) -> str:
    """Return the part of the site's style sheet that colours figures, in light."""
    rules = re.findall(r"^(?::root|\.figure-[\w-]+) \{.*?^\}", sheet, re.S | re.M)
    return "\n".join(["svg { background: #ffffff; }", *rules])


def read_figure_style(docs: Path) -> str:
    """Read the part of a site's style sheet that colours figures."""
    return figure_style(Path(docs, "assets", "figures.css").read_text("utf-8"))


class _Writer:
    """Writes cell after cell, and knows what the kernel will hold."""

    def __init__(self, result: PageResult, style: str, resolve: Resolve) -> None:
        self._result = result
        self._page = result.page
        self._style = style
        lines = result.page.text.split("\n")
        self._text = NotebookText(lines, resolve)
        self._above: int | None = None
        self._left_behind: list[str] = []

    def cells(self, wheel: str) -> Iterator[NotebookNode]:
        """All cells of the lesson."""
        page = self._page
        if any(_OWN in imported_packages(block.source) for block in page.blocks):
            yield installing_cell(wheel)
        position = page.body_line
        for result in self._result.blocks:
            block = result.block
            yield from self._prose(position, block.line - 1)
            yield from self._code(result)
            position = page.text.count("\n", 0, block.end) + 1
        yield from self._prose(position, page.text.count("\n") + 1)

    def _prose(self, start: int, end: int) -> Iterator[NotebookNode]:
        if text := self._text.convert(start, end):
            yield new_markdown_cell(text)

    def _code(self, result: BlockResult) -> Iterator[NotebookNode]:
        block = result.block
        if not block.options.runs_in_build:
            yield new_markdown_cell(_not_run(result))
            return
        yield from self._prepared(block)
        metadata = {"tags": ["raises-exception"]} if block.options.raises else {}
        cell = new_code_cell(_quiet(block.source), metadata=metadata)
        cell.outputs = list(self._outputs(result))
        yield cell
        self._above = block.index
        self._left_behind += [s for s in SETTINGS if s in block.source]

    def _prepared(self, block: Block) -> Iterator[NotebookNode]:
        """What must run before a block that does not continue the one above."""
        if block.parent is None or block.parent != self._above:
            settings = dict.fromkeys(self._left_behind)
            if settings:
                code = "\n".join(dedent(SETTINGS[name]).strip() for name in settings)
                comment = "# The next cell stands on its own: back to how it was."
                yield new_code_cell(f"{comment}\n{code}")
            self._left_behind = []
        if block.parent is not None and block.parent != self._above:
            chain = self._page.chain(block)[:-1]
            code = "\n\n".join(link.source.strip("\n") for link in chain)
            comment = "# What the next cell continues, once more."
            yield new_code_cell(f"%%capture\n{comment}\n{code}")

    def _outputs(self, result: BlockResult) -> Iterator[NotebookNode]:
        outcome = result.outcome
        if outcome is None:
            return
        if outcome.printed:
            yield new_output("stream", name="stdout", text=outcome.printed)
        for figure in filter(None, outcome.figures):
            yield new_output("display_data", data=self._figure(result.block, figure))
        if failure := outcome.failure:
            yield new_output(
                "error",
                ename=failure.kind,
                evalue=failure.message,
                traceback=[str(failure)],
            )

    def _figure(self, block: Block, html: str) -> dict[str, str]:
        """The drawing as an image that needs no style sheet around it."""
        start, end = html.index("<svg"), html.index("</svg>") + len("</svg>")
        opening, _, rest = html[start:end].partition(">")
        if "xmlns=" not in opening:
            opening += ' xmlns="http://www.w3.org/2000/svg"'
        drawing = f"{opening}><style>{self._style}</style>{rest}"
        return {"image/svg+xml": drawing, "text/plain": str(block.options.figure)}


def _not_run(result: BlockResult) -> str:
    parts = [f"*{describe(result)}*", f"```python\n{result.block.source.strip()}\n```"]
    if result.outcome and (text := printed_text(result.outcome)):
        parts.append(f"```text\n{text}\n```")
    return "\n\n".join(parts)


def _quiet(source: str) -> str:
    """The code, so that Jupyter does not show the value of its last expression."""
    code = source.strip("\n")
    last = ast.parse(code).body[-1]
    if not isinstance(last, ast.Expr) or ast.unparse(last).startswith("print("):
        return code
    lines = code.split("\n")
    return code if len(lines) > (last.end_lineno or 0) else f"{code};"
