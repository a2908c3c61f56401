"""Notebook pages and notebooks on the built site."""

from __future__ import annotations

import gzip
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup

from attention_ref.lessons.notebooks.workbooks import TASK

DOCS = Path(__file__).parents[2] / "docs"
WORKBOOKS = sorted(path.stem for path in DOCS.glob("notebooks/*.py"))
LESSONS = sorted(path.stem for path in DOCS.glob("lessons/*.md"))

every_workbook = pytest.mark.parametrize("name", WORKBOOKS)


def page_of(site, name):
    return (site.folder / "notebooks" / name / "index.html").read_bytes()


def notebook_of(site, name):
    path = site.folder / f"{name}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    return notebook


def outputs(notebook):
    return [out for cell in notebook.cells for out in cell.get("outputs", [])]


@every_workbook
def test_a_notebook_page_is_lean(site, name):
    html = page_of(site, name)
    page = BeautifulSoup(html, "html.parser")

    assert len(gzip.compress(html)) < 80_000
    assert not page.select(".md-content style, .md-content script, .jp-Notebook")


@every_workbook
def test_a_notebook_page_is_a_page_like_others(site, name):
    page = BeautifulSoup(page_of(site, name), "html.parser")

    assert len(page.select("h1")) == 1
    assert page.select('.md-nav--secondary a[href="#the-story"]')
    assert page.select(".lesson-output--verified .lesson-printed")
    assert not page.select(".lesson-output--failed")


@every_workbook
def test_both_downloads_lie_beside_the_page(site, name):
    unsolved = notebook_of(site, f"notebooks/{name}")
    solved = notebook_of(site, f"notebooks/{name}-solved")
    page = BeautifulSoup(page_of(site, name), "html.parser")
    offered = [a["href"] for a in page.select(".lesson-download a[download]")]

    assert offered == [f"../{name}.ipynb", f"../{name}-solved.ipynb"]
    assert outputs(unsolved) == []
    assert any(TASK in cell.source for cell in unsolved.cells)
    assert "find_spec" in unsolved.cells[0].source
    assert outputs(solved)
    assert not any(out.output_type == "error" for out in outputs(solved))


@every_workbook
def test_the_search_finds_a_notebook(site, name):
    index = (site.folder / "search" / "whole_index.json").read_text("utf-8")

    assert f'"notebooks/{name}/#the-story"' in index


@pytest.mark.parametrize("name", LESSONS)
def test_each_lesson_lies_there_as_a_notebook(site, name):
    notebook = notebook_of(site, f"lessons/{name}")
    text = (site.folder / "lessons" / name / "index.html").read_text("utf-8")

    assert f'href="../{name}.ipynb"' in text
    assert len(outputs(notebook)) > 10
    assert not any("<!--" in cell.source for cell in notebook.cells)
