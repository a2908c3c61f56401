"""Nothing is wider than the screen, nothing jumps, nothing is cut off in print."""

from __future__ import annotations

import pytest
from site_pages import DESK

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


def test_nothing_is_wider_than_a_phone(phone):
    assert phone.evaluate(SPILLING) == []
    assert phone.evaluate("() => document.documentElement.scrollWidth") == 360


def test_nothing_jumps_while_the_page_loads(first_visit):
    assert first_visit.shift <= 0.01


def test_nothing_is_cut_off_or_folded_in_print(desk):
    # A4 less its margins, in CSS pixels.
    desk.set_viewport_size({"width": 720, "height": 1000})
    desk.emulate_media(media="print")
    try:
        assert desk.evaluate(CLIPPED) == []
        assert desk.evaluate(FOLDED) == []
        assert desk.evaluate(SPILLING) == []
    finally:
        desk.set_viewport_size(DESK)
        desk.emulate_media(media="screen")
