"""Which pages the site has, and how large the screens are that show them."""

from __future__ import annotations

import os
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
DESK = {"width": 1280, "height": 900}
PHONE = {"width": 360, "height": 800}


def addresses() -> list[str]:
    """Return the address of each page, relative to the site's."""
    if given := os.environ.get("ATTENTION_SITE"):
        folders = [page.parent for page in Path(given).rglob("index.html")]
        return sorted(_address(folder.relative_to(given)) for folder in folders)
    sources = [*DOCS.rglob("*.md"), *DOCS.glob("notebooks/*.py")]
    sources.append(DOCS / "verification.md")  # which the build writes
    pages = [source.relative_to(DOCS) for source in sources]
    return sorted(
        _address(page.parent if page.stem == "index" else page.with_suffix(""))
        for page in pages
    )


def _address(folder: Path) -> str:
    return f"{folder.as_posix()}/" if folder != Path() else ""
