"""How long is it from saving a page to seeing it?"""

import contextlib
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path


def print_serving(folder: Path, runs: int) -> None:
    def prose(text: str, mark: str) -> str:
        return f"{text}\n{mark}\n"

    def code(text: str, mark: str) -> str:
        return text.replace("import numpy", f"# {mark}\nimport numpy", 1)

    print(f"{'from saving to seeing it':28} seconds (least to greatest)")
    for config, name in (("plain.yml", "unexecuted"), ("mkdocs.yml", "executed")):
        for change in (prose, code):
            times = _seen_after(folder, config, change, runs)
            middle = statistics.median(times)
            spread = f"({min(times):.2f} to {max(times):.2f})"
            what = f"{name}, {change.__name__} changed"
            print(f"{what:28} {middle:7.2f} {spread}", flush=True)


def _seen_after(
    folder: Path, config: str, change: Callable[[str, str], str], runs: int
) -> list[float]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        host = f"127.0.0.1:{free.getsockname()[1]}"
    options = ("--quiet", "--config-file", config, "--dev-addr", host)
    command = (sys.executable, "-m", "mkdocs", "serve", *options)
    page = folder / "docs" / "page-001.md"
    text, times = page.read_text("utf-8"), []
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL) as server:
        _wait_for(f"http://{host}/page-001/", "")
        for run in range(runs + 1):
            time.sleep(1)  # the server looks at files' times, and waits for calm
            mark = f"mark{time.time_ns()}"
            page.write_text(change(text, mark), "utf-8")
            started = time.perf_counter()
            _wait_for(f"http://{host}/page-001/", mark)
            if run:  # the first one starts the warm process
                times.append(time.perf_counter() - started)
        server.terminate()
    page.write_text(text, "utf-8")
    return times


def _wait_for(address: str, mark: str) -> None:
    while True:
        with contextlib.suppress(OSError), urllib.request.urlopen(address) as answer:
            if mark in answer.read().decode("utf-8"):
                return
        time.sleep(0.02)
