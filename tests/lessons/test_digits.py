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
from attention_ref.lessons.page import Page, parse_page, read_page
from attention_ref.lessons.running import Settings, run_pages
from attention_ref.lessons.verification import PageResult, verify_page


def read(lesson: str) -> Page:
    return read_page(PROJECT / "docs" / "lessons" / f"{lesson}.md", f"{lesson}.md")


def digits(page: Page) -> Iterator[int]:
    """Where the digits stand that somebody vouches for."""
    spans = [
        (block.expected.fence.source_start, block.expected.fence.source_end)
        for block in page.blocks
        if block.expected
    ]
    spans += [
        (check.start, check.start + len(check.token))
        for check in page.checks
        if page.blocks[check.block].options.runs_in_build
    ]
    for start, end in spans:
        yield from (n for n in range(start, end) if page.text[n] in "0123456789")


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
    missed = [place for place in places if not is_noticed(result, place)]
    with capsys.disabled():
        noticed = len(places) - len(missed)
        print(f"\n{lesson}: {noticed} of {len(places)} wrong digits noticed")
    assert len(places) > 200
    assert [page.text[:place].count("\n") + 1 for place in missed] == []


# Through the doors that people use


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Copy:
    made = copy_lessons(tmp_path_factory.mktemp("copy"))
    done = made.verify()
    assert done.returncode == 0, done.stdout
    return made


def drawn() -> list[tuple[str, int]]:
    everywhere = [(lesson, n) for lesson in LESSONS for n in digits(read(lesson))]
    return random.Random(2017).sample(everywhere, 10)


@pytest.fixture(params=range(10))
def wrong(request, copy) -> Iterator[tuple[str, str, bool]]:
    """The copy with one wrong digit: which lesson, which line, all doors or one."""
    lesson, place = drawn()[request.param]
    text = read(lesson).text
    line = text.count("\n", 0, place) + 1
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
        problems = [row for row in said.split("\n") if f"docs/{lesson}.md:" in row]
        named = {
            int(row.partition(f"{lesson}.md:")[2].split(":")[0]) for row in problems
        }
        # A wrong digit in an output is named by the line in which its fence opens.
        assert any(line - 60 < number <= line for number in named)
        assert "actual" in said or "at the digits shown" in said


@pytest.mark.slow
def test_the_copy_is_true_as_long_as_no_digit_is_wrong(copy):
    assert copy.build().returncode == 0
    assert copy.test(f"docs/{LESSONS[0]}.md").returncode == 0
