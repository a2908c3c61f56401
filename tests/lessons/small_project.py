"""A project of a few pages, built and served in processes of its own."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

CONFIG = """\
site_name: Small project
theme: {name: mkdocs}
plugins: [attention-ref]
markdown_extensions: [attr_list, pymdownx.superfences]
"""
PAGE = """\
# Page {number}

```python
import helper
print("number", helper.number + {number})
```

```output
number {number}
```
"""


@dataclass
class Project:
    """A folder with `mkdocs.yml`, pages in `docs/`, and a module that they import."""

    folder: Path
    pages: int = 3

    def __post_init__(self) -> None:
        (self.folder / "docs").mkdir()
        (self.folder / "mkdocs.yml").write_text(CONFIG)
        self.helper.write_text("number = 0\n")
        for number in range(self.pages):
            self.page(number).write_text(PAGE.format(number=number))

    @property
    def helper(self) -> Path:
        return self.folder / "helper.py"

    def page(self, number: int) -> Path:
        return self.folder / "docs" / f"page-{number}.md"

    def html(self, number: int) -> str:
        return (self.folder / "site" / f"page-{number}" / "index.html").read_text()

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        environment = os.environ | {
            "NO_MKDOCS_2_WARNING": "1",
            "PYTHONPATH": str(self.folder),
        }
        return subprocess.Popen(
            [sys.executable, "-m", "mkdocs", *arguments],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def build(self) -> tuple[int, str]:
        """Build the site; its exit status and what it said."""
        process = self.start("build")
        said, _ = process.communicate(timeout=120)
        return process.returncode, said
