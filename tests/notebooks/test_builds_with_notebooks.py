"""Small sites with one workbook, which mkdocs-jupyter runs while they are built."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

PROJECT = Path(__file__).parents[2]
CONFIG = f"""\
site_name: Small site
strict: true
repo_url: !ENV [REPO_URL, ""]
theme: {{name: mkdocs}}
plugins:
  attention-ref: {{}}
  mkdocs-jupyter:
    include: ["notebooks/*.py"]
    execute: true
    allow_errors: false
    cache: false
    remove_tag_config:
      remove_cell_tags: [expected]
markdown_extensions: [attr_list, pymdownx.superfences]
hooks: ["{(PROJECT / "hooks" / "notebooks.py").as_posix()}"]
"""
WORKBOOK = """\
# ---
# title: Small
# ---

# %% [markdown]
# # Small

# %%
import helper

print("number", helper.number)

# %% [markdown] tags=["expected"]
# ```output
# number 1
# ```
"""

pytestmark = pytest.mark.slow


@pytest.fixture
def workbook(tmp_path):
    """The source of a workbook, in a project that has nothing else."""
    docs = tmp_path / "docs"
    (docs / "notebooks").mkdir(parents=True)
    (docs / "assets").mkdir()
    shutil.copy(PROJECT / "docs" / "assets" / "figures.css", docs / "assets")
    (docs / "index.md").write_text("# Home\n\n[Small](notebooks/small.py)\n")
    (tmp_path / "mkdocs.yml").write_text(CONFIG)
    (tmp_path / "helper.py").write_text("number = 1\n")
    path = docs / "notebooks" / "small.py"
    path.write_text(WORKBOOK)
    return path


def build(workbook, **variables):
    """Build the site; what it said, and the workbook's page, or nothing."""
    folder = workbook.parents[2]
    search = [str(folder), str(PROJECT)]
    environment = os.environ | {
        "REPO_URL": "",
        "NO_MKDOCS_2_WARNING": "1",
        "PYTHONPATH": os.pathsep.join(search),
        **variables,
    }
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    page = folder / "site" / "notebooks" / "small" / "index.html"
    built = page.read_text("utf-8") if done.returncode == 0 else None
    return done.stdout + done.stderr, built


def test_a_change_of_what_it_imports_changes_the_page(workbook):
    said, page = build(workbook)
    assert page, said
    assert "number 1" in page
    solved = workbook.parents[2] / "site" / "notebooks" / "small-solved.ipynb"
    notebook = nbformat.read(solved, as_version=4)
    assert [c.outputs[0].text for c in notebook.cells if c.get("outputs")] == [
        "number 1\n"
    ]

    (workbook.parents[2] / "helper.py").write_text("number = 2\n")
    said, page = build(workbook)
    assert page is None
    assert "docs/notebooks/small.py:14: output differs" in said

    workbook.write_text(WORKBOOK.replace("number 1", "number 2"))
    said, page = build(workbook)
    assert page, said
    assert "number 2" in page


def test_colab_is_offered_where_the_repository_is_known(workbook):
    link = "https://colab.research.google.com/github/we/site/blob/gh-pages/notebooks/"
    _, without = build(workbook)
    _, known = build(workbook, REPO_URL="https://github.com/we/site")

    assert "colab" not in without
    assert f'href="{link}small.ipynb"' in known


def test_a_cell_that_fails_in_a_kernel_only_fails_the_build(workbook):
    failing = WORKBOOK.replace(
        'print("n', 'assert "get_ipython" not in globals()\nprint("n'
    )
    workbook.write_text(failing)
    said, page = build(workbook)

    assert page is None
    assert "docs/notebooks/small.py:8: the cell fails in its Jupyter kernel" in said
    assert "AssertionError" in said


def test_what_a_kernel_alone_prints_otherwise_fails_the_build(workbook):
    other = WORKBOOK.replace("helper.number)", 'helper.number + ("In" in globals()))')
    workbook.write_text(other)
    said, page = build(workbook)

    assert page is None
    assert "docs/notebooks/small.py:14: output differs" in said
    assert "+number 2" in said


def test_a_value_at_the_end_of_a_cell_is_refused(workbook):
    workbook.write_text(WORKBOOK.replace("number)\n", "number)\nhelper.number\n", 1))
    said, page = build(workbook)

    assert page is None
    assert "small.py:8: the cell ends with a value, which only Jupyter shows" in said
