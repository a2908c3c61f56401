"""Leaves the search index alone until somebody searches.

The theme fetches the index of the whole site on every first visit: half of what a
visit may weigh.  It is given one without pages, and search_worker.js fetches the whole
one at the first letter.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

WORKER = Path(__file__).with_name("search_worker.js")


def on_post_build(config: MkDocsConfig) -> None:
    """Put our script where the theme starts its search, and an index without pages."""
    site = Path(config.site_dir)
    [worker] = site.glob("assets/javascripts/workers/search.*.min.js")
    theirs = worker.with_name("theme-search.js")
    if not theirs.exists():  # or this is a second build, of what has changed only
        worker.rename(theirs)
    shutil.copy(WORKER, worker)

    index = site / "search" / "search_index.json"
    settings = json.loads(index.read_text("utf-8"))["config"]
    index.rename(index.with_name("whole_index.json"))
    index.write_text(json.dumps({"config": settings, "docs": []}), "utf-8")
