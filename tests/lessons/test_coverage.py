import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from written_pages import parsed

from attention_ref.lessons.cli import main
from attention_ref.lessons.proofs.coverage import as_text, cover, percentage


def kinds(text: str, above: str = "") -> list[tuple[str, str]]:
    """Each number of a text, with its kind; not those of what stands above it."""
    hidden = above.count("\n")
    numbers = cover(parsed(above + text)).numbers
    return [(each.text, each.kind) for each in numbers if each.line > hidden]


def unverified(text: str) -> list[tuple[int, str]]:
    return [(each.line, each.text) for each in cover(parsed(text)).unverified]


# Where a reader sees numbers


@pytest.mark.parametrize(
    "text",
    [
        "It is 17.",
        "# The 17 tokens",
        "- a list with 17 tokens",
        "1. an ordered list with 17 tokens",
        "| tokens |\n|---|\n| 17 |",
        "> 17 in a quote",
        '!!! note "17 tokens"\n    Inside.',
        '??? tip "17 tokens"\n    Inside.',
        '=== "17 tokens"\n\n    Inside.',
        "**17** in bold",
        "[17 tokens](page.md)",
        '<span class="a">17</span> in HTML',
        "term\n:   17 in its definition",
        "The tokens[^note].\n\n[^note]: 17 of them.",
        "in float17",
        "the 17th",
        "a formula, $d = 17$, has data",
        "$$\nd = 17\n$$",
        r"$\text{width 17}$",
    ],
)
def test_a_number_that_a_reader_sees_is_unverified(text):
    found = unverified(text)
    assert [number for _, number in found] == ["17"]
    line = next(n for n, each in enumerate(text.split("\n"), 1) if "17" in each)
    assert found[0][0] == line


@pytest.mark.parametrize(
    "text",
    [
        "17. the marker of an item",
        "> 3. a marker in a quote",
        "text[^17]\n\n[^17]: The note.",
        "<!-- 17 in a comment -->",
        '<span title="17">text</span>',
        "[text](page-17.md)",
        "![text](picture-17.svg)",
        "[text][17]\n\n[17]: page-17.md",
        "## Heading { #anchor-17 }",
        "an entity&#8217;s number",
        "---\nminutes: 17\n---\n\nText.",
        "seventeen",
    ],
)
def test_what_no_reader_sees_as_a_number_does_not_count(text):
    assert kinds(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "`17` in a code span",
        "``a ` 17`` in another",
        "Text.\n\n    17 in indented code",
        "<https://example.org/17>",
        "[https://example.org/17](https://example.org/17)",
        "see https://example.org/17 and",
        "$x_{17}$",
        "$x_{i, 17}$",
        "$x^{2 a_{17}}$",
        "$e^17$",
    ],
)
def test_code_addresses_and_notation_are_automatic(text):
    assert ("17", "automatic") in kinds(text)
    assert unverified(text) == []


@pytest.mark.parametrize("number", ["0", "1", "2"])
def test_a_formula_may_use_the_numbers_of_algebra(number):
    assert kinds(f"${number} - x$") == [(number, "automatic")]
    assert unverified(f"{number} - x") == [(1, number)]


@pytest.mark.parametrize(
    "tex", ["x_{1} + 17", "x^{2} 17", r"\sqrt{17}", r"\frac{17}{x_{1}}"]
)
def test_a_number_beside_a_script_is_data(tex):
    assert unverified(f"${tex}$") == [(1, "17")]


@pytest.mark.parametrize(
    "number", ["17", "1,048,576", "0.401", "1e-4", "2.5E−07", "3.2.1", "½", "②"]
)
def test_a_number_is_found_whole(number):
    assert unverified(f"It is {number}, they say.") == [(1, number)]


# What vouches for a number

PAGE = """\
```python
x = 3
print(x)
```

```output
3
```

"""


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("It is 9<!-- = x**2 -->.", ["9"]),
        ("So (6, 9)<!-- = (2 * x, x**2) -->.", ["6", "9"]),
        ("So `[6, 9]`<!-- = [2 * x, x**2] -->.", ["6", "9"]),
        ("It is **9**<!-- = x**2 -->.", ["9"]),
        ("| it |\n|---|\n| 9<!-- = x**2 --> |", ["9"]),
    ],
)
def test_an_inline_check_verifies(text, numbers):
    assert kinds(text, above=PAGE) == [(number, "verified") for number in numbers]


def test_a_check_vouches_for_its_token_only():
    assert unverified(PAGE + "From 6 to 9<!-- = x**2 -->.") == [(10, "6")]


def test_an_exemption_is_counted_and_listed():
    coverage = cover(parsed("In 2017<!-- ! year -->."))
    assert [number.kind for number in coverage.numbers] == ["exempt"]
    assert "page.md:1: 2017 is exempt: year" in as_text([coverage])


def test_a_block_that_runs_and_its_output_are_verified():
    coverage = cover(parsed(PAGE))
    assert [(n.line, n.text, n.kind) for n in coverage.numbers] == [
        (2, "3", "verified"),
        (7, "3", "verified"),
    ]


@pytest.mark.parametrize(
    "opening",
    ["text", "bash", 'python {skip="needs a cluster"}', "python {.gpu}"],
)
def test_code_that_does_not_run_is_automatic(opening):
    coverage = cover(parsed(f"```{opening}\nsleep(17)\n```\n"))
    assert [number.kind for number in coverage.numbers] == ["automatic"]


def test_a_check_under_a_block_without_a_recording_verifies_nothing():
    text = "```python {.gpu}\nx = 3\n```\n\nIt is 9<!-- = x**2 -->.\n"
    assert unverified(text) == [(5, "9")]


@pytest.mark.parametrize(
    "options",
    [
        'figure="17 bars"',
        'figure="bars" caption="17 bars"',
        'recorded="takes 17 hours"',
        'skip="needs 17 machines"',
        'title="step-17.py"',
    ],
)
def test_what_a_blocks_options_say_is_unverified(options):
    found = unverified(f"Text.\n\n```python {{{options}}}\nx = 1\n```\n")
    assert found == [(3, "17")]


# The report


def test_the_table_has_a_row_for_each_page_and_one_for_all():
    pages = [cover(parsed("It is 17, or `18`.")), cover(parsed(PAGE))]
    rows = [re.split(r" {2,}", row.strip()) for row in as_text(pages).split("\n")]
    assert rows == [
        ["page", "numbers", "verified", "exempt", "automatic", "unverified", "covered"],
        ["page.md", "2", "0", "0", "1", "1", "50.0 %"],
        ["page.md", "2", "2", "0", "0", "0", "100.0 %"],
        ["all pages", "4", "2", "0", "1", "1", "75.0 %"],
        ["page.md:1: 17 is unverified in “It is 17, or”"],
    ]


def test_a_page_without_numbers_is_covered():
    assert percentage([cover(parsed("No number."))]) == 100


def test_the_command_fails_under_a_percentage(tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text("It is 17, or `18`.\n", "utf-8")
    assert main(["coverage", str(page)]) == 0
    assert main(["coverage", str(page), "--fail-under", "50"]) == 0
    assert main(["coverage", str(tmp_path), "--fail-under", "51"]) == 1
    assert f"{page.as_posix()}:1: 17 is unverified" in capsys.readouterr().out


@given(st.lists(st.from_regex(r"[a-z]{1,5}|[1-9]\d{0,4}", fullmatch=True), min_size=1))
def test_every_number_among_words_is_found_once(words):
    text = " ".join(["Text", *words])
    assert [number for _, number in unverified(text)] == re.findall(r"\d+", text)
