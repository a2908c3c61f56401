"""What a reader copies needs no cleaning: blocks keep the project's own rules."""

import subprocess
import sys
from pathlib import Path

import pytest

from attention_ref.lessons.pages.page import Page
from attention_ref.lessons.pages.parsing import read_page

PROJECT = Path(__file__).resolve().parents[1]
PAGES = [read_page(path) for path in sorted((PROJECT / "docs").rglob("*.md"))]
NOT_FOR_BLOCKS = (
    "ANN",  # a learner reads names, not annotations
    "D",  # the text around a block says what it does
    "INP001",  # a block is no module of a package
    "B018",  # an expression that raises may stand alone where an error is shown
    "E402",  # a block that continues others imports what it needs where it needs it
    "N812",  # torch's own documentation calls torch.nn.functional F
    "S",  # nobody attacks a lesson
    "SIM905",  # a list of words reads best as a sentence that is split
)


def written(page: Page, folder: Path, *, standalone: bool) -> Path:
    """Write each block of a page, or each whole chain, into a file of its line."""
    name = page.file.relative_to(PROJECT / "docs").with_suffix("").as_posix()
    target = folder / name.replace("/", "-")
    target.mkdir()
    continued = {block.parent for block in page.blocks}
    for block in page.blocks:
        if standalone and block.index in continued:
            continue  # it is checked with the block that continues it
        source = page.standalone_source(block) if standalone else block.source
        (target / f"line_{block.line}.py").write_text(source, encoding="utf-8")
    return target


def ruff(folder: Path, *command: str) -> str:
    """What ruff says about the files, with the project's settings."""
    # For a reader, the package is one among those they have installed.
    settings = ("--config", str(PROJECT / "pyproject.toml"), "--config", "src=[]")
    done = subprocess.run(
        [sys.executable, "-m", "ruff", *command, *settings, "."],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    return done.stdout if done.returncode else ""


@pytest.fixture(scope="module")
def pages_with_blocks():
    pages = [page for page in PAGES if page.blocks]
    assert len(pages) > 10
    return pages


def test_blocks_are_formatted(pages_with_blocks, tmp_path):
    for page in pages_with_blocks:
        written(page, tmp_path, standalone=False)

    assert ruff(tmp_path, "format", "--diff") == ""


def test_chains_keep_the_rules(pages_with_blocks, tmp_path):
    for page in pages_with_blocks:
        written(page, tmp_path, standalone=True)
    ignored = ",".join(NOT_FOR_BLOCKS)

    said = ruff(
        tmp_path, "check", "--extend-ignore", ignored, "--output-format", "concise"
    )

    assert said == ""


def test_ruff_is_asked_about_something(tmp_path):
    (tmp_path / "line_1.py").write_text("import os\nx  =  1\n")

    assert "F401" in ruff(tmp_path, "check", "--output-format", "concise")
    assert "-x  =  1" in ruff(tmp_path, "format", "--diff")
