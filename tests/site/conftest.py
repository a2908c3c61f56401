"""Builds the site once, serves it, and drives it with the system's Chromium.

``ATTENTION_SITE`` names the folder of a site that is built already.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from site_pages import addresses

if TYPE_CHECKING:
    from collections.abc import Iterator

PROJECT = Path(__file__).parents[2]


class Site(NamedTuple):
    """A built site and where it is served."""

    folder: Path
    address: str


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test that asks for an ``address`` once for each page."""
    if "address" in metafunc.fixturenames:
        names = addresses()
        metafunc.parametrize("address", names, ids=[name or "home" for name in names])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep these tests on one worker: the site is built once, not once for each."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("site"))


class _QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing: pytest shows what matters."""


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The built site, served at an address of its own."""
    given = os.environ.get("ATTENTION_SITE")
    folder = Path(given) if given else tmp_path_factory.mktemp("site")
    handler = functools.partial(_QuietHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        address = f"http://127.0.0.1:{server.server_port}/"
        if not given:
            _build(folder, address)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield Site(folder, address)
        server.shutdown()


def _build(folder: Path, address: str) -> None:
    # The theme swaps pages without loading them only where `site_url` is the address.
    environment = os.environ | {"SITE_URL": address, "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet"]
    done = subprocess.run(
        [*command, "--site-dir", str(folder)],
        cwd=PROJECT,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def browser():
    """Chromium.  On a person's machine its absence skips; where CI is set it fails."""
    sync_api = pytest.importorskip("playwright.sync_api")
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        reason = f"no Chromium: none of {', '.join(names)} is on the PATH"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    # Root, as in a container, has no sandbox; the pages are our own.
    options = {"executable_path": path, "args": ["--no-sandbox"]}
    with (
        sync_api.sync_playwright() as playwright,
        playwright.chromium.launch(**options) as chromium,
    ):
        yield chromium
