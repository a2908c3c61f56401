"""Small changes of the lessons are noticed, or it is known why the page stays true.

`make proofs` tries them on every lesson; otherwise the quickest one gets a few.
"""

import os
from pathlib import Path

import pytest

from attention_ref.lessons.pages.page import Page
from attention_ref.lessons.pages.parsing import read_page
from attention_ref.lessons.proofs.mutation import code_mutations, said_mutations
from attention_ref.lessons.proofs.noticing import (
    sample,
    unnoticed_in_code,
    unnoticed_in_text,
)
from attention_ref.lessons.proofs.survivors import described, known, read_survivors
from attention_ref.lessons.running.cache import Cache
from attention_ref.lessons.running.processes import Runner
from attention_ref.lessons.running.run import Settings, run_pages

PROJECT = Path(__file__).parents[1]
SURVIVORS = read_survivors(Path(__file__).with_name("surviving_mutations.toml"))
IS_PROOF = bool(os.environ.get("PROOFS"))
LESSONS = sorted(
    (PROJECT / "docs" / "lessons").glob("*.md" if IS_PROOF else "small-numbers.md")
)
SETTINGS = Settings(cache=None if IS_PROOF else Cache(PROJECT / ".cache" / "lessons"))
CODE_CHANGES = 150 if IS_PROOF else 12
SAID_CHANGES = None if IS_PROOF else 60


@pytest.fixture(scope="module")
def runner():
    with Runner() as warm:
        yield warm


@pytest.fixture(params=LESSONS, ids=lambda path: path.stem)
def lesson(request) -> Page:
    return read_page(request.param, request.param.relative_to(PROJECT).as_posix())


def test_every_change_of_what_a_lesson_says_is_noticed(lesson, runner):
    [result] = run_pages([lesson], SETTINGS, runner)
    assert not result.problems
    tried = sample(list(said_mutations(lesson)), SAID_CHANGES, seed=0)
    unnoticed = unnoticed_in_text(result, tried)
    assert [(each.line, each.before, each.after) for each in unnoticed] == []


def test_every_change_of_a_lessons_code_is_noticed_or_has_a_reason(lesson, runner):
    tried = sample(list(code_mutations(lesson)), CODE_CHANGES, seed=0)
    assert [
        (each.line, each.before, each.after)
        for each in unnoticed_in_code(tried, SETTINGS, runner)
        if not known(each, SURVIVORS)
    ] == []


def test_every_listed_change_is_one_of_a_page():
    changes = {
        described(mutation)
        for name in {each.page for each in SURVIVORS}
        for mutation in code_mutations(read_page(PROJECT / name, name))
    }
    for each in SURVIVORS:
        assert (each.page, each.section, each.line, each.becomes) in changes
        assert each.reason
