"""Something vouches for every number that a reader of the lessons and recipes sees."""

from pathlib import Path

import pytest

from attention_ref.lessons.coverage import as_text, cover
from attention_ref.lessons.page import read_page

DOCS = Path(__file__).parents[1] / "docs"
# A number more that is not computed is a decision: change the count with the page.
EXEMPTIONS = {
    "corrections.md": 6,
    "glossary.md": 0,
    "how-it-checks.md": 0,
    "index.md": 0,
    "learn.md": 0,
    "lessons/attention-mechanism.md": 11,
    "lessons/small-numbers.md": 6,
    "lessons/worked-through.md": 16,
    "recipes/attention.md": 0,
    "recipes/errors.md": 1,
    "recipes/generation.md": 0,
    "recipes/heads.md": 0,
    "recipes/index.md": 0,
    "recipes/masks.md": 0,
    "recipes/numerics.md": 0,
    "recipes/pictures.md": 0,
    "recipes/positions.md": 0,
    "recipes/softmax.md": 0,
    "reference/notation.md": 6,
    "setup.md": 0,
    "use-the-engine.md": 0,
}
COMPLETE = sorted(
    path.relative_to(DOCS).as_posix()
    for folder in ("lessons", "recipes")
    for path in (DOCS / folder).glob("*.md")
)


@pytest.mark.parametrize("name", sorted({*EXEMPTIONS, *COMPLETE}))
def test_every_number_is_vouched_for_and_no_exemption_is_new(name):
    page = read_page(DOCS / name, name)
    coverage = cover(page)
    assert not coverage.unverified, as_text([coverage])
    assert len(page.exemptions) == EXEMPTIONS[name], as_text([coverage])
