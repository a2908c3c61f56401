"""Nothing is wider than the screen, nothing jumps, nothing is cut off in print."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser

# Elements that reach over the right edge and have no box of their own that scrolls.
SPILLING = """() => {
  const edge = document.documentElement.clientWidth + 1;
  const scrolls = element => {
    for (let box = element.parentElement; box; box = box.parentElement)
      if (getComputedStyle(box).overflowX !== "visible") return true;
    return false;
  };
  return [...document.querySelectorAll(".md-content *")]
    .filter(it => it.getBoundingClientRect().right > edge && !scrolls(it))
    .map(it => it.outerHTML.slice(0, 200));
}"""

# Boxes that scroll or hide a part of what they hold: paper cannot be scrolled.
# Inside a formula, KaTeX hides the spoken text and the tails of roots on purpose.
CLIPPED = """() => [...document.querySelectorAll(".md-content *:not(.katex *)")]
  .filter(it => it.scrollWidth > it.clientWidth + 1 && it.clientWidth > 0
    && getComputedStyle(it).overflowX !== "visible")
  .map(it => it.outerHTML.slice(0, 200))"""

# What paper would hide for good; the numbers of a figure stand in its cells, too.
FOLDED = """() => [...document.querySelectorAll("details > :not(summary)")]
  .filter(it => !it.closest(".attention-figure"))
  .filter(it => !it.checkVisibility() || it.getBoundingClientRect().height === 0)
  .map(it => it.outerHTML.slice(0, 200))"""

# Reported by the browser itself; it must watch from the beginning.
WATCH_SHIFTS = """() => {
  window.shift = 0;
  new PerformanceObserver(list => {
    for (const entry of list.getEntries()) window.shift += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
}"""


def test_nothing_is_wider_than_a_phone(browser, site, address):
    with browser.new_page(viewport={"width": 360, "height": 800}) as page:
        page.goto(site.address + address)
        page.wait_for_load_state("load")

        assert page.evaluate(SPILLING) == []
        assert page.evaluate("() => document.documentElement.scrollWidth") == 360


def test_nothing_jumps_while_the_page_loads(browser, site, address):
    with browser.new_page(viewport={"width": 1280, "height": 900}) as page:
        page.goto(site.address + address)
        page.evaluate(WATCH_SHIFTS)
        page.wait_for_load_state("load")
        page.wait_for_timeout(200)

        assert page.evaluate("() => window.shift") <= 0.01


def test_nothing_is_cut_off_or_folded_in_print(browser, site, address):
    # A4 less its margins, in CSS pixels.
    with browser.new_page(viewport={"width": 720, "height": 1000}) as page:
        page.goto(site.address + address)
        page.wait_for_load_state("load")
        page.emulate_media(media="print")

        assert page.evaluate(CLIPPED) == []
        assert page.evaluate(FOLDED) == []
        assert page.evaluate(SPILLING) == []
