"""The built files: links, anchors, what is published and what is not."""

from __future__ import annotations

import inspect
import json
import re
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from bs4 import BeautifulSoup

import attention_ref
from attention_ref import plotting

ROOT = "http://site.test/"


@pytest.fixture(scope="session")
def pages(site) -> dict[str, BeautifulSoup]:
    """Every page of the site, by its address."""
    return {
        path.relative_to(site.folder)
        .as_posix()
        .removesuffix("index.html"): BeautifulSoup(
            path.read_text("utf-8"), "html.parser"
        )
        for path in sorted(site.folder.rglob("*.html"))
    }


def targets(page: BeautifulSoup, address: str):
    """The addresses within the site that a page points to."""
    attributes = {"a": "href", "link": "href", "script": "src", "img": "src"}
    for name, attribute in attributes.items():
        for element in page.find_all(name, attrs={attribute: True}):
            url = urlsplit(urljoin(ROOT + address, element[attribute]))
            if f"{url.scheme}://{url.netloc}/" == ROOT:
                yield unquote(url.path.lstrip("/")), unquote(url.fragment)


def test_every_link_and_anchor_leads_somewhere(site, pages):
    lost = []
    for address, page in pages.items():
        if address == "404.html":  # its addresses begin at the host, by design
            continue
        for path, fragment in targets(page, address):
            target = pages.get(path)
            if target is None and not (site.folder / path).is_file():
                lost.append(f"{address} -> {path}")
            elif path == "explorer/" and fragment.startswith("tokens="):
                continue  # a state of the explorer
            elif fragment and target is not None and not target.find(id=fragment):
                lost.append(f"{address} -> {path}#{fragment}")

    assert lost == []


def test_ids_are_unique_within_a_page(pages):
    for address, page in pages.items():
        ids = [element["id"] for element in page.find_all(id=True)]
        twice = {name for name in ids if ids.count(name) > 1}

        assert twice == set(), address


def test_every_page_has_one_title_and_a_description(pages):
    for address, page in pages.items():
        assert len(page.find_all("h1")) == 1, address
        assert page.find("meta", attrs={"name": "description"})["content"], address


def test_no_formula_is_left_as_tex(pages):
    for address, page in pages.items():
        for code in page.find_all(["code", "script", "annotation"]):
            code.decompose()
        text = page.get_text()

        assert not re.search(r"\\[()\[\]]|\$\$|data-formula|\\frac", text), address


def test_no_drawing_has_what_the_theme_takes_for_a_link(pages):
    """Instant navigation assigns to every `href`; in a drawing it cannot be written."""
    for address, page in pages.items():
        assert page.select("svg [href]") == [], address


def test_nothing_but_pages_and_their_files_is_published(site):
    unwanted = [
        path
        for path in site.folder.rglob("*")
        if "__pycache__" in path.parts
        or path.name in {"conftest.py", "package.json"}
        or path.suffix == ".pyc"
    ]

    assert unwanted == []


def test_wheel_lies_on_the_site(site):
    wheels = [path.name for path in (site.folder / "wheels").iterdir()]

    assert wheels == ["attention_ref-0.1.0-py3-none-any.whl"]


def test_search_finds_every_page(site, pages):
    index = json.loads((site.folder / "search" / "whole_index.json").read_text())
    found = {entry["location"].partition("#")[0] for entry in index["docs"]}

    assert found == {address for address in pages if address != "404.html"}


def test_every_public_name_is_described_once_and_nothing_else(pages):
    public = {f"attention_ref.{name}" for name in attention_ref.__all__}
    public |= {
        f"attention_ref.plotting.{name}"
        for name, function in vars(plotting).items()
        if not name.startswith("_") and inspect.isfunction(function)
    }
    described = [
        heading["id"]
        for address, page in pages.items()
        if address.startswith("reference/api/")
        for heading in page.select("h2.doc-heading")
    ]
    listed = {
        link["href"].partition("#")[2]
        for link in pages["reference/api/"].select("td a")
    }

    assert sorted(described) == sorted(public)
    assert listed == public


def test_no_mark_of_the_engine_is_left_on_a_page(site):
    left = re.compile(r"data-lesson-(code|panel)|<!-- ![0-9]|lessonpanel")
    pages = {page: page.read_text("utf-8") for page in site.folder.rglob("*.html")}

    assert len(pages) > 30
    assert [page for page, text in pages.items() if left.search(text)] == []
