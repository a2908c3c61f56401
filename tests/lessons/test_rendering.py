"""What is run is what a reader sees: on chosen pages, and on random ones."""

import os
import re
from textwrap import indent

import pytest
from bs4 import BeautifulSoup, Comment
from hypothesis import HealthCheck, example, given, note, settings
from hypothesis import strategies as st
from markdown import Extension, Markdown
from mkdocs_autorefs import AutorefsExtension
from written_pages import parsed

from attention_ref.lessons.errors import PageError
from attention_ref.lessons.pages.page import Page
from attention_ref.lessons.pages.parsing import parse_page
from attention_ref.lessons.publishing.rendering import (
    DEFAULT_EXTENSIONS,
    ReadersView,
    check_what_readers_see,
    mark,
    unmarked,
)
from attention_ref.lessons.publishing.weaving import weave
from attention_ref.lessons.running.jobs import Outcome
from attention_ref.lessons.verification import verify_page

EXAMPLES = 10_000 if os.environ.get("PROOFS") == "1" else 300
BLOCK = "```python\nx = 1\n```\n"


def refusal(text: str) -> str:
    with pytest.raises(PageError) as caught:
        check_what_readers_see(parsed(text))
    return str(caught.value)


# Chosen pages


@pytest.mark.parametrize(
    "text",
    [
        "",
        BLOCK,
        BLOCK.replace("```", "~~~~"),
        f"````text\n{BLOCK}````\n",
        f"- Item\n\n{indent(BLOCK, '    ')}",
        f"1. Item\n\n    - Item\n\n{indent(BLOCK, '        ')}",
        f'!!! note "Title"\n\n{indent(BLOCK, "    ")}',
        f'??? success "Solution"\n\n{indent(BLOCK, "    ")}',
        f'=== "A"\n\n{indent(BLOCK, "    ")}\n=== "B"\n\n{indent(BLOCK, "    ")}',
        f"Term\n:   Meaning\n\n{indent(BLOCK, '    ')}",
        f'<div markdown="1">\n\n{BLOCK}\n</div>\n',
        "```python {.continues}\nx = 1\n```\n".replace(" {.continues}", ""),
        '```python {title="Step 1" hl_lines="1" caption="b" figure="a"}\nx = 1\n```\n',
        "```python\n\n\nx = '''\n\n    é < & >\n'''\n\n```\n",
        f"---\ntitle: Page\n---\n\n{BLOCK}",
        f"Text\n{BLOCK}Text\n",
    ],
)
def test_a_block_is_seen_as_it_is_run(text):
    check_what_readers_see(parsed(text))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        # A code block of four spaces: its fence is shown as text.
        (f"Text\n\n{indent(BLOCK, '    ')}", 3),
        # A list marker that Sybil's pattern does not know.
        (f"> - Item\n>\n>     ```python\n>     x = 1\n>     ```\n\n{BLOCK}", 3),
    ],
)
def test_what_only_one_of_the_two_views_sees_is_refused(text, line):
    with pytest.raises(PageError) as caught:
        check_what_readers_see(parsed(text))
    assert caught.value.line == line


def test_a_difference_shows_what_the_reader_would_see():
    assert refusal(f"Text\n\n{indent(BLOCK, '    ')}") == (
        "page.md:3: the code that a reader sees here must be the code that is run, and "
        "the rendered page shows 'nothing'. Indent the fence by spaces as the text "
        "around it, give it a line of its own, and close it as it was opened"
    )


def test_a_block_in_a_footnote_is_refused():
    text = f"{BLOCK}\nText[^1].\n\n[^1]: Note\n\n{indent(BLOCK, '    ')}"
    assert refusal(text.replace("x = 1\n    ", "x = 2\n    ")) == (
        "page.md:9: a block must not stand in a footnote, which is shown elsewhere. "
        "Move it into the text"
    )


def test_a_check_that_readers_see_as_code_is_refused():
    assert refusal(f"{BLOCK}\n\n    1<!-- = x -->\n") == (
        "page.md:6: the comment <!-- = x --> must stand in the text, and the rendered "
        "page shows it otherwise. Move it out of the code around it"
    )


def test_a_check_that_only_readers_see_is_refused():
    assert refusal(f"{BLOCK}\n- A ` here.\n- 1<!-- = x --> and a ` there.\n") == (
        "page.md:6: the rendered page holds the comment <!-- = x -->, and nothing "
        "evaluates it. Mind the backticks around it"
    )


def test_the_sites_own_extensions_count():
    """Without definition lists, the block under the term is an indented text."""
    page = parsed(f"Term\n:   Meaning\n\n{indent(BLOCK, '    ')}")
    extensions = [each for each in DEFAULT_EXTENSIONS if each != "def_list"]
    with pytest.raises(PageError):
        check_what_readers_see(page, extensions)


# Random pages

INFO = st.sampled_from(
    [
        *["python"] * 6,
        *("python {.continues}", 'python {title="a"}', 'python {figure="a > b"}'),
        *("python {.gpu}", "python {.continue}", "python title", " python "),
        *("py", "Python", "{.python}", "output", "text", "", "markdown", "python {"),
    ]
)
MARKER = st.sampled_from(["```"] * 6 + ["````", "~~~", "~~~~", "`````"])
CODE = st.sampled_from(
    ["x = 1", "y = 2", "", "    z = 3", "'<!-- = x -->'", "# `a` <b>", "``", "print(1)"]
)
PROSE = st.sampled_from(
    [
        *("", "", "", "Text.", "Two\nlines.", "# Title", "- Item", "1. Item"),
        *("> Quote", "---", "`code`", "a ` b", "1<!-- = x -->", "<!-- note -->"),
        *("`1<!-- = x -->`", "2017<!-- ! year -->", "<!--", "-->", "| a |\n|---|"),
        *("<div>", "</div>", "<pre>", "</pre>", "Term\n:   Meaning", "[^1]: Note"),
        *("``", "```", "    indented", "\tindented", "**bold**", "\\`", "&lt;"),
        *("| 1<!-- = x --> |", '!!! note "A"', '=== "A"', "<!-- = x", "$x$"),
    ]
)
WRAPPERS = [
    ("- ", "  "),
    ("- ", "    "),
    ("-   ", "    "),
    ("1. ", "    "),
    ("- Item\n\n    ", "    "),
    ("> ", "> "),
    ("", "    "),
    ("", "  "),
    ("", "\t"),
    ('!!! note "A"\n\n    ', "    "),
    ('??? success "Solution"\n\n    ', "    "),
    ('=== "A"\n\n    ', "    "),
    ("Term\n:   Meaning\n\n    ", "    "),
    ("[^1]: Note\n\n    ", "    "),
    ('<div markdown="1">\n\n', ""),
]


@st.composite
def fences(draw) -> str:
    """A fence that is mostly well-formed."""
    marker = draw(MARKER)
    code = "\n".join(draw(st.lists(CODE, max_size=3)))
    closing = draw(st.sampled_from([marker] * 8 + [marker + marker[0], "", "~~~"]))
    inset = draw(st.sampled_from([""] * 9 + [" "]))
    return f"{marker}{draw(INFO)}\n{code}\n{inset}{closing}"


@st.composite
def wrapped(draw, inner: st.SearchStrategy[str]) -> str:
    first, rest = draw(st.sampled_from(WRAPPERS))
    lines = draw(inner).split("\n")
    blank = draw(st.booleans())
    return first + "\n".join(
        line if number == 0 or (not line and blank) else rest + line
        for number, line in enumerate(lines)
    )


@st.composite
def shown(draw, inner: st.SearchStrategy[str]) -> str:
    """Something within a longer fence, or within a comment."""
    before, after = draw(
        st.sampled_from(
            [("````text\n", "\n````"), ("~~~\n", "\n~~~"), ("<!--\n", "\n-->")]
        )
    )
    return f"{before}{draw(inner)}{after}"


def joined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    gap = st.sampled_from(["\n\n", "\n\n", "\n\n", "\n"])
    return st.tuples(inner, gap, inner).map("".join)


PAGES = st.builds(
    lambda text, end: text + end,
    st.recursive(
        fences() | fences() | PROSE,
        lambda inner: joined(inner) | joined(inner) | wrapped(inner) | shown(inner),
        max_leaves=8,
    ),
    st.sampled_from(["\n", "\n", ""]),
)


def rendered(text: str) -> BeautifulSoup:
    """As a site renders it, without a trace of our own code."""
    return BeautifulSoup(html(text), "html.parser")


def html(text: str, *more: Extension) -> str:
    markdown = Markdown(
        extensions=[*DEFAULT_EXTENSIONS, *more],
        extension_configs={
            "pymdownx.highlight": {"use_pygments": False},
            "pymdownx.tabbed": {"alternate_style": True},
        },
    )
    return markdown.convert(text)


def python_seen(html: BeautifulSoup) -> list[str]:
    found = html.select("code[class*=language-]")
    return [
        _without_blank_ends(tag.get_text())
        for tag in found
        if re.search(r"language-(i?python|py)", " ".join(tag["class"]), re.IGNORECASE)
    ]


def _without_blank_ends(code: str) -> str:
    lines = [line.rstrip() for line in code.split("\n")]
    return "\n".join(lines).strip("\n")


def as_the_site_renders_it(page: Page) -> str:
    """The HTML that is published, after the look at what is in it."""
    view = ReadersView()
    published = html(woven(page), view)
    view.compare(page, published)
    return unmarked(published)


def woven(page: Page) -> str:
    """The page as it is published, if each block prints and each check is true."""
    outcomes = {block.index: Outcome(block.index) for block in page.blocks}
    for check in page.checks:
        outcomes[check.block].answers[check.index] = check.token
    result = verify_page(page, outcomes, {})
    return weave(result, lambda each: f"lessonpanel{each.block.index}place", mark)


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=EXAMPLES == 300,
)
@example("> ```python\n> x = 1\n> ```\n")
@example("- ```python\n  x = 1\n  ```\n")
@example("<!--\n```python\nx = 1\n```\n-->\n")
@example("```python\nx = 1\n````\n")
@given(PAGES)
def test_what_is_run_is_what_a_reader_sees_or_the_page_is_refused(text):
    note(text)
    try:
        page = parse_page(text, "page.md")
        check_what_readers_see(page)
    except PageError as refused:
        line = refused.line
    else:
        line = None
    if line is not None:
        assert 1 <= line <= text.count("\n") + 1
        return
    run = [_without_blank_ends(block.source) for block in page.blocks]
    published = BeautifulSoup(as_the_site_renders_it(page), "html.parser")
    assert python_seen(rendered(text[page.body_start :])) == run
    assert python_seen(published) == run
    places = re.findall(r"lessonpanel(\d+)place", str(published))
    assert places == [str(block.index) for block in page.blocks]
    assert "lessonpanel" not in " ".join(map(str, published.select("code")))
    marked = published.select("span[class^=lesson-]")
    assert len(marked) == sum(
        page.blocks[check.block].options.runs_in_build for check in page.checks
    )
    left = published.find_all(string=lambda each: isinstance(each, Comment))
    assert [each for each in left if each.strip()[:1] in ("=", "!")] == []


@pytest.mark.parametrize("size", [40])
def test_random_pages_are_neither_all_refused_nor_all_empty(size):
    """A property of pages that nobody accepts would hold for any engine."""
    accepted = []

    @settings(max_examples=300, deadline=None, database=None, derandomize=True)
    @given(PAGES)
    def look(text):
        try:
            page = parse_page(text, "page.md")
            check_what_readers_see(page)
        except PageError:
            return
        accepted.append(len(page.blocks))

    look()
    assert sum(blocks > 0 for blocks in accepted) > size
    assert sum(blocks > 1 for blocks in accepted) > size / 4


def test_an_extension_may_see_a_link_in_an_expression():
    page = parsed("""
        ```python
        x = [[1]]
        ```

        One is 1<!-- = x[0][0] -->.
    """)

    # Reads [0][0] as a link to a heading, also within a comment.
    check_what_readers_see(page, [*DEFAULT_EXTENSIONS, AutorefsExtension()])
