"""What axe finds, and what a keyboard reaches."""

from __future__ import annotations

from pathlib import Path

import axe_playwright_python
import pytest

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js")

pytestmark = pytest.mark.browser


def violations(page) -> list[str]:
    """Return what axe finds on a page, a line for each element."""
    # Through the debugger, as the page's own policy would not let a script in.
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate("() => axe.run()")["violations"]
    return [
        f"{violation['id']}: {node['html'][:200]} {node.get('failureSummary', '')}"
        for violation in found
        for node in violation["nodes"]
    ]


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser, site, address, scheme, width):
    with browser.new_page(
        color_scheme=scheme, viewport={"width": width, "height": 900}
    ) as page:
        page.goto(site.address + address)
        page.wait_for_load_state("load")

        assert violations(page) == []
