"""Brings the script by which the offline copy searches without a server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.structure.files import File

from attention_ref.lessons import katex

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the script where `extra.polyfills` names it."""
    project = Path(config.config_file_path).parent
    packages = katex.install(project, project / ".cache").parent
    script = packages / "iframe-worker" / "shim" / "index.js"
    [address] = config.extra["polyfills"]
    files.append(File.generated(config, address, abs_src_path=str(script)))
    return files
