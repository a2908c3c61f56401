"""What holds for the pages as a whole: nothing is lost, left out or let through."""

import re
from itertools import pairwise
from textwrap import dedent

import pytest
import yaml
from lesson_copies import PROJECT

from attention_ref.lessons.pages.parsing import parse_page, read_page

DOCS = PROJECT / "docs"
PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
LESSONS = [page for page in PAGES if page.startswith("lessons/")]
RECIPES = [page for page in PAGES if re.match(r"recipes/(?!index)", page)]


def read(page: str):
    return read_page(DOCS / page, page)


# Every block is found: a second count that knows nothing of the first


def counted(text: str, language: str) -> int:
    """How often a fence opens, found the dumb way: what encloses fences is cut out."""
    enclosing = r"^ *(`{4,}|~{3,})(?!python|output).*?^ *\1 *$"
    outside = re.sub(enclosing, "", text, flags=re.MULTILINE | re.DOTALL)
    return len(re.findall(rf"^ *(?:```+|~~~+) *{language}\b", outside, re.MULTILINE))


@pytest.mark.parametrize("page", PAGES)
def test_every_block_of_a_page_is_found(page):
    blocks = read(page).blocks
    text = (DOCS / page).read_text("utf-8")
    assert len(blocks) == counted(text, "python")
    assert sum(block.expected is not None for block in blocks) == counted(
        text, "output"
    )


@pytest.mark.parametrize("page", [*LESSONS, *RECIPES])
def test_a_page_that_teaches_code_has_blocks(page):
    assert len(read(page).blocks) > 2


def test_there_are_lessons_and_recipes():
    assert len(LESSONS) >= 3
    assert len(RECIPES) >= 3


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("", 0),
        ("```python\nx\n```\n", 1),
        ("~~~python\nx\n~~~\n", 1),
        ("- Item\n\n    ```python {.gpu}\n    x\n    ```\n", 1),
        ("````text\n```python\nx\n```\n````\n", 0),
        ("~~~\n```python\nx\n```\n~~~\n", 0),
        ("````python\nx = '''\n```python\n'''\n````\n\n```python\nx\n```\n", 2),
        ("```text\npython\n```\n", 0),
    ],
)
def test_both_counts_agree_on_pages_that_can_be_counted_by_hand(text, blocks):
    inner = text.count("````python")  # the dumb count takes what is shown for a block
    assert len(parse_page(dedent(text), "page.md").blocks) == blocks
    assert counted(text, "python") == blocks + inner


# Lessons


@pytest.mark.parametrize("page", LESSONS)
def test_a_lesson_says_how_long_it_takes_and_what_comes_before(page):
    front = yaml.safe_load(read(page).text.split("---")[1])
    assert {"title", "description", "minutes", "prerequisites"} <= set(front)
    assert 10 <= front["minutes"] <= 180


@pytest.mark.parametrize("page", LESSONS)
@pytest.mark.parametrize(
    "part",
    [
        r"What you('ll| will) (build|be able to do)",
        r"What you('ll| will) need",
        r"Exercises|On your own",
        r"Knowledge check",
        r"Key takeaways|One idea to take with you",
        r"Further reading|Go deeper",
    ],
)
def test_a_lesson_has_its_parts(page, part):
    heading = rf'^(## |!!! \w+ ")({part})"?$'
    assert len(re.findall(heading, read(page).text, re.MULTILINE)) == 1


@pytest.mark.parametrize("page", LESSONS)
def test_a_lesson_has_one_title_and_skips_no_level(page):
    text = re.sub(r"^ *```.*?^ *```", "", read(page).text, flags=re.M | re.S)
    levels = [len(marks) for marks in re.findall(r"^(#+) ", text, re.MULTILINE)]
    assert levels.count(1) == 1
    assert levels[0] == 1
    steps = pairwise(levels)
    assert all(following <= level + 1 for level, following in steps)


@pytest.mark.parametrize("page", LESSONS)
def test_a_lesson_draws_a_figure(page):
    figures = [block.options.figure for block in read(page).blocks]
    assert any(figure for figure in figures)


@pytest.mark.parametrize("page", LESSONS)
def test_a_solution_is_folded_and_executed(page):
    parsed = read(page)
    solutions = list(re.finditer(r'^\?\?\? success "', parsed.text, re.MULTILINE))
    starts = [block.fence.start for block in parsed.blocks if block.fence.prefix]
    ends = [*(match.start() for match in solutions[1:]), len(parsed.text)]
    folded = [
        any(match.start() < start < end for start in starts)
        for match, end in zip(solutions, ends, strict=True)
    ]
    assert sum(folded) > 2


# What does not run


def test_blocks_that_a_build_does_not_run_are_known_here():
    """Whoever takes one more block out of the build has to say so in this list."""
    left_out = [
        (page, block.options.skip or block.options.recorded or "a CUDA device")
        for page in PAGES
        for block in read(page).blocks
        if not block.options.runs_in_build
    ]
    assert left_out == [
        ("lessons/attention-mechanism.md", "timings vary between machines"),
        ("lessons/attention-mechanism.md", "a CUDA device"),
        (
            "lessons/attention-mechanism.md",
            "ten models are trained, which takes minutes",
        ),
        ("lessons/worked-through.md", "a CUDA device"),
        ("lessons/worked-through.md", "a CUDA device"),
        ("reference/evidence.md", "times differ from machine to machine"),
        (
            "use-the-engine.md",
            "how long a build takes differs from machine to machine",
        ),
    ]


@pytest.mark.parametrize("page", LESSONS)
def test_a_lesson_with_torch_compares_a_cuda_device(page):
    blocks = read(page).blocks
    if sum("import torch" in block.source for block in blocks) > 3:
        on_device = [block.source for block in blocks if block.options.gpu]
        assert any("assert" in source and "cuda" in source for source in on_device)


# What is published


def test_no_python_file_lies_among_the_pages():
    """All of `docs/` is published; notebooks are the only ones meant to be."""
    python = {path.relative_to(DOCS).parts[0] for path in DOCS.rglob("*.py")}
    assert python <= {"notebooks"}


def test_caches_of_python_are_excluded_from_the_site():
    config = PROJECT.joinpath("mkdocs.yml").read_text("utf-8")
    assert re.search(r"^exclude_docs: \|\n(?:  .*\n)*?  __pycache__/$", config, re.M)


def test_downloads_are_made_from_the_pages_own_blocks():
    offered = [
        block.options.download
        for page in PAGES
        for block in read(page).blocks
        if block.options.download
    ]
    assert "attention-in-small-numbers.py" in offered
    assert len(set(offered)) == len(offered)
