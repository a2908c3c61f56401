"""What the page *Use the engine* shows, done as it says, from an empty folder."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "use-the-engine.md"


def shown(language: str) -> str:
    """The one fence of a language on the page."""
    pattern = rf"^(`{{3,4}}){language}[^\n]*\n(.*?)^\1$"
    [(_, text)] = re.findall(pattern, PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return text


@pytest.fixture
def project(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text(shown("markdown"))
    (tmp_path / "conftest.py").write_text(shown("text"))
    (tmp_path / "mkdocs.yml").write_text(f"site_name: Example\n{shown('yaml')}")
    return tmp_path


def run(project: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=project, capture_output=True, text=True
    )


def test_the_command_line_verifies_the_page(project):
    done = run(project, "attention_ref.lessons.cli", "verify", "docs")

    assert done.returncode == 0
    assert done.stdout == (
        "1 pages, 1 of 1 blocks verified, 2 of 2 inline checks verified, 0 problems\n"
    )


def test_pytest_has_a_test_for_each_block_and_number(project):
    assert "3 passed" in run(project, "pytest", "docs").stdout


def test_mkdocs_builds_the_site(project):
    done = run(project, "mkdocs", "build")

    assert done.returncode == 0, done.stderr
    html = (project / "site" / "index.html").read_text()
    assert "verified" in html
    assert "4.0" in html


def test_a_wrong_number_fails_all_three(project):
    page = project / "docs" / "index.md"
    page.write_text(page.read_text().replace("4.0", "4.1"))

    for command in (
        ("attention_ref.lessons.cli", "verify", "docs"),
        ("pytest", "docs"),
        ("mkdocs", "build"),
    ):
        done = run(project, *command)
        assert done.returncode != 0
        assert "docs/index.md:9: output differs" in done.stdout + done.stderr
        assert "-4.1\n+4.0" in done.stdout + done.stderr


def test_outputs_are_written_by_the_machine(project):
    page = project / "docs" / "index.md"
    right = page.read_text()
    page.write_text(right.replace("4.0", "?"))

    said = run(project, "pytest", "docs", "--update-outputs").stdout

    assert page.read_text() == right
    assert "-?\n+4.0" in said
