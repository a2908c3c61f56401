from textwrap import dedent

import pytest

from attention_ref.lessons.errors import PageError
from attention_ref.lessons.pages.parsing import read_page
from attention_ref.lessons.running.run import Settings, run_pages
from attention_ref.lessons.updating import difference, updated_text, write_page


@pytest.fixture
def update(verify):
    """The text that an update writes, and what it leaves to the author."""

    def run(text: str) -> tuple[str, list[str]]:
        new, left = updated_text(verify(text))
        return new, [str(problem) for problem in left]

    return run


@pytest.fixture
def updated(update, problems):
    """The text that an update writes, once it is known to be true."""

    def run(text: str) -> str:
        new, left = update(text)
        assert left == []
        assert problems(new) == []
        return new

    return run


def block(code: str, output: str | None = None, marker: str = "```") -> str:
    fence = "" if output is None else f"\n{marker}output\n{output}{marker}\n"
    return f"```python\n{code}\n```\n{fence}"


# Outputs


def test_a_true_page_stays_as_it_is(updated):
    text = "Text\n\n" + block("print(1)", "1\n") + "\n1<!-- = 1 -->  \n\n\nEnd"
    assert updated(text) == text


def test_a_wrong_output_is_replaced(updated):
    text = "Before.\n\n{}\nAfter.\n"
    wrong, right = block("print(1)", "2\n"), block("print(1)", "1\n")
    assert updated(text.format(wrong)) == text.format(right)


def test_a_missing_output_is_added(updated):
    assert updated(block("print(1)")) == block("print(1)", "1")[:-4] + "\n```\n"


def test_an_output_of_nothing_is_taken_away(updated):
    assert updated(block("x = 1", "2\n") + "\nText\n") == block("x = 1") + "\nText\n"


def test_an_output_is_indented_as_its_block(updated):
    text = """\
        - Item

            ```python
            print("a\\n\\n b")
            ```
    """
    assert updated(text) == dedent(
        """\
        - Item

            ```python
            print("a\\n\\n b")
            ```

            ```output
            a

             b
            ```
        """
    )


@pytest.mark.parametrize("marker", ["```", "~~~", "````"])
@pytest.mark.parametrize("printed", ["```", "~~~~", "a ````` b", "```python"])
def test_an_output_may_hold_what_looks_like_a_fence(updated, marker, printed):
    code = f'print("{printed}")'
    assert printed in updated(block(code, "old\n", marker)).split("output")[1]


def test_a_fence_keeps_its_marker_and_its_tolerance(updated):
    text = '```python\nprint(0.25)\n```\n\n~~~~output {approx="1e-3"}\n0.50\n~~~~\n'
    assert updated(text) == text.replace("0.50", "0.25")


def test_an_output_within_its_tolerance_is_left_alone(updated):
    text = '```python\nprint(0.2504)\n```\n\n```output {approx="0.001"}\n0.25\n```\n'
    assert updated(text) == text


def test_the_message_of_an_expected_exception_is_written(updated):
    text = '```python {raises="ValueError"}\nint("x")\n```\n'
    assert "\nValueError: invalid literal" in updated(text)


def test_trailing_blanks_of_what_was_printed_are_not_written(updated):
    assert updated(block("print('a  ')", "b\n")) == block("print('a  ')", "a\n")


# Inline checks


@pytest.mark.parametrize(
    ("token", "right"),
    [
        ("0.30", "0.25"),
        ("**0.3**", "**0.2**"),
        ("`0.300`", "`0.250`"),
        ("30 %", "25 %"),
        ("-0.25", "0.25"),
        ("1e-1", "2e-1"),
    ],
)
def test_a_wrong_number_is_replaced_in_its_form(updated, token, right):
    text = f"{block('x = 0.25')}\nIt is {{}}<!-- = x -->, 0.30.\n"
    assert updated(text.format(token)) == text.format(right)


def test_a_wrong_word_is_replaced(updated):
    text = block("x = 3") + "\n{}<!-- = x --> keys, {}<!-- = x == 3 -->\n"
    assert updated(text.format("Two", "False")) == text.format("Three", "True")


def test_several_numbers_in_a_line_are_replaced(updated):
    text = block("x = 1") + "\n{}<!-- = x -->, ({}, {})<!-- = (x, x) -->\n"
    assert updated(text.format(2, 3, 4)) == text.format(1, 1, 1)


# What is left to the author


@pytest.mark.parametrize(
    "text",
    [
        block("1 / 0", "1\n"),
        block("print(1)\n1 / 0", "2\n"),
        block("import os; os._exit(1)", "2\n"),
        block("import warnings\nwarnings.warn('careful')", None),
        block("import warnings\nwarnings.warn('careful')\nprint(1)", "2\n"),
        '```python {raises="ValueError"}\nprint(1)\n```\n\n```output\n2\n```\n',
        block("x = 1") + "\n1<!-- = y -->\n",
        block("x = 1") + "\nmuch<!-- = x -->\n",
        block("x = 1 / 0") + "\n1<!-- = x -->\n",
    ],
    ids=[
        *("exception", "late exception", "death", "warning", "warning and output"),
        *("no exception", "wrong expression", "no number", "below a failure"),
    ],
)
def test_what_fails_is_refused_and_nothing_written(update, text):
    new, left = update(text)
    assert new == text
    assert left


def test_one_failing_block_does_not_keep_others_from_being_updated(update):
    text = block("1 / 0") + "\n" + block("print(1)", "{}\n")
    new, left = update(text.format(2))
    assert new == text.format(1)
    assert len(left) == 1


# Files


@pytest.fixture
def on_disk(tmp_path, runner):
    """Write bytes, run the page, and write what came."""

    def run(data: bytes) -> bytes:
        path = tmp_path / "page.md"
        path.write_bytes(data)
        page = read_page(path)
        [result] = run_pages([page], Settings(), runner)
        text, _ = updated_text(result)
        write_page(path, page, text)
        assert list(tmp_path.iterdir()) == [path]
        return path.read_bytes()

    return run


WRONG = block("print(1)", "2\n").encode()
RIGHT = block("print(1)", "1\n").encode()


def test_the_file_is_replaced(on_disk):
    assert on_disk(WRONG) == RIGHT


def test_windows_line_ends_are_kept(on_disk):
    written = on_disk(WRONG.replace(b"\n", b"\r\n"))
    assert written == RIGHT.replace(b"\n", b"\r\n")


def test_a_byte_order_mark_is_kept(on_disk):
    assert on_disk(b"\xef\xbb\xbf" + WRONG) == b"\xef\xbb\xbf" + RIGHT


def test_a_missing_end_of_the_last_line_stays_missing(on_disk):
    assert on_disk(WRONG + b"\nEnd") == RIGHT + b"\nEnd"


def test_permissions_are_kept(tmp_path):
    path = tmp_path / "page.md"
    path.write_bytes(WRONG)
    path.chmod(0o640)
    write_page(path, read_page(path), "New\n")
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("New\n", 0o640)


def test_a_page_that_changed_meanwhile_is_left_alone(tmp_path):
    path = tmp_path / "page.md"
    path.write_bytes(WRONG)
    page = read_page(path, "page.md")
    path.write_bytes(RIGHT)
    with pytest.raises(PageError) as caught:
        write_page(path, page, "New\n")
    assert str(caught.value) == (
        "page.md:1: the page has changed while its blocks ran. Run the update again"
    )
    assert path.read_bytes() == RIGHT


def test_a_page_that_cannot_be_replaced_is_left_whole(tmp_path, monkeypatch):
    path = tmp_path / "page.md"
    path.write_bytes(WRONG)

    def fail(*_):
        raise OSError("no space")

    monkeypatch.setattr("pathlib.Path.replace", fail)
    with pytest.raises(OSError, match="no space"):
        write_page(path, read_page(path), "New\n")
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == WRONG


def test_the_difference_is_shown(verify):
    result = verify(block("print(1)", "2\n"))
    text, _ = updated_text(result)
    assert difference(result.page, text) == (
        "--- page.md\n+++ page.md\n@@ -5,3 +5,3 @@\n ```output\n-2\n+1\n ```"
    )
