"""Formulas in rendered pages: find them, typeset them once, put them in place.

Pages are rendered with Python-Markdown's Arithmatex in its generic form, which marks
formulas and leaves them alone.  [`mark`][attention_ref.lessons.mathematics.mark]
collects them from every page, `typeset_all` hands all of them to KaTeX together, and
`place` puts the result into the finished page.  In between, a formula is its own TeX:
that is what the search index sees.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
from typing import TYPE_CHECKING

from attention_ref.lessons.mathematics import katex
from attention_ref.lessons.mathematics.katex import Formula, TexError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, MutableMapping
    from pathlib import Path

_ARITHMATEX = re.compile(
    r'<(?P<tag>span|div) class="arithmatex">\\[(\[](?P<tex>.*?)\\[)\]]</(?P=tag)>',
    re.DOTALL,
)
_MARKED = re.compile(
    r'<(?P<tag>span|div) class="formula" data-formula="(?P<key>\w+)">.*?</(?P=tag)>',
    re.DOTALL,
)


def mark(content: str, found: MutableMapping[str, Formula]) -> str:
    """Mark each formula of a rendered page with a key, and collect it.

    Args:
        content: The HTML that Markdown made of the page.
        found: Gets the page's formulas, by key.

    Returns:
        The HTML, each formula in an element that holds its TeX and names its key.
    """

    def replace(match: re.Match[str]) -> str:
        tag = match["tag"]
        formula = Formula(html.unescape(match["tex"]), display=tag == "div")
        key = _key(formula)
        found[key] = formula
        tex = html.escape(formula.tex.strip())
        return f'<{tag} class="formula" data-formula="{key}">{tex}</{tag}>'

    return _ARITHMATEX.sub(replace, content)


def place(content: str, typeset: Mapping[str, str]) -> str:
    """Return a page in which each marked formula is typeset."""

    def replace(match: re.Match[str]) -> str:
        tag = match["tag"]
        return f'<{tag} class="formula">{typeset[match["key"]]}</{tag}>'

    return _MARKED.sub(replace, content)


def typeset_all(
    formulas: Mapping[str, Formula], package: Path, cache: Path
) -> dict[str, str | TexError]:
    """Typeset formulas, but for those that the build before has typeset already.

    Args:
        formulas: All formulas of the site, by key.
        package: KaTeX's folder.
        cache: A JSON file that keeps what was typeset; it is read and written.

    Returns:
        By key, a formula's HTML or why it has none.
    """
    known = _read(cache, package)
    missing = [key for key in formulas if key not in known]
    results: dict[str, str | TexError] = {
        key: known[key] for key in formulas if key in known
    }
    if missing:
        fresh = katex.typeset([formulas[key] for key in missing], package)
        results |= zip(missing, fresh, strict=True)
        _write(cache, package, results)
    return results


def line_of(tex: str, source: str) -> int | None:
    """Return the line on which a formula stands in a text, blanks aside."""
    words = tex.split()
    found = re.search(r"\s+".join(map(re.escape, words)), source) if words else None
    return source.count("\n", 0, found.start()) + 1 if found else None


def locate(tex: str, sources: Iterable[tuple[str, str]]) -> str:
    """Say where a formula stands: ``name:line`` of the first source that has it.

    Args:
        tex: The formula.
        sources: Names and texts, the page itself first.

    Returns:
        ``name:line``, or the first name alone when no source has the formula.
    """
    first = ""
    for name, source in sources:
        first = first or name
        line = line_of(tex, source)
        if line is not None:
            return f"{name}:{line}"
    return first


def _key(formula: Formula) -> str:
    return hashlib.sha256(json.dumps(formula).encode()).hexdigest()[:20]


def _read(cache: Path, package: Path) -> dict[str, str]:
    """Return what is cached, if the same KaTeX and the same options made it."""
    try:
        content = json.loads(cache.read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return content["formulas"] if content["made_by"] == _made_by(package) else {}


def _write(cache: Path, package: Path, results: Mapping[str, str | TexError]) -> None:
    formulas = {key: value for key, value in results.items() if isinstance(value, str)}
    text = json.dumps({"made_by": _made_by(package), "formulas": formulas})
    cache.parent.mkdir(parents=True, exist_ok=True)
    cache.write_text(text, "utf-8")


def _made_by(package: Path) -> str:
    manifest = (package / "package.json").read_bytes()
    return hashlib.sha256(manifest + katex.SCRIPT.read_bytes()).hexdigest()
