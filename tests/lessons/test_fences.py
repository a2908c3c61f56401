import pytest
from written_pages import parsed, refusal, sources

from attention_ref.lessons.pages.fences import find_fences


def fences(text: str) -> list[tuple[str, str]]:
    return [(each.language, each.source) for each in find_fences(text, "page.md")]


def test_a_fence_has_a_language_and_a_source():
    assert fences("```python\nx = 1\n```\n") == [("python", "x = 1\n")]


def test_an_empty_fence_has_an_empty_source():
    assert fences("```python\n```\n") == [("python", "")]


def test_the_last_line_needs_no_line_end():
    assert fences("```python\nx = 1\n```") == [("python", "x = 1\n")]


@pytest.mark.parametrize("marker", ["```", "````", "~~~", "~~~~~"])
def test_backticks_and_tildes_open_a_fence(marker):
    assert fences(f"{marker}python\nx = 1\n{marker}\n") == [("python", "x = 1\n")]


def test_spaces_around_the_language_do_not_matter():
    assert fences("```  python  \nx = 1\n```\n") == [("python", "x = 1\n")]


def test_a_fence_shown_inside_a_longer_fence_is_only_shown():
    text = """
        ````markdown
        ```python
        raise SystemExit
        ```
        ````
    """
    assert parsed(text).blocks == ()


def test_a_fence_of_tildes_may_show_one_of_backticks():
    text = """
        ~~~text
        ```python
        raise SystemExit
        ```
        ~~~
    """
    assert parsed(text).blocks == ()


def test_indentation_is_taken_off_the_code():
    text = """
        - Item

            ```python
            if True:

                x = 1
            ```
    """
    assert sources(text) == ["if True:\n\n    x = 1\n"]


def test_a_line_outside_the_fences_indentation_is_refused():
    text = """\
        - Item

            ```python
            x = 1
          y = 2
            ```
    """
    assert refusal(text) == (
        "page.md:5: a line in a fence must be indented by 4 spaces or more, as its "
        "fence is, got 'y = 2'"
    )


@pytest.mark.parametrize("language", ["python", "output", "text", ""])
def test_an_unclosed_fence_is_refused(language):
    assert refusal(f"# Title\n\n```{language}\nx = 1\n") == (
        "page.md:3: the fence must be closed by a line ```. Add it"
    )


def test_a_fence_closed_by_a_longer_one_is_refused():
    assert refusal("```python\nx = 1\n````\n") == (
        "page.md:1: the fence must be closed by ``` as it was opened, got ````. "
        "Make both the same"
    )


def test_a_fence_of_text_closed_by_a_longer_one_is_refused():
    text = "```text\n````\n\n```python\nx = 1\n```\n"
    assert "must be closed by ```" in refusal(text)


def test_a_fence_closed_at_another_indentation_is_not_closed():
    assert refusal("```python\nx = 1\n  ```\n").startswith("page.md:1: ")


def test_options_without_braces_are_refused():
    assert refusal('```python title="Step 1"\nx = 1\n```\n') == (
        "page.md:1: options must stand in braces, as in ```python {…}, "
        "got 'python title=\"Step 1\"'. Put braces around them"
    )


def test_a_bare_word_after_python_is_refused():
    assert "got 'python continues'" in refusal("```python continues\nx = 1\n```\n")


def test_braces_with_a_python_class_are_refused():
    """SuperFences would show `{.python}` as Python."""
    assert refusal("```{.python}\nx = 1\n```\n") == (
        "page.md:1: a Python block must say ```python, got ```{.python}. "
        "Write it so, or use ```text for code that is only shown"
    )


def test_fences_of_other_languages_are_left_alone():
    text = '```yaml title="mkdocs.yml" hl_lines="1"\nx: 1\n```\n'
    assert parsed(text).blocks == ()


def test_code_in_an_indented_code_block_has_no_fence():
    assert parsed("Text.\n\n    x = 1\n").blocks == ()
