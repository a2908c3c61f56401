"""Formulas in pages: found, typeset once, put in place, and located when wrong."""

from __future__ import annotations

from pathlib import Path

import markdown
import pytest

from attention_ref.lessons import mathematics
from attention_ref.lessons.mathematics import katex
from attention_ref.lessons.mathematics.katex import Formula, TexError

PROJECT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def package() -> Path:
    """KaTeX's folder, fetched as a build would fetch it."""
    return katex.install(PROJECT, PROJECT / ".cache")


def marked(text: str) -> tuple[str, list[Formula]]:
    html = markdown.markdown(
        text,
        extensions=["pymdownx.arithmatex", "pymdownx.superfences"],
        extension_configs={"pymdownx.arithmatex": {"generic": True}},
    )
    found: dict[str, Formula] = {}
    return mathematics.mark(html, found), list(found.values())


def test_both_kinds_of_formula_are_found():
    _, formulas = marked("A $x$ here.\n\n$$\ny\n$$\n")

    assert formulas == [Formula("x", False), Formula("\ny\n", True)]


def test_signs_that_html_escapes_reach_katex_as_written():
    _, formulas = marked("$a < b$\n\n$$ a & b $$\n")

    assert [formula.tex for formula in formulas] == ["a < b", " a & b "]


def test_search_sees_the_tex_and_no_delimiters():
    html, _ = marked("$a < b$")

    assert ">a &lt; b</span>" in html
    assert r"\(" not in html


def test_a_formula_that_recurs_is_typeset_once():
    _, formulas = marked("$x$ and $x$, then $y$")

    assert formulas == [Formula("x", False), Formula("y", False)]


def test_code_is_left_alone():
    html, formulas = marked("`$x$`\n\n```\n$y$\n```\n")

    assert formulas == []
    assert "$x$" in html
    assert "$y$" in html


def test_placed_formula_replaces_its_mark():
    found: dict[str, Formula] = {}
    html = mathematics.mark(r'<p><span class="arithmatex">\(x\)</span>!</p>', found)

    placed = mathematics.place(html, dict.fromkeys(found, "<b>x</b>"))

    assert placed == '<p><span class="formula"><b>x</b></span>!</p>'


def test_second_build_starts_no_node(package, tmp_path, monkeypatch):
    formulas = {"one": Formula("x", False)}
    cache = tmp_path / "formulas.json"
    first = mathematics.typeset_all(formulas, package, cache)
    monkeypatch.setattr(katex, "typeset", lambda *_: pytest.fail("Node was started"))

    assert mathematics.typeset_all(formulas, package, cache) == first


def test_new_formula_beside_a_cached_one_is_typeset(package, tmp_path):
    cache = tmp_path / "formulas.json"
    formulas = {"one": Formula("x", False)}
    mathematics.typeset_all(formulas, package, cache)
    formulas["two"] = Formula("y", False)

    results = mathematics.typeset_all(formulas, package, cache)

    assert "katex" in str(results["one"])
    assert "katex" in str(results["two"])


@pytest.mark.parametrize("content", ["", "{", '{"made_by": "older", "formulas": {}}'])
def test_cache_that_cannot_be_used_is_made_anew(package, tmp_path, content):
    cache = tmp_path / "formulas.json"
    cache.write_text(content)

    results = mathematics.typeset_all({"one": Formula("x", False)}, package, cache)

    assert "katex" in str(results["one"])


def test_errors_are_not_cached(package, tmp_path):
    cache = tmp_path / "formulas.json"
    formulas = {"bad": Formula(r"\nothing", False)}

    for _ in range(2):
        results = mathematics.typeset_all(formulas, package, cache)
        assert isinstance(results["bad"], TexError)


def test_formula_is_found_on_its_line_whatever_the_blanks():
    source = "One.\n\n    $$\n    a +\n      b\n    $$\n"

    assert mathematics.line_of("a +\n  b", source) == 4
    assert mathematics.line_of("a - b", source) is None


def test_formula_of_a_docstring_is_located_in_the_module():
    sources = [("page.md", "no formula"), ("module.py", "\n$x$")]

    assert mathematics.locate("x", [("page.md", "$x$"), *sources]) == "page.md:1"
    assert mathematics.locate("$x$", sources) == "module.py:2"
    assert mathematics.locate("zz", sources) == "page.md"
