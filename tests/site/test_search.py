"""The search: it fetches its index when somebody searches, and then finds things."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser

INDEX = "search/whole_index.json"
BOX = "input.md-search__input"
RESULTS = ".md-search-result__link"


@pytest.fixture
def page(browser):
    with browser.new_page(viewport={"width": 1280, "height": 900}) as page:
        page.asked = []
        page.on("request", lambda request: page.asked.append(request.url))
        yield page


def search(page, words: str) -> str:
    """Type as a reader does; return the address of the best result."""
    page.wait_for_timeout(300)  # the theme closes its search when a page has changed
    page.locator(BOX).clear()
    page.locator(BOX).press_sequentially(words, delay=20)
    page.locator(RESULTS).first.wait_for()
    page.wait_for_timeout(300)
    return page.locator(RESULTS).first.get_attribute("href")


def test_index_is_fetched_at_the_first_letter_and_once(page, site):
    page.goto(site.address)
    page.wait_for_load_state("networkidle")
    page.keyboard.press("/")
    page.get_by_text("Type to start searching").wait_for()
    assert site.address + INDEX not in page.asked

    assert "/reference/api/attention/" in search(page, "log_sum_exp")
    assert "mask" in search(page, "causal_mask")
    assert page.asked.count(site.address + INDEX) == 1


def test_search_goes_on_after_a_page_was_swapped_in(page, site):
    page.goto(site.address)
    page.wait_for_load_state("networkidle")
    page.evaluate("() => { window.still = true }")
    page.locator(".md-tabs__link", has_text="Learn").click()
    page.wait_for_url("**/learn/")
    search(page, "log_sum_exp")
    page.locator(RESULTS).first.click()
    page.wait_for_url("**/reference/api/**")

    address = page.locator("link[rel=canonical]")
    if address.count() and address.get_attribute("href").startswith(site.address):
        assert page.evaluate("() => window.still"), "the page was loaded anew"
    assert "mask" in search(page, "causal_mask")


def test_address_with_a_query_opens_the_search(page, site):
    page.goto(f"{site.address}?q=causal_mask")
    page.locator(RESULTS).first.wait_for()


def test_words_that_were_searched_are_marked_on_the_page(page, site):
    page.goto(f"{site.address}learn/?h=lessons")
    page.locator("article mark").first.wait_for()

    assert site.address + INDEX not in page.asked


def test_after_a_failure_the_next_letter_tries_again(page, site):
    page.route(f"**/{INDEX}", lambda route: route.abort(), times=1)
    page.goto(site.address)
    page.wait_for_load_state("networkidle")
    page.keyboard.press("/")
    page.keyboard.type("m")
    page.wait_for_timeout(300)
    assert page.locator(RESULTS).count() == 0

    assert search(page, "ask")
