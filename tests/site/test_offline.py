"""The copy for download: from the file system it is whole, and can be searched."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.browser

PROJECT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    """The offline copy, built once; ``ATTENTION_OFFLINE`` names one that exists."""
    if given := os.environ.get("ATTENTION_OFFLINE"):
        return Path(given)
    folder = tmp_path_factory.mktemp("offline")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet"]
    options = ["--config-file", "mkdocs-offline.yml", "--site-dir", str(folder)]
    done = subprocess.run(
        [*command, *options],
        cwd=PROJECT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
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


def test_no_address_needs_a_server(copy):
    for path in copy.rglob("*.html"):
        text = path.read_text("utf-8")
        if path.name != "404.html":  # a file system has no page for what is not there
            assert 'href="/' not in text, path
            assert 'src="/' not in text, path
