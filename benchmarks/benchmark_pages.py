"""What is built in a benchmark: this project's own site, or pages made for it."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]

HEATMAP = """
import matplotlib.pyplot as plt
import numpy as np
{torch}
rng = np.random.default_rng({seed})
scores = rng.standard_normal((8, 8))
weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
plt.pcolormesh(weights)
print(weights.sum().round(3))
"""
BLOCK = """
import numpy as np
{torch}
values = np.arange({seed}, {seed} + 5)
print(values.mean())
"""
TORCH = "import torch\nprint(int(torch.arange(4).sum()))"


def run(folder: Path, *command: str) -> None:
    # What pip installs is compiled; this checkout is after its first run, unless the
    # environment forbids it. Nothing measured should be compiled anew in each run.
    environment = {
        k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"
    }
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True
    )
    if done.returncode:
        raise SystemExit(f"{command} failed:\n{done.stdout}\n{done.stderr}")


def copy_site(folder: Path) -> None:
    kept = ("docs", "theme", "hooks", "attention_ref", "mkdocs.yml", "pyproject.toml")
    folder.mkdir()
    for name in (*kept, "README.md", "LICENSE", "package.json", "package-lock.json"):
        source = PROJECT / name
        if source.is_dir():
            shutil.copytree(source, folder / name)
        else:
            shutil.copy2(source, folder / name)
    # Workbooks run in kernels of their own, which is not what is measured here.
    shutil.rmtree(folder / "docs" / "notebooks", ignore_errors=True)
    config = (folder / "mkdocs.yml").read_text("utf-8")
    for hook in ("notebooks", "run_here"):  # without the engine, these have no work
        config = config.replace(f"  - hooks/{hook}.py\n", "")
    jupyter = re.compile(r"^  mkdocs-jupyter:\n(?:    .*\n)+", re.M)
    (folder / "mkdocs.yml").write_text(jupyter.sub("", config), "utf-8")
    cache = PROJECT / ".cache"
    if cache.is_dir():  # KaTeX, which a build fetches once
        left_out = shutil.ignore_patterns("lessons")
        shutil.copytree(cache, folder / ".cache", ignore=left_out, symlinks=True)


def write_pages(folder: Path, count: int, torch: bool) -> None:
    write_site(
        folder, count, lambda number: _own_page(number, torch), "  - attention-ref\n"
    )
    command = [sys.executable, "-m", "attention_ref.lessons.cli", "update", "docs"]
    run(folder, *command, "--no-cache")


def write_site(
    folder: Path, count: int, page: Callable[[int], str], plugins: str
) -> None:
    (folder / "docs").mkdir(parents=True)
    (folder / "mkdocs.yml").write_text(
        "site_name: Pages\ntheme: material\n"
        "markdown_extensions: [attr_list, md_in_html, pymdownx.superfences]\n"
        f"plugins:\n  - search\n{plugins}",
        "utf-8",
    )
    for number in range(count):
        (folder / "docs" / f"page-{number:03}.md").write_text(page(number), "utf-8")


def code_blocks(number: int, torch: bool) -> list[str]:
    extra = TORCH if torch else ""
    codes = [HEATMAP] + 5 * [BLOCK]
    return [
        code.format(seed=number + place, torch=extra).strip().replace("\n\n", "\n")
        for place, code in enumerate(codes)
    ]


def _own_page(number: int, torch: bool) -> str:
    parts = [f"# Page {number}"]
    for place, code in enumerate(code_blocks(number, torch)):
        options = ' {figure="Eight by eight weights"}' if place == 0 else ""
        parts.append(f"```python{options}\n{code}\n```")
    return "\n\n".join(parts) + "\n"
