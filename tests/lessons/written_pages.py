"""Pages written in tests: dedented Markdown in, what the engine makes of it out."""

from textwrap import dedent

import pytest

from attention_ref.lessons.errors import PageError
from attention_ref.lessons.pages.page import Page
from attention_ref.lessons.pages.parsing import parse_page


def parsed(text: str) -> Page:
    return parse_page(dedent(text), "page.md")


def sources(text: str) -> list[str]:
    """The code of each block."""
    return [block.source for block in parsed(text).blocks]


def tokens(text: str) -> list[str]:
    """What each inline check compares."""
    return [check.token for check in parsed(text).checks]


def refusal(text: str) -> str:
    """The one line with which the page is refused."""
    with pytest.raises(PageError) as caught:
        parsed(text)
    message = str(caught.value)
    assert "\n" not in message
    return message
