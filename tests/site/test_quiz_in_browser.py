"""Knowledge checks in a browser: with a mouse, with a keyboard, without a script."""

from __future__ import annotations

import pytest
from axe import violations
from knowledge_checks import LESSONS, answer_all, give, open_lesson, said

pytestmark = pytest.mark.browser


def choice(quizzes):
    return next(quiz for quiz in quizzes if quiz.locator("[type=radio]").count())


def number(quizzes):
    return next(quiz for quiz in quizzes if not quiz.locator("[type=radio]").count())


@pytest.mark.parametrize("where", LESSONS)
def test_each_choice_is_judged_with_a_reason_of_its_own(page, site, where):
    for quiz in open_lesson(page, site, where):
        right = quiz.get_attribute("data-answer")
        values = [radio.input_value() for radio in quiz.locator("[type=radio]").all()]
        answers = [give(quiz, value) for value in values]

        for value, answer in zip(values, answers, strict=True):
            verdict = "Right." if value == right else "Not right."
            assert answer.startswith(f"{verdict} {value}")
            assert len(answer) > len(f"{verdict} {value}") + 10
        assert len(set(answers)) == len(values)


@pytest.mark.parametrize("where", LESSONS)
def test_right_numbers_are_met_and_wrong_ones_explained(page, site, where):
    quizzes = open_lesson(page, site, where)
    for quiz in quizzes:
        if quiz.locator("[type=radio]").count():
            continue
        right = quiz.get_attribute("data-answer")
        assert give(quiz, right).startswith(f"Right. {right}")
        for bold in quiz.locator("details > ul > li strong").all_text_contents():
            assert give(quiz, bold).startswith(f"Not right. {bold}")


def test_number_is_right_to_half_a_unit_of_its_last_digit(page, site):
    quiz = number(open_lesson(page, site))
    assert quiz.get_attribute("data-answer") == "0.25"

    for typed in ("0.25", "0,25", " .25 ", "0.2549", "0.245", "2.5e-1"):
        assert give(quiz, typed).startswith("Right."), typed
    for typed in ("0.256", "0.2449", "-0.25", "−0.25", "25"):
        assert give(quiz, typed) == "Not right. Try again, or unfold the answer.", typed


def test_what_is_no_answer_is_not_judged(page, site):
    quizzes = open_lesson(page, site)
    choice(quizzes).get_by_role("button", name="Check").click()

    assert said(choice(quizzes)) == "Choose an answer first."
    assert give(number(quizzes), " ") == "Type a number first."
    for typed in ("a quarter", "0.2.5", "1/4"):
        assert give(number(quizzes), typed).startswith("This is not a number.")


def test_another_choice_takes_the_verdict_away(page, site):
    quiz = choice(open_lesson(page, site))
    give(quiz, "A")
    quiz.locator("input[value=C]").check()

    assert said(quiz) == ""


def test_right_answers_are_remembered(page, site):
    quizzes = open_lesson(page, site)
    quiz = choice(quizzes)
    give(quiz, quiz.get_attribute("data-answer"))
    page.reload()
    quizzes = open_lesson(page, site)

    assert choice(quizzes).get_by_role("img", name="answered").count() == 1
    assert number(quizzes).get_by_role("img", name="answered").count() == 0


def test_keyboard_alone_chooses_and_checks(page, site):
    quiz = choice(open_lesson(page, site))
    quiz.locator("input[value=A]").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")

    assert page.evaluate("() => document.activeElement.textContent") == "Check"
    page.keyboard.press("Enter")
    assert said(quiz).startswith("Right. B")
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.tagName") == "SUMMARY"


def test_question_is_the_name_of_its_group_or_field(page, site):
    quizzes = open_lesson(page, site)

    name = "The first value of the experiment becomes [5, 5]. What changes?"
    assert choice(quizzes).get_by_role("group", name=name).count() == 1
    name = "There are four keys, and all have the same score. How large is each weight?"
    assert number(quizzes).get_by_role("textbox", name=name).count() == 1


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_an_answered_check(page, site, scheme, width):
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    quizzes = open_lesson(page, site)
    answer_all(quizzes[1:])
    give(quizzes[0], "C")

    assert violations(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth") == width


def test_check_works_on_a_page_that_was_swapped_in(page, site):
    page.goto(f"{site.address}learn/")
    page.locator("article a", has_text="Attention in small numbers").first.click()
    page.wait_for_url("**/lessons/small-numbers/")
    page.locator(".quiz").first.wait_for()

    quizzes = page.locator(".quiz").all()
    assert len(quizzes) == 8
    assert give(quizzes[0], "B").startswith("Right. B")


@pytest.mark.parametrize("where", LESSONS)
def test_without_a_script_the_check_is_folded_text(browser, site, where):
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(site.address + where)
        question = page.locator("details.question").first
        question.locator("summary").first.click()
        question.locator("details.success > summary").click()

        assert question.locator("li").first.is_visible()
        assert question.locator("details.success strong").first.is_visible()
        assert page.locator(".quiz, .quiz-form").count() == 0
