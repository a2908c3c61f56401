"""What axe finds, and what a keyboard reaches."""

from __future__ import annotations

import contextlib

import pytest
from axe import violations

pytestmark = pytest.mark.browser


@contextlib.contextmanager
def in_the_dark(page):
    """Show a page in its dark colours for a while."""
    page.emulate_media(color_scheme="dark")
    page.locator("body[data-md-color-scheme=slate]").wait_for()
    yield
    page.emulate_media(color_scheme="light")
    page.locator("body[data-md-color-scheme=default]").wait_for()


def test_axe_finds_nothing_on_a_desk(desk):
    assert violations(desk) == []


def test_axe_finds_nothing_on_a_phone(phone):
    assert violations(phone) == []


# In the dark the colours are others, and all else is the same.
def test_axe_finds_no_colours_too_close_on_a_desk_in_the_dark(desk):
    with in_the_dark(desk):
        assert violations(desk, only_colours=True) == []


def test_axe_finds_no_colours_too_close_on_a_phone_in_the_dark(phone):
    with in_the_dark(phone):
        assert violations(phone, only_colours=True) == []


def test_search_dialog_has_no_violation_while_it_is_open(page, site):
    page.emulate_media(reduced_motion="reduce")
    page.goto(site.address)
    page.keyboard.press("/")
    page.keyboard.type("softmax")
    page.locator(".md-search-result__item").first.wait_for()

    assert violations(page) == []


# The next tab stop is the first again, whatever was used before.
START_ANEW = """() => {
  document.body.tabIndex = -1;
  document.body.focus();
  document.body.removeAttribute("tabindex");
}"""


def test_first_tab_stop_skips_to_the_content(desk):
    desk.evaluate(START_ANEW)
    desk.keyboard.press("Tab")
    desk.keyboard.press("Enter")

    target = desk.evaluate("() => decodeURIComponent(location.hash.slice(1))")
    assert desk.locator(f"h1[id='{target}']").count() == 1


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
def test_keyboard_reaches_every_control_and_shows_where_it_is(page, site, start):
    page.emulate_media(reduced_motion="reduce")
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
