"""What axe, the accessibility checker, finds on a page."""

from __future__ import annotations

from pathlib import Path

import axe_playwright_python

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text("utf-8")

# Most of the time goes into the colours of code, where a token looks like every other
# token of its kind: one of each kind is looked at.
ONE_OF_EACH = """() => {
  const kinds = new Map([[null, ""]]);
  const kind = it => {
    if (!kinds.has(it))
      kinds.set(it, `${kind(it.parentElement)} ${it.tagName}.${it.className}`);
    return kinds.get(it);
  };
  const seen = new Set();
  for (const it of document.querySelectorAll("pre code span:not(:has(span))"))
    if (seen.has(kind(it))) it.dataset.alike = "";
    else seen.add(kind(it));
  const rule = { id: "color-contrast", selector: "*:not([data-alike])" };
  axe.configure({ rules: [rule] });
}"""

FIND = """async rules => {
  const options = { resultTypes: ["violations"], selectors: false };
  return (await axe.run(document, { ...options, ...rules })).violations;
}"""
COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"]}


def violations(page, *, only_colours: bool = False) -> list[str]:
    """Return what axe finds on a page, a line for each element."""
    if not page.evaluate("() => 'axe' in window"):
        # Through the debugger, as the page's own policy would not let a script in.
        page.evaluate(AXE)
        page.evaluate(ONE_OF_EACH)
    return [
        f"{violation['id']}: {node['html'][:200]} {node.get('failureSummary', '')}"
        for violation in page.evaluate(FIND, COLOURS if only_colours else {})
        for node in violation["nodes"]
    ]
