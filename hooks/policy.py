"""Writes each page's Content-Security-Policy: the site's own files and nothing else.

Inline scripts are allowed by their hashes only.  The theme swaps pages without loading
them anew, and then the first page's policy goes on holding: so each page gets the
hashes of all pages, and all pages get the same policy.
"""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

MARKER = "<!-- site policy -->"
"""What theme/main.html writes where the policy goes."""

_SCRIPT = re.compile(r"<script(?P<attributes>[^>]*)>(?P<text>.*?)</script>", re.DOTALL)


def on_post_build(config: MkDocsConfig) -> None:
    """Put the policy into every page."""
    pages = {
        path: path.read_text("utf-8") for path in Path(config.site_dir).rglob("*.html")
    }
    hashes = {hash_ for page in pages.values() for hash_ in script_hashes(page)}
    for path, page in pages.items():
        meta = f'<meta http-equiv="Content-Security-Policy" content="{policy(hashes)}">'
        path.write_text(page.replace(MARKER, meta), "utf-8")


def script_hashes(page: str) -> set[str]:
    """Return the hashes of the inline scripts that a browser would run."""
    return {
        base64.b64encode(hashlib.sha256(match["text"].encode()).digest()).decode()
        for match in _SCRIPT.finditer(page)
        if "src=" not in match["attributes"]
        and "application/json" not in match["attributes"]
    }


def policy(hashes: set[str]) -> str:
    """Return the policy, with the inline scripts that it allows."""
    scripts = " ".join(f"'sha256-{hash_}'" for hash_ in sorted(hashes))
    directives = {
        "default-src": "'self'",
        "script-src": f"'self' {scripts}",
        # Formulas and figures place their parts with style attributes.
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data:",
        "object-src": "'none'",
        "base-uri": "'self'",
        "form-action": "'self'",
    }
    return "; ".join(f"{name} {value}" for name, value in directives.items())
