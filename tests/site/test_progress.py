"""Progress: kept in the browser, shown where it helps, never lost by accident."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from axe import violations
from knowledge_checks import KEY, LESSONS, answer_all, give, open_lesson

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.browser

NAME = "lessons/small-numbers"
TITLE = "Attention in small numbers"
TICK = "I have done the practice"


def kept(page) -> dict:
    return json.loads(page.evaluate("key => localStorage.getItem(key)", KEY))


def keep(page, site, text: str) -> None:
    """Open the site with something kept already."""
    page.goto(site.address)
    page.evaluate("([key, text]) => localStorage.setItem(key, text)", [KEY, text])


def lesson(passed=(), *, practised=False, completed=False) -> str:
    it = {"practised": practised, "completed": completed, "passed": list(passed)}
    return json.dumps({"version": 1, "lessons": {NAME: it}})


def state(page) -> str:
    return page.locator(".lesson-progress").get_by_role("status").inner_text()


def overview_row(page, site) -> list[str]:
    """What the page Learn says about the first lesson."""
    page.goto(f"{site.address}learn/")
    row = page.locator(".learn-progress tr", has_text=TITLE)
    row.wait_for()
    return [" ".join(cell.split()) for cell in row.locator("td").all_inner_texts()]


def marks(page) -> list[str]:
    """Which pages the navigation shows as complete."""
    links = page.locator(".md-nav--primary a:has([aria-label=complete])")
    return [text.replace("✓", "").strip() for text in links.all_text_contents()]


@pytest.mark.parametrize("where", LESSONS)
def test_practice_and_check_together_complete_a_lesson(page, site, where):
    quizzes = open_lesson(page, site, where)
    assert "tick the practice and answer all questions" in state(page)
    answer_all(quizzes)
    assert state(page) == "To complete this lesson, tick the practice."
    assert marks(page) == []
    page.get_by_label(TICK).check()

    assert state(page) == "You have completed this lesson."
    assert len(marks(page)) == 1
    page.reload()
    page.locator(".quiz").first.wait_for()
    assert state(page) == "You have completed this lesson."
    assert page.get_by_label(TICK).is_checked()


def test_tick_alone_does_not_complete_a_lesson(page, site):
    open_lesson(page, site)
    page.get_by_label(TICK).check()

    assert "answer all questions" in state(page)
    assert overview_row(page, site) == ["✓", "0 of 8", "○"]
    assert marks(page) == []


def test_wrong_answers_do_not_count(page, site):
    quizzes = open_lesson(page, site)
    give(quizzes[0], "A")
    give(quizzes[1], "B")

    assert page.locator(".progress-questions").inner_text().endswith("1 of 8 answered")


def test_tick_can_be_taken_off(page, site):
    keep(page, site, lesson(["x"], practised=True, completed=True))
    open_lesson(page, site)
    page.get_by_label(TICK).uncheck()

    assert not kept(page)["lessons"][NAME]["completed"]
    assert marks(page) == []


def test_overview_and_navigation_show_it_after_a_swap(page, site):
    answer_all(open_lesson(page, site))
    page.get_by_label(TICK).check()
    page.locator(".lesson-progress a", has_text="All lessons").click()
    page.wait_for_url("**/learn/*")  # the theme may add where the reader was before
    row = page.locator(".learn-progress tr", has_text=TITLE)
    row.wait_for()

    assert row.locator("td").all_inner_texts() == ["✓", "8 of 8", "✓"]
    assert marks(page) == [TITLE]


def test_completed_lesson_stays_complete_when_it_gains_questions(page, site):
    keep(page, site, lesson(["check-old"], practised=True, completed=True))
    quizzes = open_lesson(page, site)

    assert state(page) == (
        "You have completed this lesson. New questions have come since."
    )
    give(quizzes[1], "B")
    mine = kept(page)["lessons"][NAME]
    assert mine["completed"]
    assert mine["passed"][0] == "check-old"
    assert len(mine["passed"]) == 2
    assert overview_row(page, site) == ["✓", "1 of 8", "✓"]


def test_answers_are_kept_by_question_and_not_by_place(page, site):
    quizzes = open_lesson(page, site)
    last = quizzes[-1]
    give(last, last.get_attribute("data-answer"))

    assert kept(page)["lessons"][NAME]["passed"] == [last.get_attribute("id")]
    assert last.get_attribute("id").startswith("check-there-are-four-keys")


def test_file_takes_progress_to_another_browser(browser, page, site, tmp_path):
    keep(page, site, lesson(["a", "b"], practised=True))
    page.goto(f"{site.address}learn/")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as a file").click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    with browser.new_page() as other:
        keep(other, site, lesson(["b", "c"]))
        other.goto(f"{site.address}learn/")
        bring(other, file)

        assert file.name == "progress.json"
        assert kept(other)["lessons"][NAME] == {
            "practised": True,
            "completed": False,
            "passed": ["b", "c", "a"],
        }


def bring(page, file: Path) -> None:
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Add from a file").click()
    chooser.value.set_files(file)
    page.locator(".learn-progress [role=status]:not(:empty)").wait_for()


@pytest.mark.parametrize(
    "text", ["", "no JSON", "[]", "null", '{"version": 2, "lessons": {}}', '{"a": 1}']
)
def test_file_of_something_else_changes_nothing(page, site, tmp_path, text):
    file = tmp_path / "file.json"
    file.write_text(text)
    keep(page, site, lesson(["a"]))
    page.goto(f"{site.address}learn/")
    bring(page, file)

    said = page.locator(".learn-progress [role=status]").inner_text()
    assert said.endswith("Nothing was changed.")
    assert kept(page) == json.loads(lesson(["a"]))


@pytest.mark.parametrize("agrees", [True, False])
def test_progress_is_forgotten_only_by_who_agrees(page, site, agrees):
    keep(page, site, lesson(["a"], practised=True, completed=True))
    page.goto(f"{site.address}learn/")
    page.on("dialog", lambda it: it.accept() if agrees else it.dismiss())
    page.get_by_role("button", name="Forget").click()

    assert (NAME in kept(page)["lessons"]) is not agrees
    assert marks(page) == ([] if agrees else [TITLE])


@pytest.mark.parametrize("text", ["{", "7", '{"version": 1, "lessons": {"x": null}}'])
def test_what_is_damaged_counts_as_nothing(page, site, text):
    keep(page, site, text)
    quizzes = open_lesson(page, site)
    give(quizzes[1], "B")

    assert len(kept(page)["lessons"][NAME]["passed"]) == 1


def test_what_a_newer_site_has_kept_is_left_alone(page, site):
    newer = '{"version":2,"lessons":{"lessons/small-numbers":{"better":true}}}'
    keep(page, site, newer)
    quizzes = open_lesson(page, site)
    give(quizzes[1], "B")

    assert page.evaluate("key => localStorage.getItem(key)", KEY) == newer
    assert page.locator(".progress-questions").inner_text().endswith("1 of 8 answered")


def test_without_storage_it_lasts_as_long_as_the_page(page, site):
    page.add_init_script(
        "Object.defineProperty(Storage.prototype, 'getItem', "
        "{ value() { throw new Error('no storage') } });"
        "Object.defineProperty(Storage.prototype, 'setItem', "
        "{ value() { throw new Error('no storage') } });"
    )
    answer_all(open_lesson(page, site))
    page.get_by_label(TICK).check()

    assert state(page) == "You have completed this lesson."


def test_other_tabs_follow(context, page, site):
    open_lesson(page, site)
    other = context.new_page()
    open_lesson(other, site)
    other.get_by_label(TICK).check()

    page.wait_for_function(
        "() => document.querySelector('.lesson-progress input').checked"
    )


def test_all_of_it_works_in_a_folder_of_the_host(page, deeper):
    answer_all(open_lesson(page, deeper))
    page.get_by_label(TICK).check()

    assert list(kept(page)["lessons"]) == [NAME]
    assert marks(page) == [TITLE]
    assert overview_row(page, deeper) == ["✓", "8 of 8", "✓"]


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_the_overview(page, site, scheme, width):
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    keep(page, site, lesson(["a"], practised=True, completed=True))
    overview_row(page, site)

    assert violations(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth") == width


def test_without_a_script_nothing_of_it_is_there(browser, site):
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        for where in ("learn/", LESSONS[0]):
            page.goto(site.address + where)
            for place in page.locator(".lesson-progress, .learn-progress").all():
                assert place.inner_text() == ""
                assert not place.is_visible()
