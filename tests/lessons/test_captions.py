"""A caption can hold checked numbers, like the text around it."""

import pytest
from written_pages import parsed

from attention_ref.lessons.proofs.coverage import cover
from attention_ref.lessons.publishing.rendering import check_what_readers_see
from attention_ref.lessons.publishing.weaving import weave
from attention_ref.lessons.updating import updated_text

PAGE = """
    ```python {figure="A line" caption="It rises to 3<!-- = top -->, in 2017<!-- ! year -->."}
    import matplotlib.pyplot as plt

    top = 3
    plt.plot([1, top])
    ```
"""  # noqa: E501 - a fence has one line


def test_it_is_evaluated_after_its_own_block(verify):
    result = verify(PAGE)

    assert [check.state for check in result.checks] == ["verified"]
    assert result.checks[0].check.line == 2
    assert [exempt.token for exempt in result.page.exemptions] == ["2017"]


def test_a_wrong_one_names_its_line(problems):
    [problem] = problems(PAGE.replace("to 3", "to 4"))

    assert problem.startswith("page.md:2: the page says 4, and top = 3")


def test_a_reader_sees_no_comment(verify):
    result = verify(PAGE)

    [figure] = result.blocks[0].outcome.figures
    assert "<figcaption>It rises to 3, in 2017.</figcaption>" in figure
    assert "<!--" not in weave(result, lambda _: "")


def test_an_update_writes_into_it(verify):
    text, left = updated_text(verify(PAGE.replace("to 3", "to 4")))

    assert not left
    assert 'caption="It rises to 3<!-- = top -->, in' in text


def test_its_numbers_are_covered():
    kinds = [(number.text, number.kind) for number in cover(parsed(PAGE)).numbers]

    assert kinds[:2] == [("3", "verified"), ("2017", "exempt")]


def test_an_unchecked_number_is_reported():
    [number] = cover(parsed(PAGE.replace("<!-- = top -->", ""))).unverified

    assert (number.line, number.text) == (2, "3")


def test_both_views_agree():
    check_what_readers_see(parsed(PAGE))


@pytest.mark.parametrize("option", ["figure", "title"])
def test_other_options_hold_no_checks(option):
    page = parsed(f'```python {{{option}="3<!-- = 3 -->"}}\nx = 3\n```\n')
    assert not page.checks
