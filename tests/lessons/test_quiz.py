"""Knowledge checks: what a question must hold, and what the site's scripts get."""

from decimal import Decimal
from pathlib import Path
from textwrap import dedent, indent

import pytest
from markdown import Markdown
from written_pages import parsed

from attention_ref.lessons.errors import PageError
from attention_ref.lessons.pages.parsing import read_page
from attention_ref.lessons.publishing.rendering import (
    DEFAULT_CONFIGS,
    DEFAULT_EXTENSIONS,
)
from attention_ref.lessons.quizzes.quiz import PROGRESS, find_questions, mark

LESSONS = sorted((Path(__file__).parents[2] / "docs" / "lessons").glob("*.md"))

HEAD = """\
```python
right, share = "B", 0.731
```

## Knowledge check

"""
OPTIONS = """\
- **A.** this
- **B.** that
- **C.** neither
"""
RIGHT = "**B**<!-- = right -->. It was computed."
REASONS = """\
- **A** is wrong.
- **C**: it is not.
"""


def question(
    asked: str = OPTIONS, answer: str = f"{RIGHT}\n\n{REASONS}", title: str = "Which?"
) -> str:
    unfolded = f'??? success "Answer"\n{indent(answer, "    ")}'
    return (
        f'??? question "{title}"\n{indent(asked, "    ")}\n{indent(unfolded, "    ")}\n'
    )


def page_with(*questions: str, foot: str = PROGRESS) -> str:
    return HEAD + "\n".join(questions) + f"\n{foot}\n"


def found(*questions: str):
    return find_questions(parsed(page_with(*questions)))


def refusal(*questions: str, foot: str = PROGRESS) -> str:
    with pytest.raises(PageError) as caught:
        find_questions(parsed(page_with(*questions, foot=foot)))
    return str(caught.value)


# What is read


def test_choice_has_its_letters_and_its_answer():
    [only] = found(question())

    assert (only.title, only.options, only.answer) == ("Which?", ("A", "B", "C"), "B")
    assert only.line == 7


def test_number_is_asked_for_where_there_are_no_options():
    [only] = found(question("Type it.\n", "**0.731**<!-- = share -->. Computed.\n"))

    assert only.options == ()
    assert (only.number, only.tolerance) == (Decimal("0.731"), Decimal("0.0005"))


@pytest.mark.parametrize(
    ("token", "number", "tolerance"),
    [
        ("3", "3", "0"),
        ("1,024", "1024", "0"),
        ("−0.5", "-0.5", "0.05"),
        ("73 %", "73", "0.5"),
        ("73.1 %", "73.1", "0.05"),
        ("1.5e-4", "0.00015", "0.000005"),
    ],
)
def test_tolerance_is_half_a_unit_of_the_last_digit(token, number, tolerance):
    [only] = found(question("", f"**{token}**<!-- = share -->. Computed.\n"))

    assert (only.number, only.tolerance) == (Decimal(number), Decimal(tolerance))


def test_name_of_a_question_holds_wherever_it_stands():
    one, two = question(title="One?"), question(title="Two?")

    before = {each.title: each.identifier for each in found(one, two)}
    after = {each.title: each.identifier for each in found(two, one)}

    assert before == after == {"One?": "check-one", "Two?": "check-two"}


def test_name_of_a_question_does_not_hang_on_how_it_ends():
    [long] = found(question(title="One two three four five six seven `8` nine?"))

    assert long.identifier == "check-one-two-three-four-five-six-seven-8"


def test_blocks_may_stand_in_the_answer_and_nothing_in_them_counts():
    block = '```python\ntext = """\n- **A** …\n**C**\n"""\n```\n\n'

    [only] = found(question(answer=f"{block}{RIGHT}\n\n{REASONS}"))

    assert only.answer == "B"


def test_questions_elsewhere_are_left_alone():
    text = '??? question "What if?"\n    Think.\n\n' + HEAD + "None yet.\n"

    assert find_questions(parsed(text)) == ()


def test_check_ends_with_the_next_heading():
    later = '\n## Next\n\n??? question "What if?"\n    Think.\n'

    assert len(find_questions(parsed(page_with(question()) + later))) == 1


# What is refused


def test_answer_must_be_there():
    assert refusal('??? question "Which?"\n    - **A.** this\n') == (
        'page.md:7: a question must hold ??? success "Answer" once, indented by four '
        "blanks, got it 0 times"
    )


def test_letter_must_be_an_option():
    answer = f"**D**<!-- = right -->. So.\n\n{REASONS}"

    assert refusal(question(answer=answer)) == (
        "page.md:13: the answer must be one of A, B, C, got D"
    )


def test_letter_must_be_computed():
    answer = f"**B**. It is said.\n\n{REASONS}"

    assert refusal(question(answer=answer)) == (
        "page.md:13: the right letter must be computed, got B without a check. "
        "Write **B**<!-- = right -->. Because …"
    )


def test_letter_must_not_be_missing():
    assert refusal(question(answer=REASONS)) == (
        "page.md:7: one paragraph of the answer must begin with the right letter in "
        "bold, got 0. Write **B**<!-- = right -->. Because …"
    )


def test_letter_must_not_be_given_twice():
    answer = f"{RIGHT}\n\n**C**<!-- = right -->. Or so.\n\n{REASONS}"

    assert refusal(question(answer=answer)).startswith(
        "page.md:15: one paragraph of the answer must begin with the right letter in "
        "bold, got 2."
    )


def test_right_letter_must_have_its_reason():
    answer = f"**B**<!-- = right -->.\n\n{REASONS}"

    assert refusal(question(answer=answer)) == (
        "page.md:13: B must be followed by its reason"
    )


def test_wrong_letter_must_have_its_reason():
    answer = f"{RIGHT}\n\n- **A** is wrong.\n"

    assert refusal(question(answer=answer)) == (
        "page.md:7: the answer must say why C is wrong. Write - **C** …, as an item of "
        "a list"
    )


def test_reason_must_hold_words():
    assert refusal(question(answer=f"{RIGHT}\n\n- **A** …\n- **C** is not.\n")) == (
        "page.md:15: A must be followed by its reason"
    )


def test_reason_must_be_for_a_wrong_option():
    answer = f"{RIGHT}\n\n{REASONS}- **D** is no option.\n"

    assert refusal(question(answer=answer)) == (
        "page.md:17: a reason must be for one of A, C, got D"
    )


def test_reason_must_be_given_once():
    answer = f"{RIGHT}\n\n{REASONS}- **A** is still wrong.\n"

    assert refusal(question(answer=answer)) == (
        "page.md:17: A must have one reason, got another"
    )


def test_options_must_be_lettered_in_order():
    assert refusal(question(asked="- **A.** this\n- **C.** that\n")) == (
        "page.md:9: the next option must be B, got C"
    )


def test_question_must_leave_a_choice():
    assert refusal(question(asked="- **A.** this\n")) == (
        "page.md:8: a question must leave a choice, got one option"
    )


def test_letter_without_options_is_refused():
    assert refusal(question(asked="- A: this\n- B: that\n")) == (
        "page.md:12: a question without options must ask for a number, got the answer "
        "B. Letter the options - **A.** …, indented by four blanks"
    )


def test_question_must_begin_at_the_margin():
    assert refusal(f'!!! note "Now"\n{indent(question(), "    ")}') == (
        "page.md:8: a question must begin at the margin. Take the blanks off"
    )


def test_two_questions_must_not_share_a_name():
    assert refusal(question(), question()) == (
        "page.md:19: a question must differ from others in its first words. Reword it"
    )


@pytest.mark.parametrize(("foot", "times"), [("", 0), (f"{PROGRESS}\n{PROGRESS}", 2)])
def test_place_of_progress_must_be_there_once(foot, times):
    assert refusal(question(), foot=foot) == (
        "page.md:5: a page with a knowledge check must hold <!-- lesson progress --> "
        f"once, got it {times} times. Put it where a reader is done"
    )


# What the site's scripts get


def marked(text: str) -> str:
    page = parsed(text)
    extensions = [*DEFAULT_EXTENSIONS, "toc"]
    html = Markdown(extensions=extensions, extension_configs=DEFAULT_CONFIGS)
    return mark(html.convert(page.text), find_questions(page))


def test_question_gets_its_name_and_its_answer():
    assert '<details class="question" id="check-which" data-answer="B">' in marked(
        page_with(question())
    )


def test_number_gets_its_tolerance_and_its_unit():
    html = marked(page_with(question("", "**73.1 %**<!-- = share -->. Computed.\n")))

    assert 'data-answer="73.1" data-tolerance="0.05" data-unit="%">' in html


def test_only_questions_of_the_check_are_marked():
    other = '??? question "What if?"\n    Think.\n\n'
    html = marked(other + page_with(question()) + "\n## Next\n\n" + other)

    assert html.count('<details class="question">') == 2
    assert html.count("data-answer") == 1


def test_page_without_a_check_stays_as_it_is():
    assert mark("<p>text</p>", ()) == "<p>text</p>"


# The lessons


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_every_lesson_asks_five_to_eight_questions_one_of_them_for_a_number(path):
    questions = find_questions(read_page(path))

    assert 5 <= len(questions) <= 8
    assert any(not each.options for each in questions)


def test_docstring_of_the_module_shows_a_question_that_is_read():
    from attention_ref.lessons.quizzes import quiz

    _, _, example = (quiz.__doc__ or "").partition("check`:\n\n")
    text = dedent(example.partition("\n- Options")[0])
    page = parsed(
        f"```python\nright = 'A'\n```\n\n## Knowledge check\n\n{text}\n{PROGRESS}\n"
    )

    assert [each.answer for each in find_questions(page)] == ["A"]
