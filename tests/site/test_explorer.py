"""The explorer: as exact as the package, usable by keyboard, and quick."""

from __future__ import annotations

import contextlib
import gzip
import io
import itertools
import json
import re
import shutil
from typing import NamedTuple

import numpy as np
import pytest
from axe import violations
from explorer_states import explorer_state, explorer_words, hook, random_state
from mkdocs.exceptions import PluginError
from site_pages import PHONE

pytestmark = pytest.mark.browser

ADDRESS = "explorer/"
STEPS = ("scores", "scaled", "capped", "masked", "weights", "output")

ATTEND = """texts => {
  const { attend, read } = customElements.get("attention-explorer").functions;
  return JSON.stringify(texts.map(text => attend(read(text))));
}"""


@pytest.fixture
def explorer(page, site):
    """The explorer's own page."""
    page.goto(site.address + ADDRESS)
    return page


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


SETTLED = """() => {
  const { state, constructor } = document.querySelector("attention-explorer");
  return location.hash.slice(1) === constructor.functions.write(state);
}"""


def state_of(page) -> explorer_state.State:
    """Return the state in the address, once it is there."""
    page.wait_for_function(SETTLED)
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
        (12345.0, "12345"),
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


# ------------------------------------------------------------------------- by hand


def test_typing_a_number_changes_what_follows_and_the_address(explorer):
    before = shown(explorer)
    field(explorer, "key 3 0").fill("-1.5")

    state = state_of(explorer)
    assert state.key[3, 0] == -1.5
    after = shown(explorer)
    expected = explorer_state.trace(state)
    assert after["scores"] != before["scores"]
    for name, texts in after.items():
        numbers = getattr(expected, name)
        assert texts == [[explorer_words.short(it) for it in row] for row in numbers]


def test_arrow_keys_step_and_enter_goes_down(explorer):
    number = field(explorer, "value 1 0")
    number.focus()
    for key in ("ArrowUp", "ArrowUp", "ArrowUp", "Shift+ArrowDown"):
        explorer.keyboard.press(key)

    assert number.input_value() == "-0.7"
    explorer.keyboard.press("Enter")
    assert explorer.evaluate("document.activeElement.name") == "value 2 0"
    explorer.keyboard.press("Shift+Enter")
    assert explorer.evaluate("document.activeElement.name") == "value 1 0"


@pytest.mark.parametrize(
    "text",
    [
        "1\t2\t-3\n4\t5.5\t6",
        "1,0\t2\t-3\n4\t5,5\t6\n",
        "1, 2, -3\r\n4, 5.5, 6",
        "[[ 1.   2.  -3. ]\n [ 4.   5.5  6. ]]",
        "array([[ 1. ,  2. , -3. ],\n       [ 4. ,  5.5,  6. ]], dtype=float32)",
    ],
)
def test_spreadsheets_and_arrays_are_pasted(explorer, text):
    explorer.evaluate("text => navigator.clipboard.writeText(text)", text)
    field(explorer, "query 1 0").focus()
    explorer.keyboard.press("Control+V")

    state = state_of(explorer)
    assert state.query[1:3].tolist() == [[1, 2, -3], [4, 5.5, 6]]
    assert state.query[0].tolist() == [0, 0, 0]  # wider, and as it was
    assert state.key.shape == (5, 3)  # keys are as wide as queries
    assert explorer.evaluate("document.activeElement.name") == "query 1 0"


def test_what_is_pasted_below_the_end_brings_tokens(explorer):
    explorer.evaluate("() => navigator.clipboard.writeText('7\\n8\\n9')")
    field(explorer, "value 4 1").focus()
    explorer.keyboard.press("Control+V")

    state = state_of(explorer)
    assert len(state.tokens) == 7
    assert state.value[4:, 1].tolist() == [7, 8, 9]


def test_a_sentence_is_spread_over_the_tokens(explorer):
    explorer.evaluate("() => navigator.clipboard.writeText('by a loan at the bank')")
    field(explorer, "tokens 0").focus()
    explorer.keyboard.press("Control+V")

    assert state_of(explorer).tokens == ["by", "a", "loan", "at", "the", "bank"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("query 0 0", "x", "cell must be a number from -1000 to 1000, got “x”."),
        (
            "temperature",
            "0",
            "temperature must be a number from 0.01 to 1000, got “0”.",
        ),
        ("left", "1.5", "left must be a whole number from 0 to 64, got “1.5”."),
        ("tokens", "65", "tokens must be a whole number from 1 to 64, got “65”."),
    ],
)
def test_what_is_no_number_is_said_and_changes_nothing(explorer, name, text, message):
    before, old = shown(explorer), field(explorer, name).input_value()
    field(explorer, name).fill(text)

    assert explorer.locator(".explorer-message").inner_text() == message
    assert field(explorer, name).get_attribute("aria-invalid") == "true"
    assert shown(explorer) == before
    field(explorer, name).blur()
    assert field(explorer, name).input_value() == old


def test_tokens_come_and_go(explorer):
    explorer.get_by_role("button", name="Add a token").click()
    assert state_of(explorer).tokens[5:] == ["token 5"]
    field(explorer, "row").select_option("1")
    explorer.get_by_role("button", name="Remove the query").click()
    assert state_of(explorer).tokens == ["on", "muddy", "river", "bank", "token 5"]
    field(explorer, "tokens").fill("1")
    explorer.get_by_role("button", name="Remove the query").click()
    assert state_of(explorer).tokens == ["on"]
    assert "tokens must be" in explorer.locator(".explorer-message").inner_text()


def test_a_name_can_be_typed_letter_by_letter(explorer):
    field(explorer, "tokens 3").press("End")
    explorer.keyboard.type(" bed")

    assert state_of(explorer).tokens[3] == "river bed"
    assert "“river bed”" in explorer.locator(".explorer-sentence").inner_text()


def test_hidden_cells_are_hatched_and_a_row_without_keys_is_zero(explorer):
    field(explorer, "causal").check()
    field(explorer, "padding").fill("5")
    field(explorer, "row").select_option("2")

    hidden = explorer.locator("[data-step=weights] .explorer-hidden")
    assert hidden.count() == 25
    assert "gradient" in hidden.first.evaluate("it => getComputedStyle(it).background")
    for step in ("weights", "output"):
        assert set(itertools.chain(*shown(explorer)[step])) == {"0.00"}
    sentence = explorer.locator(".explorer-sentence").inner_text()
    assert sentence.startswith("“muddy” may attend to nothing")


def test_sentence_is_announced_once_changes_pause(explorer):
    live = explorer.locator(".explorer-live")
    assert live.inner_text() == ""
    field(explorer, "key 3 0").fill("3")
    state_of(explorer)

    assert live.inner_text() == explorer.locator(".explorer-sentence").inner_text()
    assert live.get_attribute("aria-live") == "polite"


def test_arithmetic_of_a_cell_is_spelled_out(explorer):
    field(explorer, "softcap").fill("2")
    lines = explorer.locator("dd").all_inner_texts()

    assert lines[:4] == [
        "2 × 2 + 2 × 0 = 4",
        "4 ÷ √2 = 2.8284",
        "2 × tanh(2.8284 ÷ 2) = 1.7768",
        "visible, so it stays 1.7768",
    ]
    steps = explorer_state.trace(state_of(explorer))
    assert f"{steps.capped[4, 3]:.4f}" == "1.7768"
    total = np.exp(steps.masked[4]).sum()
    assert lines[4] == f"exp(1.7768) ÷ {total:.4f} = {steps.weights[4, 3]:.4f}"
    field(explorer, "causal").check()
    field(explorer, "row").select_option("0")
    assert explorer.locator("dd").nth(3).inner_text() == "hidden by the causal mask: −∞"


# ------------------------------------------------------------------------ addresses


def test_address_survives_scrolling_and_opens_the_same_state(explorer, browser):
    field(explorer, "temperature").fill("0.5")
    field(explorer, "tokens 0").fill("ö & co, =#")
    state_of(explorer)
    address = explorer.url
    explorer.mouse.wheel(0, 2000)
    explorer.wait_for_timeout(700)
    assert explorer.url == address
    with browser.new_page() as other:
        other.goto(address)

        assert field(other, "temperature").input_value() == "0.5"
        assert field(other, "tokens 0").input_value() == "ö & co, =#"
        assert shown(other) == shown(explorer)


def test_reset_brings_back_the_start(explorer):
    before = shown(explorer)
    explorer.get_by_role("button", name="Random numbers").click()
    assert shown(explorer) != before
    explorer.get_by_role("button", name="Reset").click()

    assert shown(explorer) == before


@pytest.mark.parametrize(
    "fragment",
    [
        "tokens=",
        "tokens=a&query=1&key=1",
        "tokens=a&query=1;2&key=1&value=1",
        "tokens=a&query=1,2&key=1&value=1",
        "tokens=a&query=1&key=1&value=NaN",
        "tokens=a&query=1&key=1&value=1e999",
        "tokens=a&query=1&key=1&value=1&temperature=-1",
        "tokens=%E0%A4%A&query=1&key=1&value=1",
        "tokens=" + ",".join("a" * 65) + "&query=1&key=1&value=1",
        "tokens=a&__proto__=1&query=<img>&key=1&value=1",
    ],
)
def test_bad_address_is_said_and_the_start_is_shown(page, site, fragment):
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{site.address}{ADDRESS}#{fragment}")

    message = page.locator(".explorer-message").inner_text()
    assert message.startswith("The address cannot be shown: ")
    assert len(shown(page)["scores"]) == 5
    page.evaluate("() => { location.hash = 'tokens=a&query=1&key=1&value=1' }")
    page.wait_for_timeout(100)
    assert page.locator(".explorer-message").inner_text() == ""
    assert len(shown(page)["scores"]) == 1
    assert errors == []


def test_settings_out_of_reach_are_brought_into_it(page, site):
    fragment = "tokens=a&query=1&key=1&value=1&row=9&column=9&padding=9"
    page.goto(f"{site.address}{ADDRESS}#{fragment}")

    assert page.locator(".explorer-message").inner_text() == ""
    assert field(page, "padding").input_value() == "1"


def test_names_are_text_and_never_markup(page, site):
    fragment = "tokens=%3Cimg src=x%3E,b&query=1;1&key=1;1&value=1;1"
    page.goto(f"{site.address}{ADDRESS}#{fragment}")

    assert page.locator("attention-explorer img").count() == 0
    assert field(page, "tokens 0").input_value() == "<img src=x>"


def test_explorer_on_another_page_links_to_the_explorers_own(explorer, site):
    explorer.evaluate(
        "() => { const here = document.querySelector('attention-explorer');"
        " const other = here.cloneNode(true);"
        " other.dataset.page = '../explorer/?x';"
        " here.replaceWith(other); }"
    )
    address = explorer.url
    field(explorer, "temperature").fill("2")
    explorer.wait_for_timeout(600)
    assert explorer.url == address
    explorer.get_by_role("button", name="Copy link").click()
    explorer.get_by_text("Copied.").wait_for()
    copied = explorer.evaluate("() => navigator.clipboard.readText()")

    assert copied.startswith(f"{site.address}explorer/?x#tokens=on,the,")


# --------------------------------------------------------------------------- Python


def run(script: str) -> dict[str, np.ndarray]:
    """Run a copied script; return the arrays that it prints, by name."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(script, {})
    parts = re.split(r"^([a-z_]+)$", printed.getvalue(), flags=re.MULTILINE)[1:]
    found = {}
    for name, text in zip(parts[::2], parts[1::2], strict=True):
        rows = re.findall(r"\[([^\[\]]+)\]", text)
        found[name] = np.array([[float(it) for it in row.split()] for row in rows])
    return found


def test_copied_script_prints_the_same_numbers(explorer):
    random = np.random.default_rng(11)
    for state in (random_state(random, 20) for _ in range(30)):
        text = explorer_state.write(state)
        script = explorer.evaluate(
            "text => { const { read, toPython } ="
            " customElements.get('attention-explorer').functions;"
            " return toPython(read(text)); }",
            text,
        )
        printed = run(script)
        trace = explorer_state.trace(state)
        for name in STEPS:
            np.testing.assert_allclose(printed[name], getattr(trace, name), atol=6e-5)


def test_script_is_copied_by_its_button(explorer):
    field(explorer, "left").fill("1")
    explorer.get_by_role("button", name="Copy as NumPy").click()
    explorer.get_by_text("Copied.").wait_for()
    script = explorer.evaluate("() => navigator.clipboard.readText()")

    assert "    mask=ref.sliding_window_mask(5, left=1, right=None),\n" in script
    weights = explorer_state.trace(state_of(explorer)).weights
    np.testing.assert_allclose(run(script)["weights"], weights, atol=6e-5)


# ----------------------------------------------------------------- keyboard, places


def test_every_control_is_reached_by_tab_and_shows_its_focus(explorer):
    wanted = explorer.evaluate(
        "() => document.querySelectorAll('attention-explorer"
        " :is(input, select, button, .explorer-map)').length"
    )
    field(explorer, "tokens 0").focus()
    reached = set()
    for _ in range(wanted):
        reached.add(
            explorer.evaluate(
                "() => { const it = document.activeElement;"
                " const { outlineStyle } = getComputedStyle(it);"
                " return (it.name || it.dataset.step) + ' ' + outlineStyle; }"
            )
        )
        explorer.keyboard.press("Tab")

    assert len(reached) == wanted
    assert all(name.endswith(" solid") for name in reached)


def test_arrow_keys_move_the_chosen_cell_within_a_heatmap(explorer):
    explorer.locator("[data-step=weights]").focus()
    for key in ("ArrowUp", "ArrowLeft", "ArrowDown", "ArrowDown", "ArrowRight"):
        explorer.keyboard.press(key)

    state = state_of(explorer)
    assert (state.row, state.column) == (4, 3)
    explorer.keyboard.press("ArrowUp")
    assert (
        explorer.locator("[data-step=masked] .explorer-chosen").inner_text() == "1.41"
    )


@pytest.mark.parametrize("length", [5, 40])
def test_a_click_chooses_a_cell(explorer, length):
    field(explorer, "tokens").fill(str(length))
    box = explorer.locator("[data-step=weights] :is(canvas, tbody)").bounding_box()
    side = (
        0
        if length > 16
        else explorer.locator("[data-step=weights] tbody th").first.bounding_box()[
            "width"
        ]
    )
    across = (box["width"] - side) / length
    explorer.mouse.click(
        box["x"] + side + 1.5 * across, box["y"] + 2.5 * box["height"] / length
    )

    state = state_of(explorer)
    assert (state.row, state.column) == (2, 1)


def test_canvases_follow_the_palette(explorer):
    field(explorer, "tokens").fill("17")
    pixel = (
        "() => [...document.querySelector('[data-step=weights] canvas')"
        ".getContext('2d').getImageData(9, 9, 1, 1).data]"
    )
    light = explorer.evaluate(pixel)
    explorer.emulate_media(color_scheme="dark")
    explorer.wait_for_timeout(200)
    dark = explorer.evaluate(pixel)

    assert sum(light) > sum(dark) + 100


def test_explorer_works_after_moving_between_pages(page, site):
    page.goto(site.address)
    page.wait_for_load_state("networkidle")
    page.locator(".md-tabs__link", has_text="Explore").click()
    field(page, "temperature").fill("0.1")

    page.wait_for_url("**&temperature=0.1&**")
    assert "(1.00)" in page.locator(".explorer-sentence").inner_text()
    page.locator(".md-tabs__link", has_text="Home").click()
    page.wait_for_timeout(600)
    assert "temperature" not in page.url


@pytest.mark.parametrize(
    "place",
    ["lessons/small-numbers/", "lessons/attention-mechanism/", "recipes/masks/"],
)
def test_links_in_lessons_open_the_state_that_they_promise(page, site, place):
    page.goto(site.address + place)
    for number in range(page.locator(".explorer-link").count()):
        link = page.locator(".explorer-link").nth(number)
        promised = link.locator("span").inner_text().removeprefix("It begins with: ")
        link.locator("a").click()
        page.locator("attention-explorer:not([data-page]) input").first.wait_for()

        assert page.locator(".explorer-sentence").inner_text() == promised
        assert page.locator(".explorer-message").inner_text() == ""
        page.goto(site.address + place)


def test_explorer_in_a_lesson_leaves_the_address_alone(page, site):
    page.goto(f"{site.address}lessons/small-numbers/")
    field(page, "key 2 0").fill("2")
    field(page, "key 2 0").blur()

    assert "“two” (0.58)" in page.locator(".explorer-sentence").inner_text()
    page.locator(".explorer-live:not(:empty)").wait_for(state="attached")
    address, _, fragment = page.url.partition("#")
    assert address == f"{site.address}lessons/small-numbers/"
    assert "=" not in fragment  # the theme may name the section that one reads


def test_explorer_works_in_a_folder_of_the_host(page, deeper):
    page.goto(f"{deeper.address}lessons/small-numbers/")
    field(page, "temperature").fill("0.1")
    page.get_by_role("button", name="Copy link").click()
    page.get_by_text("Copied.").wait_for()
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert copied.startswith(f"{deeper.address}explorer/#tokens=zero,")

    page.goto(copied)
    assert field(page, "temperature").input_value() == "0.1"
    field(page, "temperature").fill("5")
    assert state_of(page).temperature == 5


# ----------------------------------------------------------------- weight and speed


def test_script_weighs_at_most_8_kilobytes_compressed(site):
    script = (site.folder / "assets" / "explorer.js").read_bytes()

    assert len(gzip.compress(script, 9)) <= 8192
    # The parts are published as this one file.
    assert not (site.folder / "assets" / "explorer").exists()


# What a reader waits for, less painting, which waits for the screen.
WORK = ("ScriptDuration", "LayoutDuration", "RecalcStyleDuration")
UPDATES = 40
UPDATE = """([text, updates]) => {
  const explorer = document.querySelector("attention-explorer");
  if (text) explorer.state = explorer.constructor.functions.read(text);
  const input = explorer.querySelector('[name="query 1 0"]');
  for (let at = 0; at < updates; at++) {
    input.value = (at % 7) / 2;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    document.body.getBoundingClientRect();
  }
}"""


@pytest.mark.parametrize(("length", "milliseconds"), [(16, 16), (64, 50)])
def test_an_update_is_quick(explorer, length, milliseconds):
    random = np.random.default_rng(7)
    matrix = ";".join(f"{a:.1f},{b:.1f}" for a, b in random.normal(size=(length, 2)))
    tokens = ",".join(f"t{at}" for at in range(length))
    text = f"tokens={tokens}&query={matrix}&key={matrix}&value={matrix}&causal=1"
    explorer.evaluate(UPDATE, [text, 5])
    # In time of the processor, which other programs on the machine do not lengthen.
    session = explorer.context.new_cdp_session(explorer)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def seconds_of_work():
        metrics = session.send("Performance.getMetrics")["metrics"]
        return sum(it["value"] for it in metrics if it["name"] in WORK)

    works = [seconds_of_work()]
    for _ in range(3):
        explorer.evaluate(UPDATE, ["", UPDATES])
        works.append(seconds_of_work())

    # What shares a core and its cache can only lengthen it, so the least counts.
    least = min(after - before for before, after in itertools.pairwise(works))
    assert 1000 * least / UPDATES <= milliseconds


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("length", ["5", "12", "40"])
def test_axe_finds_nothing_in_any_state(explorer, scheme, length):
    explorer.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    field(explorer, "tokens").fill(length)
    for name in ("causal", "scale"):
        field(explorer, name).click()
    field(explorer, "padding").fill("2")
    field(explorer, "temperature").fill("0")  # which is no temperature

    assert violations(explorer) == []


def test_nothing_is_wider_than_a_phone_in_any_state(explorer):
    explorer.set_viewport_size(PHONE)
    field(explorer, "width query").fill("8")
    field(explorer, "tokens 0").fill("a name of many letters")
    for length in ("16", "64"):
        field(explorer, "tokens").fill(length)

        assert explorer.evaluate("document.documentElement.scrollWidth") == 360


# ---------------------------------------------------------------------------- pages

SMALL = "tokens=a,b\nquery=1;0\nkey=1;2\nvalue=1;1"


class FakeFile(NamedTuple):
    """What the hook asks of a file, and of a page."""

    src_uri: str
    url: str

    @property
    def file(self):
        return self


class FakeFiles(dict):
    get_file_from_path = dict.get


def woven(marker: str, src_uri: str = "lessons/one.md", url: str = "lessons/one/"):
    own = FakeFile("explorer.md", "explorer/")
    page = own if src_uri == own.src_uri else FakeFile(src_uri, url)
    return hook.on_page_content(marker, page=page, files=FakeFiles({own.src_uri: own}))


def test_a_lesson_shows_an_explorer_that_leads_to_its_page():
    html = woven(f"<p>one</p>\n<!-- explorer\n{SMALL}\n-->\n<p>two</p>")

    assert html.startswith("<p>one</p>\n<div")
    assert html.endswith("</div>\n<p>two</p>")
    assert ' data-page="../../explorer/"' in html
    assert "“a” attends most to “b” (0.73), then to itself (0.27)." in html


def test_a_page_links_to_the_explorer_in_a_state_and_says_what_it_shows():
    html = woven(f"<!-- explorer link: Try <it>\n{SMALL}\n-->")

    assert html == (
        '<p class="explorer-link">'
        '<a href="../../explorer/#tokens=a,b&amp;query=1;0&amp;key=1;2&amp;value=1;1">'
        "Try &lt;it&gt;</a> <span>It begins with: “a” attends most to “b” (0.73), "
        "then to itself (0.27).</span></p>"
    )


def test_the_explorers_own_page_keeps_its_address():
    assert "data-page" not in woven(f"<!-- explorer\n{SMALL}\n-->", "explorer.md")


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (f"{SMALL}\ntemprature=2", "an explorer has no temprature"),
        (SMALL.replace("1;0", "1"), "query must have one row per token = 2, got 1"),
        (SMALL.replace("1;0", "1;x"), "could not convert string to float: 'x'"),
    ],
)
def test_an_explorer_that_cannot_be_shown_ends_the_build(state, message):
    with pytest.raises(PluginError) as error:
        woven(f"<!-- explorer\n{state}\n-->")

    expected = f"lessons/one.md: this explorer cannot be shown: {message}"
    assert str(error.value) == expected


def test_search_finds_the_page_but_not_the_numbers(site):
    index = json.loads((site.folder / "search" / "whole_index.json").read_text())
    text = " ".join(
        entry["text"]
        for entry in index["docs"]
        if entry["location"].startswith(ADDRESS)
    )

    assert "asks for both" in text
    assert "0.62" not in text
    assert "temperature" in text  # of the prose below
    assert "Copy link" not in text


def test_explorer_works_from_a_file(browser, site, tmp_path):
    """As in the copy for download, whose pages have no policy."""
    shutil.copytree(site.folder / "assets", tmp_path / "assets")
    page_file = tmp_path / "explorer" / "index.html"
    page_file.parent.mkdir()
    text = (site.folder / "explorer" / "index.html").read_text("utf-8")
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
    page_file.write_text(text, "utf-8")
    with browser.new_page() as page:
        page.goto(page_file.as_uri())
        field(page, "temperature").fill("0.1")
        page.wait_for_timeout(600)

        assert page.url.endswith("&temperature=0.1&row=4&column=3")
        assert "(1.00)" in page.locator(".explorer-sentence").inner_text()
