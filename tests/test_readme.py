"""The README is run and read like a lesson."""

import re

import pytest
from lesson_copies import PROJECT

from attention_ref.lessons.pages.page import Page
from attention_ref.lessons.pages.parsing import read_page
from attention_ref.lessons.publishing.rendering import check_what_readers_see
from attention_ref.lessons.running.run import run_pages


@pytest.fixture(scope="module")
def readme() -> Page:
    return read_page(PROJECT / "README.md", "README.md")


def test_the_snippet_prints_what_the_readme_says(readme):
    check_what_readers_see(readme)
    [result] = run_pages([readme])
    assert result.problems == []
    assert [block.state for block in result.blocks] == ["verified"]


def test_the_snippet_comes_soon_and_is_short(readme):
    [snippet] = readme.blocks
    words = re.findall(r"\w[\w’'-]*", readme.text[: snippet.fence.start])
    assert len(words) < 60
    assert len(snippet.source.strip().split("\n")) <= 10
    assert snippet.expected is not None


def test_the_readme_names_the_two_commands(readme):
    assert "make site" in readme.text
    assert "make test" in readme.text


def test_every_file_that_the_readme_links_to_exists(readme):
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", readme.text)
    missing = [name for name in targets if not PROJECT.joinpath(name).exists()]
    assert missing == []
