from textwrap import dedent

import pytest
from written_pages import parsed, refusal, sources, tokens

from attention_ref.lessons.errors import PageError
from attention_ref.lessons.pages.parsing import read_page

BLOCK = "```python\nx = 1\n```\n"


def written(tmp_path, data: bytes):
    path = tmp_path / "page.md"
    path.write_bytes(data)
    return read_page(path, "page.md")


# Files


def test_an_empty_page_has_nothing():
    page = parsed("")
    assert (page.blocks, page.checks, page.exemptions) == ((), (), ())


def test_a_page_that_is_not_utf8_is_refused_with_its_line(tmp_path):
    with pytest.raises(PageError) as caught:
        written(tmp_path, b"# Title\n\nNa\xefve.\n")
    expected = "page.md:3: byte 0xef is not UTF-8. Save the page as UTF-8"
    assert str(caught.value) == expected


def test_a_byte_order_mark_is_not_part_of_the_page(tmp_path):
    page = written(tmp_path, b"\xef\xbb\xbf" + BLOCK.encode())
    assert page.blocks[0].line == 1


def test_windows_line_ends_are_read_as_line_ends(tmp_path):
    page = written(tmp_path, BLOCK.replace("\n", "\r\n").encode())
    assert page.blocks[0].source == "x = 1\n"
    assert page.newline == "\r\n"


def test_line_ends_of_two_kinds_are_refused(tmp_path):
    with pytest.raises(PageError) as caught:
        written(tmp_path, b"one\r\ntwo\r\nthree\nfour\r\n")
    assert str(caught.value) == (
        "page.md:3: all lines of a page must end alike, with LF or with CRLF. "
        "Save the page with one kind of line ends"
    )


def test_old_line_ends_are_refused(tmp_path):
    with pytest.raises(PageError, match=r"page\.md:1: all lines of a page must"):
        written(tmp_path, BLOCK.replace("\n", "\r").encode())


def test_messages_name_the_file_where_no_name_is_given(tmp_path):
    path = tmp_path / "page.md"
    path.write_text("```python\n")
    with pytest.raises(PageError) as caught:
        read_page(path)
    assert caught.value.path == path.as_posix()


def test_lines_count_the_front_matter():
    page = parsed(f"---\ntitle: Page\n---\n\n{BLOCK}\n1<!-- = x -->\n")
    assert (page.blocks[0].line, page.checks[0].line) == (5, 9)
    assert page.body_line == 3


def test_a_check_in_the_front_matter_is_refused():
    assert refusal(f"---\ntitle: 2017<!-- ! year -->\n---\n\n{BLOCK}") == (
        "page.md:2: front matter cannot hold a check or an exemption. "
        "Take the comment out"
    )


def test_a_rule_in_the_page_is_no_front_matter():
    assert parsed(f"Text\n\n---\n\n{BLOCK}\n---\n").body_start == 0


# Blocks


def test_blocks_are_found_in_the_order_of_the_page():
    text = "```python\na = 1\n```\n\nText\n\n~~~python\nb = 2\n~~~\n"
    assert sources(text) == ["a = 1\n", "b = 2\n"]


PLACES = {
    "list": """
        - Item

            ```python
            x = 1
            ```
    """,
    "numbered list": """
        1. Item

            ```python
            x = 1
            ```
    """,
    "admonition": """
        !!! note "Title"

            ```python
            x = 1
            ```
    """,
    "folded admonition": """
        ??? success "Solution"

            ```python
            x = 1
            ```
    """,
    "content tab": """
        === "NumPy"

            ```python
            x = 1
            ```
    """,
    "tab in a list": """
        - Item

            === "NumPy"

                ```python
                x = 1
                ```
    """,
    "definition list": """
        Term
        :   Meaning

            ```python
            x = 1
            ```
    """,
}


@pytest.mark.parametrize("place", PLACES)
def test_a_block_stands_in_a(place):
    assert sources(PLACES[place]) == ["x = 1\n"]


def test_a_block_in_a_quote_is_refused():
    assert refusal("> ```python\n> x = 1\n> ```\n") == (
        "page.md:1: a block must not stand in a quote. Take the > off"
    )


@pytest.mark.parametrize("marker", ["-", "*", "+", "1.", "10)"])
def test_a_block_on_a_list_marker_line_is_refused(marker):
    space = " " * (len(marker) + 1)
    text = f"{marker} ```python\n{space}x = 1\n{marker} ```\n"
    assert refusal(text) == (
        "page.md:1: a block must not begin on a list-marker line. "
        "Put the fence on a line of its own, indented under the item"
    )


def test_a_block_indented_by_a_tab_is_refused():
    assert refusal("- Item\n\n\t```python\n\tx = 1\n\t```\n") == (
        "page.md:3: a fence must be indented by spaces, got a tab"
    )


def test_a_tab_in_code_is_refused():
    """The site shows spaces in its place, so readers would copy something else."""
    assert refusal("```python\nprint('a\tb')\n```\n") == (
        "page.md:2: code must not hold a tab, which the site shows as spaces. "
        "Indent by spaces, and write \\t in a text"
    )


def test_a_block_in_a_comment_is_refused():
    assert refusal(f"<!--\n{BLOCK}-->\n") == (
        "page.md:2: a fence must not stand in an HTML comment"
    )


@pytest.mark.parametrize(
    "name",
    ["py", "python3", "Python", "PYTHON", "pycon", "ipython", "{.python}", "{ .py }"],
)
def test_what_only_looks_like_a_python_block_is_refused(name):
    assert refusal(f"Text\n\n```{name}\nx = 1\n```\n") == (
        f"page.md:3: a Python block must say ```python, got ```{name}. "
        "Write it so, or use ```text for code that is only shown"
    )


def test_a_wrong_option_is_refused_with_its_line():
    assert refusal("Text\n\n```python {.continue}\nx = 1\n```\n") == (
        "page.md:3: unknown option .continue. Did you mean .continues?"
    )


# Chains


def test_a_block_stands_alone_unless_it_continues():
    text = f"{BLOCK}\n```python {{.continues}}\ny = x\n```\n\n{BLOCK}"
    assert [block.parent for block in parsed(text).blocks] == [None, 0, None]


def test_a_chain_can_be_pasted_whole():
    page = parsed(f"{BLOCK}\n```python {{.continues}}\ny = x\n```\n")
    assert page.standalone_source(page.blocks[1]) == "x = 1\n\ny = x\n"


def test_a_first_block_has_nothing_to_continue():
    assert refusal("```python {.continues}\nx = 1\n```\n") == (
        "page.md:1: a block with .continues must have a block above it to continue. "
        "Take .continues off"
    )


def test_a_block_that_runs_cannot_continue_one_that_does_not():
    text = '```python {skip="no"}\nx = 1\n```\n\n```python {.continues}\ny = x\n```\n'
    assert refusal(text) == (
        "page.md:5: a block with .continues must continue a block that runs, got the "
        "one in line 1, which a build does not run. "
        "Move it above, or mark this one alike"
    )


def test_a_chain_passes_over_a_block_that_raises():
    """Otherwise a reader's copy would stop half-way."""
    raising = '```python {.continues raises="ValueError"}\nint("x")\n```\n'
    going_on = "```python {.continues}\ny = x\n```\n"
    page = parsed(f"{BLOCK}\n{raising}\n{going_on}")
    assert [block.parent for block in page.blocks] == [None, 0, 0]


# Outputs


def test_an_output_fence_belongs_to_the_block_above_it():
    text = "```python\nprint(1)\n```\n\n\n```output\n1\n```\n"
    expected = parsed(text).blocks[0].expected
    assert (expected.text, expected.line) == ("1\n", 6)


@pytest.mark.parametrize("name", ["Output", "OUTPUT", "{.output}"])
def test_what_only_looks_like_an_output_fence_is_refused(name):
    assert refusal(f"```python\nprint(1)\n```\n\n```{name}\n1\n```\n") == (
        f"page.md:5: an output fence must say ```output, got ```{name}. "
        "Write it so, or use ```text for text that is only shown"
    )


def test_an_output_fence_is_indented_with_its_block():
    text = """
        - Item

            ```python
            print(" 1")
            ```

            ```output
             1
            ```
    """
    assert parsed(text).blocks[0].expected.text == " 1\n"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("```output\n1\n```\n", 1),
        ("```python\nx = 1\n```\n\nText\n\n```output\n1\n```\n", 7),
        ("```python\nx = 1\n```\n<!-- note -->\n```output\n1\n```\n", 5),
        ("```python\nx = 1\n```\n\n```text\n```\n\n```output\n1\n```\n", 8),
        ("```python\nx = 1\n```\n```output\n1\n```\n```output\n2\n```\n", 7),
    ],
    ids=["no block", "text between", "comment between", "fence between", "second"],
)
def test_an_output_fence_without_its_block_is_refused(text, line):
    assert refusal(text) == (
        f"page.md:{line}: an output fence must stand right after the block that prints "
        "it. Move it there, or use ```text for text that is only shown"
    )


def test_an_output_fence_with_another_indentation_is_refused():
    text = "- Item\n\n    ```python\n    print(1)\n    ```\n\n```output\n1\n```\n"
    assert refusal(text) == (
        "page.md:7: an output fence must be indented as its block is"
    )


@pytest.mark.parametrize("option", [".gpu", 'skip="no"', 'recorded="slow"'])
def test_an_output_fence_of_a_block_that_is_not_run_is_refused(option):
    text = f"```python {{{option}}}\nprint(1)\n```\n\n```output\n1\n```\n"
    assert refusal(text) == (
        "page.md:5: a block that a build does not run must have no output fence: "
        "its recording is its output. Take the fence away"
    )


def approx(tolerance: str, printed: str = "0.25") -> str:
    option = f' {{approx="{tolerance}"}}'
    return f"```python\nprint(1)\n```\n\n```output{option}\n{printed}\n```\n"


def test_an_output_fence_may_be_compared_by_tolerance():
    assert parsed(approx("4e-3")).blocks[0].expected.approx == 4e-3


@pytest.mark.parametrize("tolerance", ["", "much", "-1", "0", "nan", "2"])
def test_a_tolerance_must_be_a_small_number(tolerance):
    assert refusal(approx(tolerance)) == (
        'page.md:5: an output fence takes approx="1e-3" or nothing, '
        f'got approx="{tolerance}"'
    )


def test_an_output_fence_takes_no_other_option():
    text = '```python\nprint(1)\n```\n\n```output {title="Printed"}\n1\n```\n'
    assert refusal(text) == (
        'page.md:5: an output fence takes approx="1e-3" or nothing, got title="Printed"'
    )


@pytest.mark.parametrize(
    ("tolerance", "printed", "number"),
    [
        ("0.005", "0.25", "0.25"),
        ("0.004", "0.25 0.125", "0.125"),
        ("0.5", "7", "7"),
        ("0.001", "1.5e-05", "1.5e-05"),
    ],
)
def test_a_tolerance_must_not_hide_a_wrong_digit(tolerance, printed, number):
    assert refusal(approx(tolerance, printed)) == (
        "page.md:5: approx must be under half a unit of the last digit of every "
        f"number, got {tolerance} for {number}. Show fewer digits, or lower it"
    )


# Inline checks

SEEN = {
    "prose": "The weight is 1<!-- = x -->.",
    "heading": "## About 1<!-- = x --> key",
    "list item": "- It is 1<!-- = x -->.",
    "table": "| a | b |\n|---|---|\n| 1<!-- = x --> | 2 |",
    "admonition title": '!!! note "Just 1<!-- = x --> key"',
    "quote": "> It is 1<!-- = x -->.",
    "footnote": "[^1]: It is 1<!-- = x -->.",
}


@pytest.mark.parametrize("place", SEEN)
def test_an_inline_check_stands_in_a(place):
    page = parsed(f"{BLOCK}\n{SEEN[place]}\n")
    assert [(c.token, c.expression) for c in page.checks] == [("1", "x")]


def test_several_checks_stand_in_one_line():
    assert tokens(f"{BLOCK}\n1<!-- = x --> and 2<!-- = 2*x -->\n") == ["1", "2"]


@pytest.mark.parametrize(
    "shown",
    [
        "`1<!-- = x -->`",
        "``1<!-- = x -->``",
        "```text\n1<!-- = x -->\n```",
        "~~~markdown\n1<!-- = x -->\n~~~",
    ],
)
def test_a_check_in_code_is_only_shown(shown):
    assert tokens(f"{BLOCK}\n{shown}\n") == []


def test_a_code_span_ends_before_a_check_that_follows_it():
    assert tokens(f"{BLOCK}\n`a` and `1`<!-- = x -->\n") == ["`1`"]


def test_a_code_span_does_not_reach_into_the_next_paragraph():
    assert tokens(f"{BLOCK}\nA stray ` here.\n\n1<!-- = x --> and ` there\n") == ["1"]


def test_ordinary_comments_are_left_alone():
    assert tokens(f"{BLOCK}\n<!-- a note, 1 == x -->\n") == []


def test_an_expression_may_hold_what_html_would_escape():
    page = parsed(f"{BLOCK}\nIt is True<!-- = x < 2 and x > 0 -->.\n")
    assert page.checks[0].expression == "x < 2 and x > 0"


def test_a_check_asks_the_last_block_above_it():
    page = parsed(f"{BLOCK}\n1<!-- = x -->\n\n{BLOCK}\n1<!-- = x -->\n")
    assert [check.block for check in page.checks] == [0, 1]


def test_a_check_passes_over_skipped_blocks():
    skipped = '```python {skip="no"}\nx = 2\n```\n'
    assert parsed(f"{BLOCK}\n{skipped}\n1<!-- = x -->\n").checks[0].block == 0


@pytest.mark.parametrize("above", ["", '```python {skip="no"}\nx = 1\n```\n\n'])
def test_a_check_with_no_block_above_is_refused(above):
    line = above.count("\n") + 1
    assert refusal(f"{above}1<!-- = x -->\n\n{BLOCK}") == (
        f"page.md:{line}: the check of 1 must stand below a block that runs. "
        "Move it down, or exempt the number with <!-- ! reason -->"
    )


@pytest.mark.parametrize(
    ("comment", "problem"),
    [
        ("<!-- = -->", "an inline check must hold an expression"),
        ("<!-- =x -->", "a space must follow = in a comment"),
        ("<!-- !year -->", "a space must follow ! in a comment"),
        ("<!-- = x", "an HTML comment must be closed with -->"),
    ],
)
def test_a_comment_that_is_no_check_is_refused(comment, problem):
    assert refusal(f"{BLOCK}\n1{comment}\n") == f"page.md:5: {problem}"


def test_an_exemption_with_another_reason_is_refused():
    assert refusal("1<!-- ! because -->\n") == (
        "page.md:1: an exemption must give one of the reasons year, ordinal, section, "
        "name, quoted source, illustration, got 'because'"
    )


def test_a_check_must_touch_its_token():
    assert refusal(f"{BLOCK}\n1 <!-- = x -->\n") == (
        "page.md:5: a comment must touch the number or word that it is about, "
        "got a space before it. Take the space away"
    )


def test_a_check_in_a_table_must_not_hold_a_bar():
    text = f"{BLOCK}\n| a |\n|---|\n| 1<!-- = x | 2 --> |\n"
    assert refusal(text) == "page.md:7: a comment in a table must not hold a |"


def test_an_unclosed_comment_in_a_code_span_is_only_shown():
    assert parsed("Begin a comment with `<!--`.\n").checks == ()


@pytest.mark.parametrize(
    "reason", ["year", "ordinal", "section", "name", "quoted source", "illustration"]
)
def test_an_exemption_gives_one_of_the_reasons(reason):
    [exemption] = parsed(f"Since 2017<!-- ! {reason} -->.\n").exemptions
    assert (exemption.token, exemption.reason) == ("2017", reason)


# Tabs

TABS = """
    ```python
    x = 1
    ```

    === "A"

        1<!-- = x -->

        ```python {.continues}
        y = 2
        ```

        2<!-- = y -->

    === "B"

        1<!-- = x -->

        ```python {.continues}
        y = 3
        ```

        3<!-- = y -->

    1<!-- = x -->
"""


def test_a_block_in_a_tab_continues_what_stands_above_the_tabs():
    assert [block.parent for block in parsed(TABS).blocks] == [None, 0, 0]


def test_a_check_sees_its_own_tab_and_what_stands_above_the_tabs():
    assert [check.block for check in parsed(TABS).checks] == [0, 1, 0, 2, 0]


def test_a_block_in_a_tab_may_have_nothing_to_continue():
    text = """\
        === "A"

            ```python
            x = 1
            ```

        === "B"

            ```python {.continues}
            y = x
            ```
    """
    assert refusal(text) == (
        "page.md:9: a block with .continues must have a block above it to continue in "
        "the same tab. Take .continues off"
    )


def test_a_tab_that_is_only_shown_opens_nothing():
    text = dedent(
        """
        ```text
        === "A"
        ```

            ```python
            x = 1
            ```
        """
    )
    assert parsed(text).blocks[0].tabs == ()
