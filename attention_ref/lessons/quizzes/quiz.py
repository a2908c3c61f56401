"""Knowledge checks: find the questions of a page, and mark them for its scripts.

A check is plain Markdown that a reader can use anywhere: each question is folded text,
and so is its answer. The questions stand under the heading `## Knowledge check`:

    ??? question "Two keys have equal scores. How are the weights?"
        - **A.** equal
        - **B.** unequal

        ??? success "Answer"
            **A**<!-- = right -->. Softmax sees nothing but the scores.

            - **B** would need a difference.

- Options are lettered **A.**, **B.**, … in a list.
- The right letter stands in bold where a paragraph of the answer begins. It is an
  inline check, so that the build computes it. Its reason follows in the same line.
- Every other letter begins an item of a list in the answer, with its reason.
- A question without options asks for a number: the bold, checked number of the answer.
  What a reader types must be right to half a unit of its last digit; a whole number
  must be met. Items such as `- **1** …` say why that number is wrong.
- The answer may hold blocks, also before the right letter.

The page says once, by `<!-- lesson progress -->`, where a reader's progress stands.
The site's scripts make a form of each question; where none runs, the text stays.
"""

import re
from collections.abc import Iterator, Sequence

from attention_ref.lessons.errors import PageError
from attention_ref.lessons.pages.fences import find_fences
from attention_ref.lessons.pages.page import Page
from attention_ref.lessons.quizzes.questions import Line, Question, read_question

HEADING = "## Knowledge check"
PROGRESS = "<!-- lesson progress -->"

_QUESTION = re.compile(r'( *)\?\?\?\+? question "(.*)"')
_RENDERED = re.compile(r'<details class="question"(?: open="open")?>')


def find_questions(page: Page) -> tuple[Question, ...]:
    """Read the knowledge check of a page.

    Args:
        page: The page.

    Returns:
        Its questions, in order; none if the page has no knowledge check.

    Raises:
        PageError: If a question is not answered as this module asks for, or the page
            does not say once where progress stands.
    """
    questions: list[Question] = []
    for line, title, body in _bodies(page):
        question = read_question(page.path, line, title, body)
        if any(question.identifier == each.identifier for each in questions):
            message = "a question must differ from others in its first words. Reword it"
            raise PageError(page.path, line, message)
        questions.append(question)
    if questions:
        _refuse_missing_place(page)
    return tuple(questions)


def mark(html: str, questions: Sequence[Question]) -> str:
    """Give each rendered question its name and its right answer.

    Args:
        html: The rendered page.
        questions: What `find_questions` found on it.

    Returns:
        The page with the attributes `id` and `data-answer` on the questions, and for
        numbers `data-tolerance` and `data-unit`.
    """
    if not questions:
        return html
    start = html.index('id="knowledge-check"')
    attributes = map(_attributes, questions)
    check = _RENDERED.sub(
        lambda _: f'<details class="question"{next(attributes)}>',
        html[start:],
        count=len(questions),
    )
    return html[:start] + check


def _attributes(question: Question) -> str:
    found = {"id": question.identifier, "data-answer": question.answer}
    if not question.options:
        found["data-answer"] = f"{question.number:f}"
        found["data-tolerance"] = f"{question.tolerance:f}"
        found["data-unit"] = "%" if "%" in question.answer else ""
    return "".join(f' {name}="{value}"' for name, value in found.items())


def _bodies(page: Page) -> Iterator[tuple[int, str, list[Line]]]:
    """Each question: the number of its line, its title, the lines that belong to it."""
    lines = list(_check_lines(page))
    for place, (number, line) in enumerate(lines):
        match = _QUESTION.fullmatch(line)
        if match is None:
            continue
        if match[1]:
            message = "a question must begin at the margin. Take the blanks off"
            raise PageError(page.path, number, message)
        body = []
        for later in lines[place + 1 :]:
            if later[1] and not later[1].startswith("    "):
                break
            body.append(later)
        yield number, match[2], body


def _check_lines(page: Page) -> Iterator[Line]:
    """The lines of the knowledge check, less those of its fences."""
    fenced: set[int] = set()
    for fence in find_fences(page.text, page.path):
        first = page.text.count("\n", 0, fence.start) + 1
        height = page.text.count("\n", fence.start, fence.end) + 1
        fenced |= set(range(first, first + height))
    inside = False
    for number, line in enumerate(page.text.split("\n"), start=1):
        if number in fenced:
            continue
        if re.match("##? ", line):
            inside = line.rstrip() == HEADING
        if inside:
            yield number, line.rstrip()


def _refuse_missing_place(page: Page) -> None:
    places = page.text.count(PROGRESS)
    if places != 1:
        line = page.text.count("\n", 0, page.text.index(HEADING)) + 1
        message = (
            f"a page with a knowledge check must hold {PROGRESS} once, got it {places} "
            "times. Put it where a reader is done"
        )
        raise PageError(page.path, line, message)
