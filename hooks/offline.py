"""What the offline copy needs: a search without a server, and pages that are loaded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.structure.files import File

from attention_ref.lessons.mathematics import katex

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files


def on_config(config: MkDocsConfig) -> None:
    """Load each page anew: the theme's instant navigation never starts from a file."""
    features = config.theme["features"]
    instant = [name for name in features if name.startswith("navigation.instant")]
    for name in instant:
        features.remove(name)


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Add the script that `extra.polyfills` names: browsers start no worker there."""
    project = Path(config.config_file_path).parent
    packages = katex.install(project, project / ".cache").parent
    script = packages / "iframe-worker" / "shim" / "index.js"
    [address] = config.extra["polyfills"]
    files.append(File.generated(config, address, abs_src_path=str(script)))
