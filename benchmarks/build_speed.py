"""How long does it take to build pages whose blocks are executed?

    python benchmarks/build_speed.py site               this project's own site
    python benchmarks/build_speed.py pages              20 pages × 6 blocks, NumPy
    python benchmarks/build_speed.py pages --torch      the same, torch on every page
    python benchmarks/build_speed.py pages --rivals     beside it, other builders
    python benchmarks/build_speed.py pages --count 500  does time grow with the pages?

Each row is a whole process, measured from outside. Rows take turns, so that a machine
that slows down slows all of them, and what counts is the median of the ratios. With
--memory, each row also says how much memory its processes took together at most; to
look takes time, so the seconds are then worth less.
"""

import argparse
import contextlib
import functools
import importlib.util
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil

PROJECT = Path(__file__).resolve().parents[1]

RUN_IN_ONE_PROCESS = """
import sys
from pathlib import Path
from attention_ref.lessons.execution import run_job
from attention_ref.lessons.parsing import read_page
from attention_ref.lessons.planning import plan
import warnings
warnings.simplefilter("ignore")
for path in sorted(Path("docs").rglob("*.md")):
    for job in plan(read_page(path), 600):
        run_job(job, lambda outcome: None)
"""

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


peaks: dict[str, int] = {}


def main() -> None:
    """Measure what was asked for, and print a table."""
    options = _options()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.what == "site":
            _copy_site(folder / "ours")
        else:
            _write_pages(folder / "ours", options.count, options.torch)
        rows = _own_rows(folder / "ours")
        if options.rivals:
            rows |= _rival_rows(folder, options.count, options.torch)
        if options.memory:
            rows = {name: _watched(name, build) for name, build in rows.items()}
        times = _measure(rows, options.runs)
    _print(times)
    for name, peak in peaks.items():
        print(f"{name}: at most {peak / 2**20:.0f} MiB")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=("site", "pages"))
    parser.add_argument("--torch", action="store_true")
    parser.add_argument("--rivals", action="store_true")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--memory", action="store_true")
    return parser.parse_args()


def _measure(rows: dict[str, Callable[[], None]], runs: int) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in rows}
    for run in range(runs):
        for name, build in rows.items():
            print(f"run {run + 1} of {runs}: {name}", file=sys.stderr, flush=True)
            started = time.perf_counter()
            build()
            times[name].append(time.perf_counter() - started)
    return times


def _watched(name: str, build: Callable[[], None]) -> Callable[[], None]:
    """The same build, with an eye on the memory of all its processes together."""

    def watched() -> None:
        done = threading.Event()
        watcher = threading.Thread(target=_watch, args=(name, done))
        watcher.start()
        try:
            build()
        finally:
            done.set()
            watcher.join()

    return watched


def _watch(name: str, done: threading.Event) -> None:
    while not done.wait(0.1):
        total = 0
        for process in psutil.Process().children(recursive=True):
            with contextlib.suppress(psutil.Error):  # it has ended meanwhile
                total += process.memory_full_info().pss  # shared pages count once
        peaks[name] = max(peaks.get(name, 0), total)


def _print(times: dict[str, list[float]]) -> None:
    plain, blocks = times["unexecuted build"], times["all blocks in one process"]
    floors = [p + b for p, b in zip(plain, blocks, strict=True)]
    print("| | seconds, median (least to greatest) | of the floor | of unexecuted |")
    print("|---|--:|--:|--:|")
    for name, seconds in {**times, "floor: the two together": floors}.items():
        middle = statistics.median(seconds)
        spread = f"{middle:.2f} ({min(seconds):.2f} to {max(seconds):.2f})"
        print(f"| {name} | {spread} | {_ratio(seconds, floors)} "
              f"| {_ratio(seconds, plain)} |")  # fmt: skip


def _ratio(one: list[float], other: list[float]) -> str:
    ratios = [a / b for a, b in zip(one, other, strict=True)]
    return f"{statistics.median(ratios):.2f}"


# ------------------------------------------------------------------ what is built


def _own_rows(folder: Path) -> dict[str, Callable[[], None]]:
    config = (folder / "mkdocs.yml").read_text("utf-8")
    plain, found = re.subn(r"^  (- )?attention-ref(: {})?\n", "", config, flags=re.M)
    assert found == 1
    (folder / "plain.yml").write_text(plain, "utf-8")
    python = functools.partial(_run, folder, sys.executable)
    build = ("-m", "mkdocs", "build", "--quiet", "--no-strict")

    def cold() -> None:
        shutil.rmtree(folder / ".cache" / "lessons", ignore_errors=True)
        python(*build)

    def changed() -> None:
        page = sorted((folder / "docs").rglob("*.md"))[-1]
        text = page.read_text("utf-8")
        source = text.replace("import numpy", f"# {time.time_ns()}\nimport numpy", 1)
        page.write_text(source, "utf-8")
        python(*build)
        page.write_text(text, "utf-8")

    return {
        "unexecuted build": lambda: python(*build, "--config-file", "plain.yml"),
        "all blocks in one process": lambda: python("-c", RUN_IN_ONE_PROCESS),
        "executed, cold": cold,
        "executed, nothing changed": lambda: python(*build),
        "executed, one page changed": changed,
    }


def _run(folder: Path, *command: str) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{command} failed:\n{done.stdout}\n{done.stderr}")


def _copy_site(folder: Path) -> None:
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


def _write_pages(folder: Path, count: int, torch: bool) -> None:
    _write(
        folder, count, lambda number: _own_page(number, torch), "  - attention-ref\n"
    )
    command = [sys.executable, "-m", "attention_ref.lessons.cli", "update", "docs"]
    _run(folder, *command, "--no-cache")


def _write(folder: Path, count: int, page: Callable[[int], str], plugins: str) -> None:
    (folder / "docs").mkdir(parents=True)
    (folder / "mkdocs.yml").write_text(
        "site_name: Pages\ntheme: material\n"
        "markdown_extensions: [attr_list, md_in_html, pymdownx.superfences]\n"
        f"plugins:\n  - search\n{plugins}",
        "utf-8",
    )
    for number in range(count):
        (folder / "docs" / f"page-{number:03}.md").write_text(page(number), "utf-8")


def _blocks(number: int, torch: bool) -> list[str]:
    extra = TORCH if torch else ""
    codes = [HEATMAP] + 5 * [BLOCK]
    return [
        code.format(seed=number + place, torch=extra).strip().replace("\n\n", "\n")
        for place, code in enumerate(codes)
    ]


def _own_page(number: int, torch: bool) -> str:
    parts = [f"# Page {number}"]
    for place, code in enumerate(_blocks(number, torch)):
        options = ' {figure="Eight by eight weights"}' if place == 0 else ""
        parts.append(f"```python{options}\n{code}\n```")
    return "\n\n".join(parts) + "\n"


# ------------------------------------------------------------------ other builders


def _rival_rows(folder: Path, count: int, torch: bool) -> dict[str, Callable[[], None]]:
    """Those that are installed, of mkdocs-jupyter, MyST-NB and markdown-exec."""
    rows: dict[str, Callable[[], None]] = {}
    makers = {
        "markdown_exec": ("markdown-exec", _markdown_exec),
        "mkdocs_jupyter": ("mkdocs-jupyter", _mkdocs_jupyter),
        "myst_nb": ("MyST-NB", _myst_nb),
    }
    for module, (name, maker) in makers.items():
        if importlib.util.find_spec(module):
            rows[name] = maker(folder / module, count, torch)
    return rows


def _markdown_exec(folder: Path, count: int, torch: bool) -> Callable[[], None]:
    figure = (
        "\nfrom io import StringIO\nbuffer = StringIO()\n"
        "plt.savefig(buffer, format='svg')\nplt.close('all')\nprint(buffer.getvalue())"
    )

    def page(number: int) -> str:
        codes = _blocks(number, torch)
        codes[0] += figure
        fences = [f'```python exec="1" source="above"\n{code}\n```' for code in codes]
        return "\n\n".join([f"# Page {number}", *fences])

    _write(folder, count, page, "  - markdown-exec\n")
    return lambda: _run(folder, sys.executable, "-m", "mkdocs", "build", "--quiet")


def _mkdocs_jupyter(folder: Path, count: int, torch: bool) -> Callable[[], None]:
    plugin = (
        "  - mkdocs-jupyter:\n      execute: true\n      allow_errors: false\n"
        '      include: ["*.py"]\n'
    )
    _write(folder, 0, str, plugin)
    for number in range(count):
        cells = [f"# %% [markdown]\n# # Page {number}"]
        cells += [f"# %%\n{code}" for code in _blocks(number, torch)]
        path = folder / "docs" / f"page-{number:03}.py"
        path.write_text("\n\n".join(cells), "utf-8")
    (folder / "docs" / "index.md").write_text("# Pages\n", "utf-8")
    return lambda: _run(folder, sys.executable, "-m", "mkdocs", "build", "--quiet")


def _myst_nb(folder: Path, count: int, torch: bool) -> Callable[[], None]:
    docs = folder / "docs"
    docs.mkdir(parents=True)
    (docs / "conf.py").write_text(
        'extensions = ["myst_nb"]\nnb_execution_mode = "force"\n'
        "nb_execution_raise_on_error = True\n",
        "utf-8",
    )
    pages = [f"page-{number:03}" for number in range(count)]
    tree = "\n".join(pages)
    (docs / "index.md").write_text(f"# Pages\n\n```{{toctree}}\n{tree}\n```\n", "utf-8")
    head = (
        "---\njupytext:\n  text_representation:\n    format_name: myst\n"
        "kernelspec:\n  name: python3\n---\n\n"
    )
    for number, name in enumerate(pages):
        cells = [f"```{{code-cell}}\n{code}\n```" for code in _blocks(number, torch)]
        text = head + "\n\n".join([f"# Page {number}", *cells])
        (docs / f"{name}.md").write_text(text, "utf-8")
    command = ("-m", "sphinx", "-q", "-E", "docs", "built")
    return lambda: _run(folder, sys.executable, *command)


if __name__ == "__main__":
    main()
