"""Builds the site once, serves it, and opens its pages in the system's Chromium.

``ATTENTION_SITE`` names the folder of a site that is built already.

Opening a window and loading a page costs a second, so most tests share them.  A test
that only looks at a page asks for one of the three windows that show it: the ``desk``,
the ``phone``, or ``plain``, where scripts are off.  A test that changes something asks
for a ``page`` of its own.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

import pytest
from serving import serve
from site_build import ADDRESS, DEEPER, build
from site_pages import DESK, PHONE, addresses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, BrowserContext, Page

UNFOLD = "() => document.querySelectorAll('details').forEach(it => it.open = true)"


class Site(NamedTuple):
    """A built site and where it is served."""

    folder: Path
    address: str


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test that asks for an ``address`` once for each page."""
    if "address" in metafunc.fixturenames:
        names = addresses()
        ids = [name or "home" for name in names]
        # So pytest runs all tests of a page before it goes on to the next one, and
        # tests/conftest.py gives them to the same worker.
        metafunc.parametrize("address", names, ids=ids, scope="session")


# ------------------------------------------------------------------------- the site


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all workers see."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def site_folder(shared) -> Path:
    """Where the site lies, or will as soon as one test asks for it."""
    return Path(os.environ.get("ATTENTION_SITE") or shared / "site").resolve()


@pytest.fixture(scope="session")
def site(site_folder) -> Site:
    """The built site and its address."""
    build("mkdocs.yml", site_folder)
    return Site(site_folder, ADDRESS)


@pytest.fixture(scope="session")
def deeper(site) -> Site:
    """The same site in a folder of its host."""
    return site._replace(address=DEEPER)


# ---------------------------------------------------------------------- the browser


@pytest.fixture(scope="session")
def host_rules(site_folder) -> Iterator[str]:
    """Serve the site; say where the browser finds the hosts of its addresses."""
    with contextlib.ExitStack() as servers:
        rules = []
        for address in map(urlsplit, (ADDRESS, DEEPER)):
            port = servers.enter_context(serve(site_folder, address.path))
            rules.append(f"MAP {address.netloc}:80 127.0.0.1:{port}")
        yield ", ".join(rules)


@pytest.fixture(scope="session")
def chromium() -> str:
    """Chromium.  On a person's machine its absence skips; where CI is set it fails."""
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        reason = f"no Chromium: none of {', '.join(names)} is on the PATH"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return path


@pytest.fixture(scope="session")
def browser(chromium, host_rules) -> Iterator[Browser]:
    """The browser, which finds the site at its address."""
    sync_api = pytest.importorskip("playwright.sync_api")
    # Root, as in a container, has no sandbox; the pages are our own.
    options = ["--no-sandbox", f"--host-resolver-rules={host_rules}"]
    with (
        sync_api.sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=chromium, args=options) as browser,
    ):
        yield browser


@pytest.fixture(scope="session")
def _reader(browser):
    with browser.new_context(viewport=DESK) as context:
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        yield context, context.new_cdp_session(context.new_page())


@pytest.fixture
def context(_reader) -> Iterator[BrowserContext]:
    """What the pages of a reader share; afterwards all that they kept is forgotten."""
    context, session = _reader
    yield context
    for page in context.pages[1:]:
        page.close()
    for address in (ADDRESS, DEEPER):
        forgotten = {"origin": address, "storageTypes": "local_storage"}
        session.send("Storage.clearDataForOrigin", forgotten)


@pytest.fixture
def page(context) -> Page:
    """A page for one test, which may do with it as it likes."""
    return context.new_page()


# ----------------------------------------- what the tests of a page look at together


class FirstVisit(NamedTuple):
    """What happened while a page was loaded that nobody had been to."""

    page: Page
    asked: set[str]
    """The addresses of everything that was asked for."""
    shift: float
    """How far things jumped, as the browser counts it."""


# Reported by the browser itself, from the beginning on.
SHIFT = """() => new Promise(resolve => {
  const sum = list => list.getEntries().reduce((sum, entry) => sum + entry.value, 0);
  const watch = list => resolve(sum(list));
  new PerformanceObserver(watch).observe({ type: "layout-shift", buffered: true });
  setTimeout(resolve, 100, 0);
})"""


# Each window has a context of its own: a browser lets what is in the background wait.
# A colour on its way to another fails by chance, so nothing moves gradually.


@pytest.fixture(scope="session")
def _desk_window(browser):
    page = browser.new_page(viewport=DESK, reduced_motion="reduce")
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    return page


@pytest.fixture(scope="session")
def first_visit(_desk_window, site, address) -> FirstVisit:
    """A page as it was loaded by somebody with a large screen."""
    asked: set[str] = set()

    def see(request) -> None:
        asked.add(request.url)

    _desk_window.on("request", see)
    _desk_window.goto(site.address + address, wait_until="networkidle")
    _desk_window.remove_listener("request", see)
    return FirstVisit(_desk_window, asked, _desk_window.evaluate(SHIFT))


@pytest.fixture(scope="session")
def desk(first_visit) -> Page:
    """A page on a large screen, once it is loaded."""
    return first_visit.page


@pytest.fixture(scope="session")
def _phone_window(browser):
    return browser.new_page(viewport=PHONE, reduced_motion="reduce")


@pytest.fixture(scope="session")
def _plain_window(browser):
    return browser.new_page(viewport=DESK, java_script_enabled=False)


@pytest.fixture(scope="session")
def phone(_phone_window, site, address) -> Page:
    """A page on a phone, with all unfolded that can be."""
    _phone_window.goto(site.address + address)
    _phone_window.evaluate(UNFOLD)
    _phone_window.evaluate("() => document.fonts.ready")
    return _phone_window


@pytest.fixture(scope="session")
def plain(_plain_window, site, address) -> Page:
    """A page in a browser that runs no scripts."""
    _plain_window.goto(site.address + address)
    return _plain_window
