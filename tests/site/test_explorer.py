"""The explorer: as exact as the package, usable by keyboard, and quick."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from explorer_states import explorer_state, explorer_words, random_state

pytestmark = pytest.mark.browser

ADDRESS = "explorer/"
STEPS = ("scores", "scaled", "capped", "masked", "weights", "output")
START = re.compile(r'data-state="([^"]+)"')

ATTEND = """texts => {
  const { attend, read } = customElements.get("attention-explorer").functions;
  return JSON.stringify(texts.map(text => attend(read(text))));
}"""


@pytest.fixture
def explorer(browser, site):
    """The explorer's own page, with permission to copy and paste."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    with context, context.new_page() as page:
        page.goto(site.address + ADDRESS)
        yield page


def call(page, name: str, *arguments):
    """Call one of the functions that the element's class offers to tests."""
    return page.evaluate(
        "([name, given]) =>"
        " customElements.get('attention-explorer').functions[name](...given)",
        [name, list(arguments)],
    )


def field(page, name: str):
    return page.locator(f'attention-explorer [name="{name}"]')


def shown(page) -> dict[str, list[list[str]]]:
    """Return the texts of all heatmaps."""
    return page.evaluate(
        "() => Object.fromEntries([...document.querySelectorAll('.explorer-map')].map("
        "map => [map.dataset.step, [...map.querySelectorAll('tbody tr')].map("
        "row => [...row.querySelectorAll('td')].map(cell => cell.textContent))]))"
    )


def state_of(page) -> explorer_state.State:
    """Return the state in the address, once it is there."""
    page.wait_for_timeout(600)
    return explorer_state.read(page.url.partition("#")[2])


# ----------------------------------------------------------- the same as the package


def test_numbers_equal_the_package_on_500_random_states(explorer):
    random = np.random.default_rng(20171)
    states = [random_state(random, 64 if n % 25 == 0 else 12) for n in range(500)]
    texts = [explorer_state.write(state) for state in states]
    found = json.loads(explorer.evaluate(ATTEND, texts))
    worst = 0.0
    for state, steps in zip(states, found, strict=True):
        trace = explorer_state.trace(state)
        for name in STEPS:
            # JSON has no infinity; the only one is that of masked scores.
            ours = np.nan_to_num(getattr(trace, name), neginf=-999.0)
            theirs = np.array(
                [[-999.0 if it is None else it for it in row] for row in steps[name]]
            )
            assert theirs.shape == ours.shape
            worst = max(worst, float(np.abs(theirs - ours).max()))

    assert worst <= 1e-12


def test_addresses_read_and_written_are_the_same_in_both_languages(explorer):
    random = np.random.default_rng(3)
    for state in (random_state(random, 9) for _ in range(40)):
        text = explorer_state.write(state)
        again = explorer.evaluate(
            "text => { const { read, write } ="
            " customElements.get('attention-explorer').functions;"
            " return write(read(text)); }",
            text,
        )

        assert again == text
        assert explorer_state.write(explorer_state.read(text)) == text


def test_sentences_are_the_same_in_both_languages(explorer):
    random = np.random.default_rng(5)
    for state in (random_state(random, 7) for _ in range(100)):
        ours = explorer_words.sentence(state, explorer_state.trace(state))
        theirs = explorer.evaluate(
            "text => { const { attend, read, sentence } ="
            " customElements.get('attention-explorer').functions;"
            " const state = read(text); return sentence(state, attend(state)); }",
            explorer_state.write(state),
        )

        assert theirs == ours


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.125, "0.12"),
        (0.375, "0.38"),
        (-0.125, "−0.12"),
        (-0.001, "0.00"),
        (0.285, "0.28"),
        (2.5, "2.50"),
        (99.95, "100.0"),
        (10.25, "10.2"),
        (123.5, "124"),
        (-122.5, "−122"),
        (12345.0, "1.2e4"),
    ],
)
def test_numbers_are_rounded_alike_in_both_languages(explorer, number, text):
    assert explorer_words.short(number) == text
    assert call(explorer, "short", number) == text


SEEN = """() => [...document.querySelectorAll(
  ".explorer-map :is(td, th), .explorer-sentence, figcaption"
)].map(it => {
  const { x, y, width, height } = it.getBoundingClientRect();
  const colour = it.style.getPropertyValue("--t").trim();
  const place = [x, y, width, height].map(Math.round);
  return [it.className, colour, it.textContent, ...place];
})"""


def test_scripts_change_nothing_that_the_build_wrote(browser, site):
    """Each number, its colour and its place: what a reader saw before stays."""
    found = []
    for scripts in (True, False):
        with browser.new_context(java_script_enabled=scripts) as context:
            page = context.new_page()
            page.goto(site.address + ADDRESS)
            page.wait_for_load_state("load")
            found.append(page.evaluate(SEEN))

    assert len(found[0]) > 100
    assert found[0] == found[1]
