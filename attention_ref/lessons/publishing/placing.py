"""Results on their way through a site generator, which must not take them apart.

Nothing but a panel's place travels along: a word that means nothing in Markdown, then
an empty element in the HTML. The panel comes in at last, when the search has read the
page.
"""

import re
from collections.abc import Iterable

from attention_ref.lessons.publishing.panels import panel
from attention_ref.lessons.publishing.rendering import mark
from attention_ref.lessons.publishing.report import sentence
from attention_ref.lessons.publishing.weaving import weave
from attention_ref.lessons.verification import PageResult

TOTALS = "<!-- verified totals -->"
"""An author writes this where the totals of the whole site are to stand."""

_NUMBER = r"(\d+)"
_WORD = "lessonpanel{}place"
_RENDERED_WORD = re.compile(f"(?:<p>)?{_WORD.format(_NUMBER)}(?:</p>)?")
_ELEMENT = '<div data-lesson-panel="{}"></div>'
_RENDERED_ELEMENT = re.compile(_ELEMENT.format(_NUMBER))


def weave_places(result: PageResult, site: Iterable[PageResult]) -> str:
    """Write a page's Markdown with a place for each panel.

    Args:
        result: The page and its results.
        site: The results of all pages, for an author who wants their totals.

    Returns:
        The Markdown text, with what was verified on the page at its foot.
    """
    text = weave(result, lambda each: _WORD.format(each.block.index), mark)
    if TOTALS in text:  # counting on each page would take time squared
        text = text.replace(TOTALS, sentence(site))
    return text + _foot(result) if result.blocks else text


def keep_places(html: str) -> str:
    """Make each place an element, now that the Markdown has become HTML."""
    return _RENDERED_WORD.sub(lambda word: _ELEMENT.format(word[1]), html)


def fill_places(html: str, result: PageResult) -> str:
    """Put each panel in its place."""
    return _RENDERED_ELEMENT.sub(
        lambda place: panel(result.page, result.blocks[int(place[1])]), html
    )


def _foot(result: PageResult) -> str:
    return f'\n\n<p class="lesson-foot">On this page: {sentence([result])}.</p>\n'
