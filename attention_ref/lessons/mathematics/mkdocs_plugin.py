"""The MkDocs plugin that typesets formulas: a thin door to `mathematics`."""

from __future__ import annotations

import html
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mkdocs.config import base, config_options
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin

from attention_ref.lessons import mathematics
from attention_ref.lessons.mathematics import katex
from attention_ref.lessons.mathematics.katex import Formula, TexError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page

_STYLE = "assets/katex"


class MathematicsConfig(base.Config):  # type: ignore[no-untyped-call] # MkDocs
    """The plugin's options."""

    docstrings = config_options.Type(str, default="")
    """A folder of Python files that bring formulas to pages by their docstrings."""


class MathematicsPlugin(
    BasePlugin[MathematicsConfig]  # type: ignore[no-untyped-call] # MkDocs
):
    """Typeset each formula of the site with KaTeX, all in one run of Node."""

    def on_startup(
        self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool
    ) -> None:
        """Remember whether somebody is writing and wants to see the rest."""
        del dirty
        self._serving = command == "serve"

    def on_config(self, config: MkDocsConfig) -> None:
        """Fetch KaTeX unless it is there, and put its style on the pages."""
        self._project = Path(config.config_file_path).parent
        self._cache = self._project / ".cache"
        try:
            self._katex = katex.install(self._project, self._cache)
        except RuntimeError as error:
            raise PluginError(str(error)) from error
        self._formulas: dict[str, Formula] = {}
        self._pages: dict[str, Page] = {}
        self._typeset: dict[str, str] = {}
        style = f"{_STYLE}/katex.css"
        if style not in config.extra_css:
            config.extra_css.insert(0, style)

    def on_page_content(self, content: str, /, *, page: Page, **_: Any) -> str:
        """Collect the page's formulas."""
        found: dict[str, Formula] = {}
        content = mathematics.mark(content, found)
        self._formulas |= found
        for key in found:
            self._pages.setdefault(key, page)
        return content

    def on_env(self, env: Any, **_: Any) -> None:
        """Typeset what all pages together have."""
        del env
        results = mathematics.typeset_all(
            self._formulas, self._katex, self._cache / "formulas.json"
        )
        errors = {k: v for k, v in results.items() if isinstance(v, TexError)}
        if errors and not self._serving:
            raise PluginError(
                "\n".join(self._message(*item) for item in errors.items())
            )
        self._typeset = {k: v for k, v in results.items() if isinstance(v, str)}
        for key, error in errors.items():
            message = self._message(key, error)
            # A logged error would end a strict server.
            print(message, file=sys.stderr)
            text = html.escape(message)
            self._typeset[key] = f'<strong class="formula-error">{text}</strong>'

    def on_post_page(self, output: str, /, **_: Any) -> str:
        """Put the page's formulas in place."""
        return mathematics.place(output, self._typeset)

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Publish KaTeX's style, and the fonts that the formulas use."""
        folder = Path(config.site_dir, _STYLE)
        katex.publish_style(self._typeset.values(), self._katex, folder)

    def _message(self, key: str, error: TexError) -> str:
        tex = self._formulas[key].tex
        place = mathematics.locate(tex, self._sources(self._pages[key]))
        return f"{place}: this formula cannot be typeset: {tex.strip()}\n{error}"

    def _sources(self, page: Page) -> Iterator[tuple[str, str]]:
        yield page.file.src_uri, page.file.content_string
        if self.config.docstrings:
            for path in sorted((self._project / self.config.docstrings).rglob("*.py")):
                yield str(path.relative_to(self._project)), path.read_text("utf-8")
