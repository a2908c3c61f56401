"""A lesson as one Python script that prints what its page shows.

The blocks stand as they are and in the page's order, each as a cell (`# %%`) that
editors can run alone. A block that does not continue the one before begins with an
empty namespace, as on the page.
"""

import ast
import builtins
import re
import sys
from collections.abc import Iterator

from attention_ref.lessons.pages.fences import find_fences
from attention_ref.lessons.pages.page import Block, Page
from attention_ref.lessons.running.dependencies import imported_packages

_NO_SCREEN = """
import matplotlib

matplotlib.use("Agg")  # figures become files, and need no screen
"""
_START_AFRESH = '''
def _start_afresh():
    """Forget all names and settings: the next block of the page stands on its own."""
    for name in [name for name in globals() if not name.startswith("_")]:
        del globals()[name]
'''
# What blocks may set for a whole library, and how it was before they did.
SETTINGS = {
    "torch.set_default_dtype(": "    import torch\n\n"
    "    torch.set_default_dtype(torch.float32)\n",
    "torch.set_printoptions(": "    import torch\n\n"
    '    torch.set_printoptions(profile="default")\n',
    "np.set_printoptions(": "    import numpy\n\n"
    "    numpy.set_printoptions(precision=8, threshold=1000, edgeitems=3)\n"
    '    numpy.set_printoptions(suppress=False, floatmode="maxprec", sign="-")\n'
    "    numpy.set_printoptions(linewidth=75, formatter=None)\n",
}
_SAY = '''
def _say(error):
    """Print an error that the page expects."""
    print(": ".join(filter(None, [type(error).__name__, str(error)])))
'''
_KEEP_FIGURE = '''
def _keep_figure(name):
    """Save the figure that a block has drawn."""
    from matplotlib import pyplot

    pyplot.gcf().savefig(name, bbox_inches="tight")
    pyplot.close("all")
'''
_MUTE = '''
def _mute(is_muted):
    """Do not print again what was printed before."""
    import io
    import sys

    sys.stdout = io.StringIO() if is_muted else sys.__stdout__
'''


def lesson_script(page: Page) -> str:
    """Write a lesson as one script.

    Args:
        page: The lesson.

    Returns:
        Python code that needs what the blocks import, and no screen. Blocks that a
        build does not run stand in it as comments.
    """
    cells = "".join(_cells(page))
    return _preface(page, cells) + cells


def title(page: Page) -> str:
    """The first heading of a page, or its path if it has none."""
    return next((text for _, text in _headings(page)), page.path)


def _preface(page: Page, cells: str) -> str:
    imported: set[str] = set()
    for block in page.blocks:
        imported |= imported_packages(block.source)
    needed = ", ".join(sorted(imported - sys.stdlib_module_names))
    preface = (
        f'"""{title(page)}: the code of the lesson, in its order.\n\n'
        "Run as a whole, it prints what the page shows.\n"
        f'It needs {needed or "nothing but Python"}.\n"""\n'
    )
    if "_keep_figure(" in cells:
        preface += _NO_SCREEN
    code = "".join(block.source for block in page.blocks)
    resets = "".join(text for setter, text in SETTINGS.items() if setter in code)
    helpers = {
        "_start_afresh(": _START_AFRESH + resets,
        "_say(": _SAY,
        "_keep_figure(": _KEEP_FIGURE,
        "_mute(": _MUTE,
    }
    used = [text for call, text in helpers.items() if call in cells]
    return "\n".join([preface, *used])


def _cells(page: Page) -> Iterator[str]:
    headings = list(_headings(page))
    above: int | None = None
    drawn = 0
    for block in page.blocks:
        titles = [text for start, text in headings if start < block.fence.start]
        yield f"\n\n# %% {titles[-1] if titles else ''}".rstrip() + "\n\n"
        if not block.options.runs_in_build:
            yield _commented(block)
            continue
        if above is not None and block.parent != above:
            yield "_start_afresh()\n"
        if block.parent is not None and block.parent != above:
            yield from _prepared(page, block)
        yield _code(block)
        if block.options.figure is not None:
            drawn += 1
            yield f'_keep_figure("figure-{drawn}.png")\n'
        above = block.index


def _prepared(page: Page, block: Block) -> Iterator[str]:
    """What a block continues, when another block has run in between."""
    yield "_mute(True)\n"
    for link in page.chain(block)[:-1]:
        yield _code(link)
    yield "_mute(False)\n"


def _commented(block: Block) -> str:
    options = block.options
    why = options.recorded or options.skip or "it needs a CUDA device"
    lines = block.source.rstrip("\n").split("\n")
    return f"# Not run here: {why}.\n" + "".join(
        f"# {line}".rstrip() + "\n" for line in lines
    )


def _code(block: Block) -> str:
    source = block.source.strip("\n") + "\n"
    expected = block.options.raises
    if expected is None:
        return source
    # An error of a library has its name there, and perhaps not here.
    kind = expected if hasattr(builtins, expected) else "Exception"
    return f"try:\n{_indented(source)}except {kind} as _error:\n    _say(_error)\n"


def _indented(source: str) -> str:
    """The code, four blanks deeper; what stands within a text stays as it is."""
    within: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Constant, ast.JoinedStr)):
            within |= set(range(node.lineno + 1, (node.end_lineno or 0) + 1))
    return "".join(
        f"    {line}" if line.strip() and number not in within else line
        for number, line in enumerate(source.splitlines(keepends=True), start=1)
    )


def _headings(page: Page) -> Iterator[tuple[int, str]]:
    """Where each heading stands, and its text."""
    fences = list(find_fences(page.text, page.path))
    for match in re.finditer(r"^#+ (.+)", page.text, re.MULTILINE):
        if not any(fence.start <= match.start() < fence.end for fence in fences):
            yield match.start(), match[1]
