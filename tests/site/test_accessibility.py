"""What axe finds, and what a keyboard reaches."""

from __future__ import annotations

import os
from pathlib import Path

import axe_playwright_python
import pytest
from site_pages import addresses

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js")

pytestmark = pytest.mark.browser


def violations(page) -> list[str]:
    """Return what axe finds on a page, a line for each element."""
    # Through the debugger, as the page's own policy would not let a script in.
    page.evaluate(AXE.read_text("utf-8"))
    run = "() => axe.run(document, {resultTypes: ['violations']})"
    found = page.evaluate(run)["violations"]
    return [
        f"{violation['id']}: {node['html'][:200]} {node.get('failureSummary', '')}"
        for violation in found
        for node in violation["nodes"]
    ]


# axe takes seconds a page: each page gets one look, these get all, and all with PROOFS.
LOOKS = [("light", 1280), ("dark", 360), ("light", 360), ("dark", 1280)]
EVERY_LOOK = ("", "explorer/", "lessons/small-numbers/", "recipes/masks/")


def pages_and_looks() -> list[tuple[str, str, int]]:
    """Which pages axe looks at, and how they look then."""
    chosen = []
    for number, place in enumerate(addresses()):
        every = os.environ.get("PROOFS") or place in EVERY_LOOK
        looks = LOOKS if every else [LOOKS[number % len(LOOKS)]]
        chosen += [(place, *look) for look in looks]
    return chosen


@pytest.mark.parametrize(("place", "scheme", "width"), pages_and_looks())
def test_axe_finds_nothing(browser, site, place, scheme, width):
    with browser.new_page(
        color_scheme=scheme,
        reduced_motion="reduce",  # a colour on its way to another fails by chance
        viewport={"width": width, "height": 900},
    ) as page:
        page.goto(site.address + place)
        page.wait_for_load_state("load")

        assert violations(page) == []


def test_search_dialog_has_no_violation_while_it_is_open(browser, site):
    with browser.new_page(reduced_motion="reduce") as page:
        page.goto(site.address)
        page.keyboard.press("/")
        page.keyboard.type("softmax")
        page.locator(".md-search-result__item").first.wait_for()

        assert violations(page) == []


def test_first_tab_stop_skips_to_the_content(browser, site, address):
    with browser.new_page() as page:
        page.goto(site.address + address)
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")

        target = page.evaluate("() => decodeURIComponent(location.hash.slice(1))")
        assert page.locator(f"h1[id='{target}']").count() == 1


# Each stop on the way: can it be seen, and is it marked?  The form around a field may
# be marked in its place, and the label of an input that has no looks of its own.
STOP = """() => {
  const it = document.activeElement;
  if (it === document.body) return null;
  const parts = [it, it.nextElementSibling, it.parentElement].filter(Boolean);
  const sizes = parts.map(part => part.getBoundingClientRect());
  const styles = parts.map(part => getComputedStyle(part));
  return {
    html: it.outerHTML.replace(/ data-[^ ]*/g, "").slice(0, 150),
    seen: sizes.some(size => size.width && size.height),
    marked: styles.some(
      style => style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1
    ),
  };
}"""


@pytest.mark.parametrize("start", ["", "lessons/small-numbers/", "reference/api/"])
def test_keyboard_reaches_every_control_and_shows_where_it_is(browser, site, start):
    with browser.new_page(
        reduced_motion="reduce", viewport={"width": 1280, "height": 900}
    ) as page:
        page.goto(site.address + start)
        reached = []
        for _ in range(60):
            page.keyboard.press("Tab")
            stop = page.evaluate(STOP)
            if stop is None:
                break
            reached.append(stop)

        assert len(reached) > 5
        assert [stop["html"] for stop in reached if not stop["seen"]] == []
        assert [stop["html"] for stop in reached if not stop["marked"]] == []
