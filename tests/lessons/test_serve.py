"""`mkdocs serve`: problems are shown in their place, and what is saved appears."""

import os
import signal
import socket
import time
import urllib.request
from urllib.error import URLError

import pytest
from small_project import Project


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def served(tmp_path):
    """A project that is being served, and a function that waits for a text."""
    project = Project(tmp_path, pages=2)
    port = free_port()
    server = project.start("serve", "--dev-addr", f"127.0.0.1:{port}")

    def wait_for(text: str, number: int, seconds: float = 60) -> str:
        html = ""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                address = f"http://127.0.0.1:{port}/page-{number}/"
                with urllib.request.urlopen(address, timeout=5) as answer:
                    html = answer.read().decode()
            except (URLError, ConnectionError, TimeoutError):
                html = ""
            if text in html:
                return html
            time.sleep(0.05)
        raise AssertionError(f"no {text!r} within {seconds} s in:\n{html}")

    yield project, wait_for
    os.killpg(server.pid, signal.SIGINT)
    server.communicate(timeout=30)


def test_a_failing_block_is_shown_in_its_place_and_mended(served):
    project, wait_for = served
    assert "verified" in wait_for("number 0", 0)

    page = project.page(0)
    right = page.read_text()
    page.write_text(right.replace("output\nnumber 0", "output\nnumber 7"))

    html = wait_for("-number 7", 0)
    assert "lesson-output--failed" in html
    assert "docs/page-0.md:8: output differs" in html
    wait_for("number 1", 1)  # the other page stays

    page.write_text(right)
    wait_for("lesson-output--verified", 0)


def test_a_page_that_is_refused_says_so_and_comes_back(served):
    project, wait_for = served
    wait_for("number 0", 0)
    page = project.page(0)
    right = page.read_text()

    page.write_text(right.replace("```python", "```python {.continue}"))
    wait_for("unknown option .continue. Did you mean .continues?", 0)

    page.write_text(right)
    wait_for("lesson-output--verified", 0)


def test_a_changed_import_is_seen(served):
    project, wait_for = served
    wait_for("number 0", 0)

    project.helper.write_text("number = 5\n")
    project.page(0).touch()

    wait_for("+number 5", 0)
