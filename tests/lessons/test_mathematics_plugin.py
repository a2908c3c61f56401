"""The plugin in a whole build: bad TeX stops it with page and line."""

from __future__ import annotations

from pathlib import Path

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort

PROJECT = Path(__file__).parents[2]
PLUGIN = "attention-ref-mathematics"


@pytest.fixture
def project(tmp_path) -> Path:
    """A small site that shares our lock file and what was fetched by it."""
    (tmp_path / "docs").mkdir()
    for name in ("package.json", "package-lock.json"):
        (tmp_path / name).write_bytes((PROJECT / name).read_bytes())
    (tmp_path / ".cache").symlink_to(PROJECT / ".cache")
    (tmp_path / "mkdocs.yml").write_text(
        "site_name: Small\n"
        f"plugins: [{PLUGIN}]\n"
        "markdown_extensions: [{pymdownx.arithmatex: {generic: true}}]\n"
    )
    return tmp_path


def build_page(project: Path, text: str, command: str = "build") -> str:
    (project / "docs" / "index.md").write_text(text)
    config = load_config(str(project / "mkdocs.yml"))
    config.plugins.on_startup(command=command, dirty=False)
    build(config)
    return (project / "site" / "index.html").read_text("utf-8")


def test_page_comes_out_typeset_with_its_style_beside_it(project):
    html = build_page(project, "The root is $\\sqrt{d}$.\n")

    assert '<span class="formula"><span class="katex">' in html
    assert "assets/katex/katex.css" in html
    assert (project / "site/assets/katex/katex.css").is_file()


def test_bad_tex_stops_the_build_with_page_and_line(project, caplog):
    with pytest.raises(Abort):
        build_page(project, "# Roots\n\nGood: $x$.\n\nBad: $\\sqtr{d}$.\n")

    assert caplog.messages[-1] == (
        "index.md:5: this formula cannot be typeset: \\sqtr{d}\n"
        "Undefined control sequence: \\sqtr"
    )


def test_every_bad_formula_is_named_at_once(project, caplog):
    with pytest.raises(Abort):
        build_page(project, "$\\one$\n\n$\\two$\n")

    assert "index.md:1: " in caplog.messages[-1]
    assert "index.md:3: " in caplog.messages[-1]


def test_who_is_writing_sees_the_error_in_its_place(project, capsys):
    html = build_page(project, "Good $x$, bad $\\sqtr$.\n", command="serve")

    assert '<strong class="formula-error">index.md:1: this formula' in html
    assert '<span class="katex">' in html
    assert "index.md:1:" in capsys.readouterr().err
