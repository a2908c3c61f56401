"""What the copy button copies prints, in an empty file, what the page shows.

Nothing of the engine takes part: a file, a folder, `python -I`. A sample runs by
default; PROOFS=1 runs every block.
"""

import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from attention_ref.lessons.pages.page import Block, Page
from attention_ref.lessons.pages.parsing import read_page

DOCS = Path(__file__).parents[1] / "docs"
PAGES = [
    read_page(path, path.relative_to(DOCS).as_posix())
    for folder in ("lessons", "recipes")
    for path in sorted(DOCS.joinpath(folder).glob("*.md"))
]
IS_PROOF = bool(os.environ.get("PROOFS"))
SAMPLE = 12
ENVIRONMENT = {**os.environ, "MPLBACKEND": "agg"}  # figures need no screen


def name(page: Page, block: Block) -> str:
    """Page and line, to find a block again."""
    return f"{page.path}:{block.line}"


def is_light(page: Page, block: Block) -> bool:
    """Whether a block needs no large library and no more time than usual."""
    code = page.standalone_source(block)
    chain = page.chain(block)
    return not re.search(r"\b(torch|jax)\b", code) and not any(
        link.options.timeout for link in chain
    )


EVERY = [
    (page, block)
    for page in PAGES
    for block in page.blocks
    if block.options.runs_in_build
]


def chosen() -> list[tuple[Page, Block]]:
    """The blocks of a default run: a whole lesson, and some of everything else."""
    if IS_PROOF:
        return EVERY
    whole = [
        (page, block)
        for page, block in EVERY
        if page.path == "lessons/small-numbers.md" and is_light(page, block)
    ]
    others = [
        (page, block)
        for page, block in EVERY
        if page.path != "lessons/small-numbers.md"
        and not any(link.options.timeout for link in page.chain(block))
    ]
    return whole + random.Random(2017).sample(others, SAMPLE)


def shown(page: Page, block: Block) -> tuple[str, str]:
    """What the page shows: the text that a chain prints, and the error it ends with."""
    texts = [link.expected.text for link in page.chain(block) if link.expected]
    printed, error = "".join(texts), ""
    if kind := block.options.raises:
        start = printed.rindex(f"{kind}:" if f"{kind}:" in printed else kind)
        printed, error = printed[:start], printed[start:]
    return trimmed(printed), trimmed(error)


def trimmed(text: str) -> str:
    """The text without blanks at the ends of its lines."""
    return "\n".join(line.rstrip() for line in text.rstrip().split("\n"))


def pasted(source: str, folder: Path) -> tuple[int, str, str]:
    """Run code as a reader would: exit status, printed text, and the error's words."""
    file = folder / "pasted.py"
    file.write_text(source, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-I", "-X", "utf8", file.name],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    return done.returncode, trimmed(done.stdout), last_words(done.stderr)


def last_words(stderr: str) -> str:
    """The last message of a traceback, without the module of the exception."""
    found = re.findall(r"^(?:\w+\.)*(\w+(?:Error|Exception)\b.*)", stderr, re.M | re.S)
    return trimmed(found[-1]) if found else ""


@pytest.mark.parametrize(
    ("page", "block"),
    [pytest.param(page, block, id=name(page, block)) for page, block in chosen()],
)
def test_a_copied_block_prints_what_the_page_shows(page, block, tmp_path):
    printed, error = shown(page, block)
    status, stdout, words = pasted(page.standalone_source(block), tmp_path)

    assert stdout == printed, words
    assert (status, words if status else "") == ((1, error) if error else (0, ""))


def test_every_block_is_within_reach():
    pages = {page.path for page, _ in EVERY}
    assert {page.path for page in PAGES if page.blocks} == pages
    assert len(EVERY) > 200
    left_out = sum(len(page.blocks) for page in PAGES) - len(EVERY)
    assert left_out == 5  # recorded, or for a CUDA device


def test_a_sample_holds_plain_python_in_full_and_other_pages():
    pages = [page.path for page, _ in chosen()]
    assert pages.count("lessons/small-numbers.md") > 20
    assert len(set(pages)) > 5


@pytest.mark.parametrize(
    ("source", "result"),
    [
        ("print(1)\n", (0, "1", "")),
        ("print('█ →')\n", (0, "█ →", "")),
        ("print(1)\n1 / 0\n", (1, "1", "ZeroDivisionError: division by zero")),
        (
            "import attention_ref\nraise attention_ref.ShapeError('a: b')\n",
            (1, "", "ShapeError: a: b"),
        ),
        ("import pasted_helper\n", (1, "", "ModuleNotFoundError: No module named 'x'")),
    ],
)
def test_what_is_pasted_stands_alone(source, result, tmp_path):
    """A module beside the file is not found: `-I` leaves the folder out."""
    (tmp_path / "pasted_helper.py").write_text("")
    got = pasted(source, tmp_path)
    assert (got[0], got[1], got[2].replace("pasted_helper", "x")) == result


def test_a_chain_shows_all_that_it_prints_and_the_error_at_its_end():
    page = next(page for page in PAGES if page.path == "lessons/worked-through.md")
    block = next(b for b in page.blocks if b.options.raises == "RuntimeError")
    printed, error = shown(page, block)
    assert printed.startswith("(1, 4) fits\ntensor([[0.5000, 0.5000")
    assert error.startswith("RuntimeError: The size of tensor a (2) must match")
