"""Something vouches for every number that a reader of the site sees."""

from pathlib import Path

import pytest

from attention_ref.lessons.pages.parsing import read_page
from attention_ref.lessons.proofs.coverage import as_text, cover

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
# A number more that is not computed is a decision: change the count with the page.
EXEMPTIONS = {
    "corrections.md": 6,
    "lessons/attention-mechanism.md": 11,
    "lessons/small-numbers.md": 6,
    "lessons/worked-through.md": 16,
    "recipes/errors.md": 1,
    "reference/conventions.md": 6,
    "reference/notation.md": 6,
}


@pytest.mark.parametrize("name", PAGES)
def test_every_number_is_vouched_for_and_no_exemption_is_new(name):
    page = read_page(DOCS / name, name)
    coverage = cover(page)
    assert not coverage.unverified, as_text([coverage])
    assert len(page.exemptions) == EXEMPTIONS.get(name, 0), as_text([coverage])


def test_every_page_with_exemptions_is_there():
    assert set(EXEMPTIONS) <= set(PAGES)
