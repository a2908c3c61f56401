"""The copy for download: from the file system it is whole, and can be searched."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from site_build import build

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def copy(shared) -> Path:
    """The offline copy, built once; ``ATTENTION_OFFLINE`` names one that exists."""
    folder = Path(os.environ.get("ATTENTION_OFFLINE") or shared / "offline").resolve()
    build("mkdocs-offline.yml", folder)
    return folder


def test_search_finds_and_opens_a_page_without_a_server(browser, copy):
    complaints, foreign = [], []
    with browser.new_page(viewport={"width": 1280, "height": 900}) as page:
        page.on("console", lambda it: complaints.append(it.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: foreign.append(request.url))
        page.goto((copy / "index.html").as_uri())
        page.keyboard.press("/")
        page.keyboard.type("log_sum_exp")
        page.locator(".md-search-result__link").first.click()
        page.wait_for_url("**/reference/api/*.html*")

        assert page.locator("h1").first.is_visible()
    assert complaints == []
    assert [url for url in foreign if not url.startswith(("file:", "data:"))] == []


def test_page_gets_its_copy_buttons_and_formulas(browser, copy):
    with browser.new_page() as page:
        page.goto((copy / "lessons" / "small-numbers.html").as_uri())

        assert page.locator("button.site-copy").count() > 0
        assert page.locator(".katex").count() > 0
        # Browsers start no worker from a file, so nothing offers to run Python.
        assert page.get_by_role("button", name="Change and run").count() == 0
    assert not (copy / "assets" / "python").exists()


def test_no_address_needs_a_server(copy):
    for path in copy.rglob("*.html"):
        text = path.read_text("utf-8")
        if path.name != "404.html":  # a file system has no page for what is not there
            assert 'href="/' not in text, path
            assert 'src="/' not in text, path
