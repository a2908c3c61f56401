"""Run it here: blocks that a reader changes and runs, in the browser alone."""

from __future__ import annotations

import gzip
import mimetypes
import re

import pytest
from axe import violations

pytestmark = pytest.mark.browser

LESSON = "lessons/small-numbers/"
POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'"
FINISHED = ".run-status[data-kind]:not([data-kind=''])"

# Opens and runs each block of a page that a Python can run; returns how each ended.
RUN_ALL = """async python => {
  const ends = [];
  const sight = async (root, selector) => {
    while (!root.querySelector(selector)) await new Promise(requestAnimationFrame);
    return root.querySelector(selector);
  };
  for (const panel of document.querySelectorAll(`[data-python~=${python}]`)) {
    panel.querySelector(".lesson-action").click();
    const form = await sight(panel, ".run-here");
    form.querySelector("select").value = python;
    form.querySelector("button").click();
    const status = await sight(form, ".run-status[data-kind]:not([data-kind=''])");
    ends.push(status.textContent);
  }
  return ends;
}"""


def watched(browser):
    """A page that writes down what it asks for and what it complains about."""
    options = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce"}
    with browser.new_page(**options) as page:
        page.complaints = []
        page.asked = []
        page.on("request", lambda request: page.asked.append(request.url))
        page.on("console", lambda message: page.complaints.append(message.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        yield page
        assert page.complaints == []


@pytest.fixture
def page(browser):
    yield from watched(browser)


@pytest.fixture(scope="module")
def open_page(browser):
    yield from watched(browser)


@pytest.fixture(scope="module")
def editor(open_page, site):
    """An open editor; each test puts its own code into it."""
    return open_editor(open_page, site, 1)


def send_policy(page, site, policy: str) -> None:
    """Serve what runs Python as a host does that sends a policy with it."""

    def answer(route):
        path = site.folder / route.request.url.removeprefix(site.address)
        kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        headers = {"content-security-policy": policy, "content-type": kind}
        route.fulfill(path=path, headers=headers)

    page.context.route("**/assets/python/**", answer)


def open_editor(page, site, number: int = 0, address: str = LESSON):
    """Open a block's editor, and return it."""
    page.goto(site.address + address)
    page.get_by_role("button", name="Change and run").nth(number).click()
    editor = page.locator(".run-here").first
    editor.wait_for()
    return editor


def run(editor, code: str | None = None) -> str:
    """Run a block, or other code in its place; return how it ended."""
    if code is not None:
        editor.get_by_role("textbox").fill(code)
    editor.get_by_role("button", name="Run").click()
    editor.locator(FINISHED).wait_for()
    return editor.locator(".run-status").inner_text()


def printed(editor) -> str:
    return editor.get_by_role("log").inner_text()


def workers(page, expected: int) -> int:
    """How many workers run Python; the browser takes a moment to end one."""
    for _ in range(60):
        found = sum(it.url.endswith("/worker.mjs") for it in page.workers)
        if found == expected:
            break
        page.wait_for_timeout(50)
    return found


def offered(site, python: str) -> dict[str, int]:
    """How many blocks each page offers to run in a Python."""
    mark = re.compile(rf'data-python="[^"]*\b{python}\b')
    found = {
        page.parent.relative_to(site.folder).as_posix() + "/": len(
            mark.findall(page.read_text("utf-8"))
        )
        for page in sorted(site.folder.rglob("index.html"))
    }
    return {address: number for address, number in found.items() if number}


def test_every_block_prints_in_micropython_what_the_page_prints(page, site):
    pages = offered(site, "micropython")
    assert sum(pages.values()) >= 25
    send_policy(page, site, POLICY)
    for address, number in pages.items():
        page.goto(site.address + address)
        ends = page.evaluate(RUN_ALL, "micropython")
        assert ends == ["As on the page."] * number, address


def test_every_block_of_the_first_lesson_runs_in_cpython(page, site):
    send_policy(page, site, POLICY)
    page.goto(site.address + LESSON)
    total = page.locator(".lesson-action--run").count()
    ends = page.evaluate(RUN_ALL, "pyodide")

    assert len(ends) == total >= 20
    assert [end for end in ends if "As on the page" not in end] == []


def test_nothing_is_loaded_before_a_reader_asks(page, site):
    page.goto(site.address + LESSON)
    page.wait_for_load_state("networkidle")
    assert [url for url in page.asked if "/assets/python/" in url] == []

    editor = open_editor(page, site)
    page.wait_for_load_state("networkidle")
    assert not any("micropython" in url for url in page.asked)

    run(editor)
    assert not any("pyodide" in url for url in page.asked)


@pytest.mark.parametrize(("python", "files"), [("micropython", 2), ("pyodide", 5)])
def test_size_that_is_told_is_that_of_what_is_loaded(editor, site, python, files):
    option = editor.locator(f"option[value={python}]").inner_text()
    published = list((site.folder / "assets" / "python" / python).iterdir())
    size = sum(len(gzip.compress(path.read_bytes())) for path in published)

    assert len(published) == files
    assert option.endswith(f"loads {size / 1e6:.1f} MB")


def test_changed_code_runs_and_is_compared_with_the_page(editor):
    code = editor.get_by_role("textbox").input_value()

    assert run(editor, code) == "As on the page."
    assert run(editor, f"{code}\nprint('more')") == "Differs from the page."
    assert printed(editor).endswith("more\n")
    assert run(editor, f"# said otherwise\n{code}") == "As on the page."


def test_names_of_one_run_are_unknown_to_the_next(editor):
    run(editor, "x = 1")

    run(editor, "print(x)")
    assert printed(editor).startswith("NameError")


def test_error_is_shown_with_its_line(editor):
    end = run(editor, "def half(x):\n    return y / 2\n\nprint('first')\nhalf(1)\n")

    assert end == "Error in line 2. Differs from the page."
    assert printed(editor) == "first\nNameError: name 'y' isn't defined"


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("input('Your name? ')", "EOFError: nothing can be typed in here"),
        ("raise ValueError('two\\nlines')", "ValueError: two\nlines"),
    ],
)
def test_error_is_shown_whole(editor, code, error):
    assert run(editor, code).startswith("Error in line 1.")
    assert printed(editor) == error


def test_what_micropython_lacks_is_not_blamed_on_the_reader(editor):
    assert "CPython knows all of it" in run(editor, "import dataclasses")


def test_endless_loop_ends_when_it_is_stopped(open_page, editor):
    editor.get_by_role("textbox").fill("while True:\n    print('again')")
    editor.get_by_role("button", name="Run").click()
    editor.get_by_text("Only the first 100,000 characters are shown.").wait_for()
    editor.get_by_role("button", name="Stop").click()

    assert editor.get_by_role("status").inner_text() == "Stopped."
    assert workers(open_page, 0) == 0
    assert len(printed(editor)) == 100_000
    assert run(editor, "print(1 + 1)") == "Differs from the page."
    assert printed(editor) == "2\n"


@pytest.mark.parametrize("leave", ["close", "go to another page"])
def test_endless_loop_ends_when_its_editor_goes(page, site, leave):
    editor = open_editor(page, site)
    editor.get_by_role("textbox").fill("while True: pass")
    editor.get_by_role("button", name="Run").click()
    editor.get_by_text("Running").wait_for()
    assert workers(page, 1) == 1
    if leave == "close":
        page.get_by_role("button", name="Close the editor").click()
    else:
        page.evaluate("() => document.querySelector('.md-footer__link--next').click()")
        page.locator("h1", has_text="The attention mechanism").wait_for()

    assert workers(page, 0) == 0


def test_changes_are_kept_until_a_reader_takes_them_back(page, site):
    editor = open_editor(page, site)
    code = editor.get_by_role("textbox").input_value()
    assert editor.get_by_role("button", name="Reset").is_disabled()
    editor.get_by_role("textbox").fill("print('mine')")

    editor = open_editor(page, site)
    assert editor.get_by_role("textbox").input_value() == "print('mine')"
    assert "your changes" in editor.get_by_role("status").inner_text()
    page.once("dialog", lambda it: it.dismiss())
    editor.get_by_role("button", name="Reset").click()
    assert editor.get_by_role("textbox").input_value() == "print('mine')"
    page.once("dialog", lambda it: it.accept())
    editor.get_by_role("button", name="Reset").click()
    assert editor.get_by_role("textbox").input_value() == code


def test_keyboard_alone_is_enough(page, site):
    page.goto(site.address + LESSON)
    page.get_by_role("button", name="Change and run").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.activeElement.matches('.run-here textarea')")
    page.keyboard.press("Control+A")
    page.keyboard.type("for i in range(2):\nprint(i)")
    page.keyboard.press("Control+Enter")
    editor = page.locator(".run-here")
    editor.locator(FINISHED).wait_for()
    assert printed(editor) == "0\n1\n"

    reached = []
    for _ in range(4):
        page.keyboard.press("Tab")
        width = "getComputedStyle(document.activeElement).outlineWidth"
        reached.append(page.evaluate("document.activeElement.tagName"))
        assert page.evaluate(width) != "0px", reached
    assert reached == ["BUTTON", "BUTTON", "SELECT", "PRE"]


def test_policy_that_is_too_strict_is_noticed(browser, site):
    """A test of the tests above, which send a policy that forbids evaluation."""
    with browser.new_page() as page:
        send_policy(page, site, POLICY.replace(" 'wasm-unsafe-eval'", ""))

        assert "violates" in run(open_editor(page, site))


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 360)])
def test_open_editor_has_no_violation_and_fits(browser, site, scheme, width):
    look = {"color_scheme": scheme, "viewport": {"width": width, "height": 900}}
    with browser.new_page(**look, reduced_motion="reduce") as page:
        editor = open_editor(page, site, address="how-it-checks/")
        run(editor, f"print('{'long ' * 40}')\n1 / 0")

        assert violations(page) == []
        assert page.evaluate("() => document.documentElement.scrollWidth") == width


def test_block_that_needs_more_is_offered_as_a_file(page, site, tmp_path):
    page.goto(f"{site.address}recipes/softmax/")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").first.click()
    download.value.save_as(tmp_path / "block.py")
    code = (tmp_path / "block.py").read_text()

    assert download.value.suggested_filename == "softmax-1.py"
    assert "import" in code
    compile(code, "block.py", "exec")


def test_without_a_script_there_is_no_button(browser, site):
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(site.address + LESSON)

        assert page.get_by_role("button", name="Change and run").count() == 0
