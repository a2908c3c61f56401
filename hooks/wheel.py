"""Puts the package's wheel on the site, so that readers can install what they read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hatchling.builders.wheel import WheelBuilder
from mkdocs.structure.files import File, Files

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Build the wheel and add it as ``wheels/NAME.whl``: pages can link to it."""
    project = Path(config.config_file_path).parent
    [wheel] = WheelBuilder(str(project)).build(
        directory=str(project / ".cache" / "wheels"), versions=["standard"]
    )
    address = f"wheels/{Path(wheel).name}"
    files.append(File.generated(config, address, abs_src_path=wheel))
    return files
