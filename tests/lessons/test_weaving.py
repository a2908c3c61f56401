from html.parser import HTMLParser
from textwrap import dedent

import pytest
from markdown import Markdown

from attention_ref.lessons.publishing.panels import panel
from attention_ref.lessons.publishing.rendering import (
    DEFAULT_CONFIGS,
    DEFAULT_EXTENSIONS,
)
from attention_ref.lessons.publishing.weaving import weave

BLOCK = "```python\nx = 2\n```\n"


def present(result) -> str:
    return f"below block {result.block.index}"


@pytest.fixture
def woven(verify):
    """What a site generator is given, with one line in place of each panel."""

    def run(text: str) -> str:
        return weave(verify(text), present)

    return run


@pytest.fixture
def html(woven):
    """What a reader's browser is given."""

    def run(text: str) -> str:
        extensions = list(DEFAULT_EXTENSIONS)
        markdown = Markdown(extensions=extensions, extension_configs=DEFAULT_CONFIGS)
        return markdown.convert(woven(text))

    return run


@pytest.fixture
def panels(verify):
    def run(text: str) -> list[str]:
        result = verify(text)
        return [panel(result.page, block) for block in result.blocks]

    return run


# Markdown


def test_the_output_fence_makes_room_for_what_was_printed(woven):
    text = "Before.\n\n```python\nprint(1)\n```\n\n```output\n1\n```\n\nAfter.\n"
    assert woven(text) == (
        "Before.\n\n```python\nprint(1)\n```\n\nbelow block 0\n\n\nAfter.\n"
    )


@pytest.mark.parametrize("output", ["", "\n```output\n2\n```\n"])
def test_text_right_below_a_block_stays_a_paragraph_of_its_own(html, output):
    code = "print(2)" if output else "x = 2"
    text = f"```python\n{code}\n```\n{output}Right below.\n"
    assert "<p>below block 0</p>\n<p>Right below.</p>" in html(text)


def test_our_options_leave_the_fence_and_the_themes_stay(woven):
    text = '```python {skip="no" title="Step 1" hl_lines="1"}\nx = 1\n```\n'
    assert woven(text).startswith('```python {title="Step 1" hl_lines="1"}\nx = 1\n')


def test_the_front_matter_is_left_out(woven):
    assert woven(f"---\ntitle: Page\n---\n\n{BLOCK}").startswith("\n```python\n")


def test_what_stands_below_a_block_is_indented_with_it(woven):
    text = "- Item\n\n    ```python\n    x = 2\n    ```\n\n    More.\n"
    assert woven(text) == (
        "- Item\n\n    ```python\n    x = 2\n    ```\n\n    below block 0\n\n\n"
        "    More.\n"
    )


def test_an_exemption_leaves_its_token(woven):
    assert woven("Since 2017<!-- ! year -->.\n") == "Since 2017.\n"


def test_a_comment_that_is_no_check_stays(woven):
    assert woven("A <!-- note -->.\n") == "A <!-- note -->.\n"


def test_a_page_without_anything_stays_as_it_is(woven):
    text = "# Title\n\n```text\n1<!-- = x -->\n```\n\n`2<!-- = x -->`\n"
    assert woven(text) == text


# Inline checks, as rendered


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("It is 2<!-- = x -->.", "<p>It is {2}.</p>"),
        ("## With 2<!-- = x --> keys", "<h2>With {2} keys</h2>"),
        ("- 2<!-- = x --> keys", "<li>{2} keys</li>"),
        ("| a |\n|---|\n| 2<!-- = x --> |", "<td>{2}</td>"),
        ('!!! note "2<!-- = x --> keys"', '<p class="admonition-title">{2} keys</p>'),
        ('??? note "2<!-- = x --> keys"\n\n    Text', "<summary>{2} keys</summary>"),
        ('=== "2<!-- = x --> keys"\n\n    Text', "{2} keys</label>"),
        ("**2**<!-- = x -->", "<p>{<strong>2</strong>}</p>"),
        ("`2`<!-- = x -->", "<p>{<code>2</code>}</p>"),
        ("> 2<!-- = x -->", "<p>{2}</p>"),
    ],
)
def test_a_checked_number_is_marked_wherever_it_stands(html, written, shown):
    marked = '<span class="lesson-checked" title="checked: x">'
    expected = shown.replace("{", marked).replace("}", "</span>")
    assert expected in html(f"{BLOCK}\n{written}\n")


class _Titles(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.titles: list[str] = []

    def handle_starttag(self, tag, attrs):
        if tag == "span" and "title" in dict(attrs):
            self.titles.append(dict(attrs)["title"])


@pytest.mark.parametrize(
    "expression",
    [
        "x * x / 2",
        "{'a': [2]}['a'][0]",
        "x if x < 3 and x > 1 else '`'",
        'len("**")',
        "[x][0] | 0",
        "1 ** 2 + 1 ** 2",
        "x + (0 if 'a_b_c' else 1)",
    ],
)
def test_readers_can_see_the_expression_whatever_is_in_it(html, expression):
    parser = _Titles()
    parser.feed(html(f"{BLOCK}\nIt is 2<!-- = {expression} -->.\n"))
    assert parser.titles == [f"checked: {expression}"]


def test_a_wrong_number_is_marked_with_the_right_value(woven):
    assert woven(f"{BLOCK}\nIt is 3<!-- = x -->.\n").endswith(
        'It is <span class="lesson-wrong" title="x = 2">3</span>.\n'
    )


def test_a_number_that_was_not_checked_is_not_marked(woven):
    text = "```python {.gpu}\nx = 2\n```\n\nIt is 3<!-- = x -->.\n"
    assert woven(text).endswith("It is 3.\n")


# Panels


def test_a_panel_shows_what_was_printed_and_that_it_was_verified(panels):
    text = "```python\nprint('<1>')\n```\n\n```output\n<1>\n```\n"
    [shown] = panels(text)
    assert '<p class="lesson-state">Output, verified</p>' in shown
    assert "<code>&lt;1&gt;</code>" in shown
    assert "lesson-output--verified" in shown


@pytest.mark.parametrize(
    ("options", "label"),
    [
        ("", "Runs, prints nothing"),
        (' {skip="takes a day"}', "Not run: takes a day"),
        (" {.gpu}", "Not run: no recording from a CUDA device yet"),
        (
            ' {recorded="timings vary"}',
            "Not run in a build, because timings vary; no recording yet",
        ),
    ],
)
def test_a_panel_says_what_became_of_the_block(panels, options, label):
    [shown] = panels(f"```python{options}\nx = 1\n```\n")
    assert f'<p class="lesson-state">{label}</p>' in shown


def test_the_panel_of_a_false_block_says_so_and_never_verified(panels):
    [shown] = panels("```python\nprint(1)\n```\n\n```output\n2\n```\n")
    assert "Failed: the page does not say what this block does" in shown
    assert "page.md:5: output differs" in shown
    assert "erified" not in shown


def test_a_panel_holds_the_figure(panels):
    code = "import matplotlib.pyplot as plt\n\nplt.plot([1, 2])"
    [shown] = panels(f'```python {{figure="A line that rises"}}\n{code}\n```\n')
    assert "Figure drawn by this block" in shown
    assert "<svg" in shown
    assert "A line that rises" in shown


def test_an_illustration_says_that_it_is_none_computed(panels):
    text = "```python {.illustration}\nprint('###')\n```\n\n```output\n###\n```\n"
    [shown] = panels(text)
    label = "Illustration, not computed (output, verified)"
    assert f'<p class="lesson-state">{label}</p>' in shown


def test_only_a_block_that_continues_carries_its_chain(panels):
    text = dedent(
        """
        ```python
        x = "<&>"
        ```

        ```python {.continues}
        y = x
        ```
        """
    )
    first, second = panels(text)
    assert "data-chain" not in first
    chain = "x = &quot;&lt;&amp;&gt;&quot;&#10;&#10;y = x&#10;"
    assert f' data-chain="{chain}"' in second
