"""KaTeX during the build: fetched once, strict, and no more style than is used."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from attention_ref.lessons.mathematics import katex
from attention_ref.lessons.mathematics.katex import Formula, TexError

PROJECT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def package() -> Path:
    """KaTeX's folder, fetched as a build would fetch it."""
    return katex.install(PROJECT, PROJECT / ".cache")


def html_of(package: Path, tex: str, *, display: bool = False) -> str:
    [html] = katex.typeset([Formula(tex, display)], package)
    assert isinstance(html, str), html
    return html


def test_formula_becomes_html_and_mathml(package):
    html = html_of(package, r"\sqrt{d}")

    assert '<span class="katex-mathml"><math' in html
    assert "<msqrt>" in html
    assert '<span class="katex-html" aria-hidden="true">' in html


def test_display_and_inline_formulas_differ(package):
    assert "katex-display" in html_of(package, "x", display=True)
    assert "katex-display" not in html_of(package, "x")


@pytest.mark.parametrize(
    ("tex", "reason"),
    [
        (r"\sqtr{d}", r"Undefined control sequence: \sqtr"),
        (r"\frac{1}{", "expected '}'"),
        (r"a_b_c", "Double subscript"),
        ("x – y", "unknownSymbol"),  # LaTeX refuses this dash
    ],
)
def test_what_latex_would_refuse_is_an_error_that_says_why(package, tex, reason):
    good, bad = katex.typeset([Formula("x", False), Formula(tex, False)], package)

    assert isinstance(good, str)
    assert isinstance(bad, TexError)
    assert reason in str(bad)


def test_nothing_is_fetched_twice(package, monkeypatch):
    def fail(*_: object, **__: object) -> None:
        pytest.fail("npm was asked again")

    monkeypatch.setattr(katex, "npm", fail)

    assert katex.install(PROJECT, PROJECT / ".cache") == package


def test_a_project_may_be_named_from_where_one_stands(package, monkeypatch):
    """Node takes a path without a root for the name of a package."""
    monkeypatch.chdir(PROJECT)

    assert katex.install(Path(), Path(".cache")) == package


def test_failed_fetch_leaves_nothing_behind_and_says_why(tmp_path):
    project, cache = tmp_path / "project", tmp_path / "cache"
    project.mkdir()
    shutil.copy(PROJECT / "package.json", project)
    (project / "package-lock.json").write_text("{}")

    with pytest.raises(RuntimeError, match=r"(?s)npm could not fetch what .*npm error"):
        katex.install(project, cache)

    assert list(cache.iterdir()) == []


def test_lock_file_pins_versions_and_names_no_place():
    lock = (PROJECT / "package-lock.json").read_text("utf-8")

    assert '"integrity"' in lock
    assert '"resolved"' not in lock


@pytest.mark.parametrize(
    ("tex", "fonts"),
    [
        ("2", {"Main-Regular"}),
        ("x", {"Main-Regular", "Main-Italic", "Math-Italic"}),
        (r"\mathbb{R}", {"Main-Regular", "AMS-Regular"}),
        (r"\mathbf{2}", {"Main-Regular", "Main-Bold"}),
        (r"\big(", {"Main-Regular", "Size1-Regular"}),
    ],
)
def test_only_fonts_that_formulas_use_are_published(package, tmp_path, tex, fonts):
    katex.publish_style([html_of(package, tex)], package, tmp_path)

    published = {path.stem.removeprefix("KaTeX_") for path in tmp_path.glob("fonts/*")}
    assert published == fonts


def test_style_sheet_asks_for_published_fonts_only(package, tmp_path):
    katex.publish_style([html_of(package, r"\mathcal{L} = x")], package, tmp_path)

    css = (tmp_path / "katex.css").read_text("utf-8")
    asked = set(re.findall(r"url\(fonts/([^)]*)\)", css))
    assert asked == {path.name for path in tmp_path.glob("fonts/*")}
    assert css.count("url(") == len(asked)
