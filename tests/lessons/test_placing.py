"""Panels reach the finished page, and nothing on the way reads or counts in vain."""

import pytest

from attention_ref.lessons.publishing import placing
from attention_ref.lessons.publishing.panels import panel
from attention_ref.lessons.publishing.placing import (
    fill_places,
    keep_places,
    weave_places,
)

TWO_BLOCKS = "# Page\n\n```python\nx = 1\n```\n\nText.\n\n```python\nprint(2)\n```\n"


def test_the_markdown_has_a_word_for_each_panel(verify):
    text = weave_places(verify(TWO_BLOCKS), [])

    assert text.count("lessonpanel0place") == text.count("lessonpanel1place") == 1
    assert "lesson-output" not in text


def test_a_place_in_a_paragraph_of_its_own_leaves_no_paragraph():
    html = "<p>lessonpanel0place</p><ul><li>lessonpanel12place</li></ul>"

    assert keep_places(html) == (
        '<div data-lesson-panel="0"></div>'
        '<ul><li><div data-lesson-panel="12"></div></li></ul>'
    )


def test_each_panel_comes_to_its_own_place(verify):
    result = verify(TWO_BLOCKS)
    first, second = (panel(result.page, block) for block in result.blocks)
    places = keep_places("<p>lessonpanel1place</p><p>lessonpanel0place</p>")

    assert first != second
    assert fill_places(places, result) == second + first


@pytest.mark.parametrize(
    ("text", "counted"),
    [("# Page\n", [1]), ("# Page\n\n<!-- verified totals -->\n", [3, 1])],
)
def test_only_a_page_that_shows_the_totals_counts_all_pages(
    text, counted, verify, monkeypatch
):
    site = [verify(f"{text}\n```python\nx = 1\n```\n") for _ in range(3)]
    counts = []
    monkeypatch.setattr(
        placing, "sentence", lambda results: counts.append(len(results)) or "all"
    )
    weave_places(site[1], site)
    assert counts == counted


def test_only_a_page_with_blocks_says_at_its_foot_what_was_verified(verify):
    assert "lesson-foot" in weave_places(verify(TWO_BLOCKS), [])
    assert "lesson-foot" not in weave_places(verify("# Page\n"), [])
