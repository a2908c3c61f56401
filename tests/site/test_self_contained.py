"""The site asks nobody else for anything, keeps to its policy, and needs no script."""

from __future__ import annotations

import re

import pytest

pytestmark = pytest.mark.browser

UNFOLD = "() => document.querySelectorAll('details').forEach(it => it.open = true)"


class Witness:
    """Writes down what a page asks for and what it complains about."""

    def __init__(self, page, own: str) -> None:
        self.foreign: list[str] = []
        self.complaints: list[str] = []
        self._own = own
        page.on("request", self._see_request)
        page.on("console", self._see_message)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("requestfailed", lambda it: self.complaints.append(f"failed: {it.url}"))

    def _see_request(self, request) -> None:
        if not request.url.startswith((self._own, "data:", "blob:")):
            self.foreign.append(request.url)

    def _see_message(self, message) -> None:
        # A violation of the policy is written to the console, too.
        if message.type in {"error", "warning"}:
            self.complaints.append(message.text)


def use_everything(page) -> None:
    """Scroll to the end, open what is folded, press what can be pressed."""
    page.mouse.wheel(0, 100_000)
    page.evaluate(UNFOLD)
    for button in page.locator("button.site-copy:visible").all()[:3]:
        button.click()
    for label in page.locator(".tabbed-labels label:visible").all()[:6]:
        label.click()
    page.keyboard.press("/")
    page.keyboard.type("softmax")
    page.wait_for_timeout(300)
    page.keyboard.press("Escape")


def test_no_request_leaves_the_site_and_nothing_complains(page, site, address):
    witness = Witness(page, site.address)
    page.goto(site.address + address)
    use_everything(page)
    page.locator("form[data-md-component=palette] label:visible").click()
    page.wait_for_load_state("networkidle")

    assert witness.foreign == []
    assert witness.complaints == []


def test_the_witness_sees_what_it_should(page, site):
    """A test of the test: a foreign request and a violation are both written down."""
    witness = Witness(page, site.address)
    page.goto(site.address)
    page.evaluate("() => { new Image().src = 'http://127.0.0.1:9/x.png' }")
    page.evaluate(
        "() => { document.body.insertAdjacentHTML('beforeend', "
        "`<b id=b onclick='0'>b</b>`); b.click() }"
    )
    page.wait_for_timeout(300)

    complaints = " ".join(witness.complaints)
    assert "img-src" in complaints
    assert "script-src" in complaints


def test_moving_between_pages_without_loading_keeps_to_the_policy(page, site):
    witness = Witness(page, site.address)
    page.goto(site.address)
    page.wait_for_load_state("networkidle")
    page.evaluate("() => { window.still = true }")
    for name in ("Reference", "Learn"):
        page.locator(".md-tabs__link", has_text=name).click()
        page.wait_for_load_state("networkidle")
    page.wait_for_timeout(300)

    assert witness.foreign == []
    assert witness.complaints == []
    canonical = page.locator("link[rel=canonical]").get_attribute("href")
    if canonical.startswith(site.address):
        assert page.evaluate("() => window.still"), "the page was loaded anew"


def test_policy_allows_no_evaluation_and_no_inline_script(plain):
    policy = plain.locator("meta[http-equiv=Content-Security-Policy]")
    text = policy.get_attribute("content")

    assert "unsafe-eval" not in text
    scripts = re.search(r"script-src ([^;]*)", text).group(1)
    assert "unsafe-inline" not in scripts
    assert "http" not in text


def test_page_is_readable_without_javascript(plain):
    assert plain.locator("h1").first.is_visible()
    for selector in (".md-content p", ".highlight code", ".attention-figure svg"):
        found = plain.locator(f"{selector} >> visible=true")
        total = plain.locator(selector).count()
        assert not total or found.count(), selector
    # No control that needs a script stands there without one.
    assert plain.locator("button.site-copy").count() == 0
