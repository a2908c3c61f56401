"""How much a reader downloads: all of a page, compressed, on the first visit."""

from __future__ import annotations

import gzip
import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.browser

PAGE = 60_000
ALL = 250_000
TEXT = re.compile(r"\.(html|css|js|json|svg|xml|txt)$|/$")


def sent(path: Path) -> int:
    """The bytes that a host sends for a file: text is compressed, fonts are already."""
    data = path.read_bytes()
    return len(gzip.compress(data) if TEXT.search(path.name) else data)


def test_first_visit_stays_light(first_visit, site, address):
    files = {
        site.folder / url.removeprefix(site.address).partition("?")[0]
        for url in first_visit.asked
        if url.startswith(site.address)
    }
    files = {path / "index.html" if path.is_dir() else path for path in files}
    # The index of the whole site is fetched when somebody searches.
    assert site.folder / "search" / "whole_index.json" not in files
    assert sent(site.folder / address / "index.html") <= PAGE
    assert sum(sent(path) for path in files) <= ALL, sorted(
        (sent(path), path.name) for path in files
    )
