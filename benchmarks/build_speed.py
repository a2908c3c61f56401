"""How long does it take to build pages whose blocks are executed?

    python benchmarks/build_speed.py site               this project's own site
    python benchmarks/build_speed.py pages              20 pages × 6 blocks, NumPy
    python benchmarks/build_speed.py pages --torch      the same, torch on every page
    python benchmarks/build_speed.py pages --rivals     beside it, other builders
    python benchmarks/build_speed.py pages --count 500  does time grow with the pages?
    python benchmarks/build_speed.py serve              from saving a page to seeing it

Each row is a whole process, measured from outside. Rows take turns, so that a machine
that slows down slows all of them, and what counts is the median of the ratios. With
--memory, each row also says how much memory its processes took together at most; to
look takes time, so the seconds are then worth less.
"""

import argparse
import contextlib
import re
import shutil
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import psutil
from benchmark_pages import copy_site, run, write_pages
from rival_builders import rival_rows
from serving_speed import print_serving

RUN_IN_ONE_PROCESS = """
import sys
from pathlib import Path
from attention_ref.lessons.running.execution import run_job
from attention_ref.lessons.pages.parsing import read_page
from attention_ref.lessons.running.planning import plan
import warnings
warnings.simplefilter("ignore")
for path in sorted(Path("docs").rglob("*.md")):
    for job in plan(read_page(path), 600):
        run_job(job, lambda outcome: None)
"""

_peaks: dict[str, int] = {}
"""Bytes, by the name of a row."""


def main() -> None:
    """Measure what was asked for, and print a table."""
    options = _options()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.what == "site":
            copy_site(folder / "ours")
        else:
            write_pages(folder / "ours", options.count, options.torch)
        rows = _own_rows(folder / "ours")
        if options.what == "serve":
            print_serving(folder / "ours", options.runs)
            return
        if options.rivals:
            rows |= rival_rows(folder, options.count, options.torch)
        if options.memory:
            rows = {name: _watched(name, build) for name, build in rows.items()}
        times = _measure(rows, options.runs)
    _print(times)
    for name, peak in _peaks.items():
        print(f"{name}: at most {peak / 2**20:.0f} MiB")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=("site", "pages", "serve"))
    parser.add_argument("--torch", action="store_true")
    parser.add_argument("--rivals", action="store_true")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--memory", action="store_true")
    return parser.parse_args()


def _measure(rows: dict[str, Callable[[], None]], runs: int) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in rows}
    for turn in range(runs):
        for name, build in rows.items():
            print(f"run {turn + 1} of {runs}: {name}", file=sys.stderr, flush=True)
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
        _peaks[name] = max(_peaks.get(name, 0), total)


def _print(times: dict[str, list[float]]) -> None:
    plain, blocks = times["unexecuted build"], times["all blocks in one process"]
    floors = [p + b for p, b in zip(plain, blocks, strict=True)]
    # At most 72 characters: that is what a page shows without scrolling.
    print(f"{'':26} seconds  {'least to most':>14}  / floor  / unexecuted")
    for name, seconds in {**times, "floor: the two together": floors}.items():
        middle = statistics.median(seconds)
        spread = f"{min(seconds):.2f} to {max(seconds):.2f}"
        ratios = f"{_ratio(seconds, floors):>7}  {_ratio(seconds, plain):>12}"
        print(f"{name:26} {middle:7.2f}  {spread:>14}  {ratios}")


def _ratio(one: list[float], other: list[float]) -> str:
    ratios = [a / b for a, b in zip(one, other, strict=True)]
    return f"{statistics.median(ratios):.2f}"


def _own_rows(folder: Path) -> dict[str, Callable[[], None]]:
    config = (folder / "mkdocs.yml").read_text("utf-8")
    plain, found = re.subn(r"^  (- )?attention-ref(: {})?\n", "", config, flags=re.M)
    assert found == 1
    (folder / "plain.yml").write_text(plain, "utf-8")
    python = partial(run, folder, sys.executable)
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


if __name__ == "__main__":
    main()
