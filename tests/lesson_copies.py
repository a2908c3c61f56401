"""Copies of the lessons, on which the doors that people use can be tried."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

PROJECT = Path(__file__).parents[1]
LESSONS = sorted(path.stem for path in PROJECT.glob("docs/lessons/*.md"))
# What a small site needs to publish the lessons; the real one has much more to build.
CONFIG = """
site_name: Lessons
theme: {name: mkdocs}
plugins: [attention-ref]
markdown_extensions:
  - admonition
  - attr_list
  - def_list
  - footnotes
  - md_in_html
  - tables
  - pymdownx.details
  - pymdownx.highlight
  - pymdownx.superfences
  - pymdownx.tabbed: {alternate_style: true}
"""


@dataclass
class Copy:
    """A project with lessons in `docs/`."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", *arguments],
            cwd=self.folder,
            env={**os.environ, "NO_MKDOCS_2_WARNING": "1", **self.environment},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def verify(self, path: str = "docs") -> subprocess.CompletedProcess[str]:
        return self.run("attention_ref.lessons.cli", "verify", path)

    def build(self) -> subprocess.CompletedProcess[str]:
        return self.run("mkdocs", "build")

    def test(self, path: str = "docs") -> subprocess.CompletedProcess[str]:
        return self.run("pytest", "-p", "no:cacheprovider", path)

    def write(self, lesson: str, text: str) -> None:
        self.folder.joinpath("docs", f"{lesson}.md").write_text(text, "utf-8")


def copy_lessons(folder: Path) -> Copy:
    """Copy the lessons, and what the three doors need around them."""
    shutil.copytree(PROJECT / "docs" / "lessons", folder / "docs")
    shutil.copy(PROJECT / "conftest.py", folder)
    folder.joinpath("attention_ref").mkdir()  # where conftest.py looks for docstrings
    folder.joinpath("mkdocs.yml").write_text(CONFIG)
    folder.joinpath("pytest.ini").write_text("[pytest]\n")
    return Copy(folder)
