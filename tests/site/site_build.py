"""Builds the site as the browser's tests need it, once for all workers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from filelock import FileLock

PROJECT = Path(__file__).parents[2]
# One address on every worker: the browser is told on which port of this machine it is.
# Below `localhost` a page may use what browsers keep for secure addresses.
ADDRESS = "http://site.localhost/"
DEEPER = "http://host.localhost/a/folder/"


def build(configuration: str, folder: Path) -> None:
    """Build a site unless the folder is there, or another worker is at it."""
    if folder.exists():  # whole: a build is moved here when it is done
        return
    with FileLock(f"{folder}.lock"):
        if folder.exists():  # by now
            return
        unfinished = folder.with_suffix(".unfinished")
        command = [sys.executable, "-m", "mkdocs", "build", "--quiet"]
        options = ["--config-file", configuration, "--site-dir", str(unfinished)]
        done = subprocess.run(
            [*command, *options],
            cwd=PROJECT,
            # The theme swaps pages without loading them only where this is right.
            env=os.environ | {"SITE_URL": ADDRESS, "NO_MKDOCS_2_WARNING": "1"},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        unfinished.rename(folder)
