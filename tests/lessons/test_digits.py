"""Every digit that a lesson prints or checks is noticed when it is wrong.

Each lesson runs once. Then one digit after the other is changed, in outputs and in
checked numbers, and the changed page is compared with what its blocks did: no change
touches code, so nothing has to run again.
"""

import random
from collections.abc import Iterator

import pytest
from lesson_copies import LESSONS, PROJECT, Copy, copy_lessons

from attention_ref.lessons.errors import PageError
from attention_ref.lessons.pages.page import Page
from attention_ref.lessons.pages.parsing import parse_page, read_page
from attention_ref.lessons.running.run import Settings, run_pages
from attention_ref.lessons.verification import PageResult, verify_page


def read(lesson: str) -> Page:
    return read_page(PROJECT / "docs" / "lessons" / f"{lesson}.md", f"{lesson}.md")


def digits(page: Page) -> Iterator[tuple[int, int]]:
    """Where the digits stand that somebody vouches for, and in which line to say so."""
    outputs = [block.expected for block in page.blocks if block.expected]
    spans = [(o.fence.source_start, o.fence.source_end, o.line) for o in outputs]
    spans += [
        (check.start, check.start + len(check.token), check.line)
        for check in page.checks
        if page.blocks[check.block].options.runs_in_build
    ]
    for start, end, line in spans:
        yield from ((n, line) for n in range(start, end) if page.text[n].isdecimal())


def with_wrong_digit(text: str, position: int) -> str:
    wrong = str((int(text[position]) + 1) % 10)
    return text[:position] + wrong + text[position + 1 :]


def is_noticed(result: PageResult, position: int) -> bool:
    outcomes = {b.block.index: b.outcome for b in result.blocks if b.outcome}
    text = with_wrong_digit(result.page.text, position)
    try:
        page = parse_page(text, result.page.path)
    except PageError:
        return True
    return bool(verify_page(page, outcomes, {}).problems)


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_digit_of_a_lesson_is_noticed_when_it_is_wrong(lesson, capsys):
    page = read(lesson)
    [result] = run_pages([page], Settings())
    assert result.problems == []
    places = list(digits(page))
    missed = [line for place, line in places if not is_noticed(result, place)]
    with capsys.disabled():
        noticed = len(places) - len(missed)
        print(f"\n{lesson}: {noticed} of {len(places)} wrong digits noticed")
    assert len(places) > 200
    assert missed == []


# Through the doors that people use


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Copy:
    made = copy_lessons(tmp_path_factory.mktemp("copy"))
    done = made.verify()
    assert done.returncode == 0, done.stdout
    return made


def drawn() -> list[tuple[str, int, int]]:
    everywhere = [
        (lesson, *where) for lesson in LESSONS for where in digits(read(lesson))
    ]
    return random.Random(2017).sample(everywhere, 10)


@pytest.fixture(params=range(10))
def wrong(request, copy) -> Iterator[tuple[str, int, bool]]:
    """The copy with one wrong digit: which lesson, which line, all doors or one."""
    lesson, place, line = drawn()[request.param]
    text = read(lesson).text
    copy.write(lesson, with_wrong_digit(text, place))
    yield lesson, line, request.param < 2
    copy.write(lesson, text)


@pytest.mark.slow
def test_wrong_digits_drawn_at_random_stop_everything(copy, wrong):
    lesson, line, all_doors = wrong
    page = f"docs/{lesson}.md"
    doors = [copy.verify(page)]
    if all_doors:
        doors += [copy.build(), copy.test(page)]
    for done in doors:
        assert done.returncode == 1
        said = done.stdout + done.stderr
        assert f"docs/{lesson}.md:{line}: " in said
        assert "actual" in said or "at the digits shown" in said


@pytest.mark.slow
def test_the_copy_is_true_as_long_as_no_digit_is_wrong(copy):
    assert copy.build().returncode == 0
    assert copy.test(f"docs/{LESSONS[0]}.md").returncode == 0
