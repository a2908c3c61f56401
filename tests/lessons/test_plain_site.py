"""Woven pages are plain Markdown: any generator builds them."""

import subprocess
import sys
from textwrap import dedent

import pytest

from attention_ref.lessons.cli import main

PAGE = """\
---
title: Kept
---

# A page

```python {figure="A line that rises" caption="It rises."}
import matplotlib.pyplot as plt
plt.plot([1, 2, 3])
print("three", 1 + 2)
```

```output
three 3
```

The sum is 3<!-- = 1 + 2 -->, since 2017<!-- ! year -->.

??? success "Folded"

    ```python {.continues title="again.py" download="again.py"}
    print("again")
    ```

    ```output
    again
    ```
"""


@pytest.fixture
def docs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "docs"
    (folder / "assets").mkdir(parents=True)
    (folder / "assets" / "site.css").write_text("p {}")
    (folder / "page.md").write_text(dedent(PAGE))
    return folder


def test_a_woven_page_shows_what_was_really_printed(docs, tmp_path):
    assert main(["weave", "docs", "out"]) == 0

    text = (tmp_path / "out" / "page.md").read_text()
    assert text.startswith("---\ntitle: Kept\n---\n")
    assert '```text {title="output, verified"}\nthree 3\n```' in text
    assert "![A line that rises](page-0.svg)" in text
    assert "*It rises.*" in text
    assert "<!--" not in text
    assert '    ```python {title="again.py"}\n    print("again")' in text
    assert '    ```text {title="output, verified"}\n    again\n    ```' in text


def test_everything_else_is_copied(docs, tmp_path):
    main(["weave", "docs", "out"])

    assert (tmp_path / "out" / "assets" / "site.css").read_text() == "p {}"
    assert (tmp_path / "out" / "page-0.svg").read_text().startswith("<svg xmlns=")
    assert 'print("again")' in (tmp_path / "out" / "again.py").read_text()


def test_pages_that_are_not_true_are_not_woven(docs, tmp_path, capsys):
    page = docs / "page.md"
    page.write_text(page.read_text().replace("three 3\n```", "three 4\n```"))

    assert main(["weave", "docs", "out"]) == 1

    assert "docs/page.md:13: output differs" in capsys.readouterr().out
    assert not (tmp_path / "out").exists()


def test_nothing_is_overwritten(docs, tmp_path, capsys):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")

    assert main(["weave", "docs", "out"]) == 2

    assert capsys.readouterr().err.splitlines()[-1] == (
        "attention-ref: weave: out must be empty or not exist. Choose another folder"
    )
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine.txt"]


def test_zensical_renders_woven_pages(docs, tmp_path):
    main(["weave", "docs", "woven"])
    (tmp_path / "zensical.toml").write_text(
        '[project]\nsite_name = "Woven"\ndocs_dir = "woven"\n'
        "[project.markdown_extensions.pymdownx.superfences]\n"
        "[project.markdown_extensions.pymdownx.highlight]\n"
        "[project.markdown_extensions.pymdownx.details]\n"
        "[project.markdown_extensions.admonition]\n"
        "[project.markdown_extensions.attr_list]\n"
    )

    done = subprocess.run(
        [sys.executable, "-m", "zensical", "build"], capture_output=True, text=True
    )

    assert done.returncode == 0, done.stdout + done.stderr
    html = (tmp_path / "site" / "page" / "index.html").read_text()
    assert "three 3" in html
    assert "output, verified" in html
    assert "page-0.svg" in html
