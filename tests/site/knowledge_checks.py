"""What several tests do with knowledge checks in a browser."""

from __future__ import annotations

from pathlib import Path

LESSONS = sorted(
    f"lessons/{path.stem}/"
    for path in (Path(__file__).parents[2] / "docs" / "lessons").glob("*.md")
)
KEY = "attention-ref.progress"


def open_lesson(page, site, address: str = "lessons/small-numbers/"):
    """Open a lesson, and return its questions."""
    page.goto(site.address + address)
    page.locator(".quiz").first.wait_for()
    return page.locator(".quiz").all()


def give(quiz, answer: str) -> str:
    """Choose or type an answer, press the button, and return what is said."""
    radio = quiz.locator(f"input[type=radio][value='{answer}']")
    if radio.count():
        radio.check()
    else:
        quiz.locator("input").fill(answer)
    quiz.get_by_role("button", name="Check").click()
    return said(quiz)


def said(quiz) -> str:
    """Return what the quiz says about the answer."""
    return " ".join(quiz.get_by_role("status").inner_text().split())


def answer_all(quizzes) -> None:
    """Answer all questions rightly."""
    for quiz in quizzes:
        give(quiz, quiz.get_attribute("data-answer"))
