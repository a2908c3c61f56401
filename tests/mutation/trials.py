"""Which changes of the mathematics does no test notice?

    python tests/mutation/trials.py                    # every mutant
    python tests/mutation/trials.py --most 60          # some of them
    python tests/mutation/trials.py attention_ref/_core.py

Everything is imported and collected once. Each mutant then gets a process of its own,
forked from this one, in which the tests that run the changed line are run, the
cheapest first, until one fails. The result is printed as JSON.
"""

from __future__ import annotations

import argparse
import collections
import gc
import hashlib
import itertools
import json
import os
import pickle
import re
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, NoReturn

import pytest
from code_mutants import Code, Mutant, mutants_of
from grafting import graft

if TYPE_CHECKING:
    from collections.abc import Callable

PROJECT = Path(__file__).resolve().parents[2]
TESTS = PROJECT / "tests"
PACKAGE = PROJECT / "attention_ref"
# Drawing is not mathematics.
DRAWING = {PACKAGE / "_heatmap.py", PACKAGE / "_checks" / "pictures.py"}
MUTATED = sorted({*PACKAGE.glob("_*.py"), *PACKAGE.glob("_checks/*.py")} - DRAWING)
TESTED_BY = re.compile(
    r"^(import attention_ref as ar|from (attention_ref(?!\.lessons)|typical_calls))",
    re.M,
)
# The first two start other processes, which would import the package as it is.
LEFT_OUT = {"test_perturbation.py", "test_imports.py", "test_plotting.py"}
# JAX waits for ever in a forked process; the others are slow and see nothing new.
LEFT_OUT_BY_NAME = ("jax", "slow", "traced", "compile", "differential", "gradient")
CHOSEN = " and ".join(f"not {word}" for word in LEFT_OUT_BY_NAME)

KILLED, SURVIVED = "killed", "survived"
SECONDS = 3
"""How many seconds of work a test gets, besides ten times what it took before."""
LONGEST = 900
"""How many seconds by the clock a process gets, should it wait for ever."""


class Recorded(NamedTuple):
    """What a test did before anything was changed."""

    seconds: float
    lines: frozenset[tuple[str, int]]


class Trials:
    """A pytest plugin that changes the package instead of testing it as it is."""

    def __init__(self, mutants: list[Mutant], tell: Callable[[dict], None]) -> None:
        self.mutants = mutants
        self.tell = tell
        self.kills: dict[str, collections.Counter] = collections.defaultdict(
            collections.Counter
        )

    def pytest_configure(self) -> None:
        """Let Hypothesis try the same examples for every mutant."""
        import hypothesis

        hypothesis.settings.register_profile(
            "mutants",
            derandomize=True,
            database=None,
            deadline=None,
            phases=(hypothesis.Phase.explicit, hypothesis.Phase.generate),
        )
        hypothesis.settings.load_profile("mutants")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run everything once to see what runs where; then try the mutants."""
        self.items = session.items
        gc.freeze()  # or each fork would copy what its collector only looks at
        self.recorded = in_fork(self._record)
        self.items = [i for i in self.items if self.recorded[i.nodeid].lines]
        for mutant in self.mutants:
            started = time.perf_counter()
            killer = self._killer(mutant)
            self.tell(
                {
                    "name": mutant.name,
                    "verdict": KILLED if killer else SURVIVED,
                    "killer": killer,
                    "seconds": round(time.perf_counter() - started, 3),
                }
            )
        return True

    def _killer(self, mutant: Mutant) -> str | None:
        place = f"{mutant.code.path}:{mutant.function}"
        chosen = self._items_for(mutant, place)
        killer = in_fork(lambda: self._first_failure(mutant, chosen))
        if killer in self.ids:
            self.kills[place][killer] += 1
        return killer

    @property
    def ids(self) -> set[str]:
        """The names of the tests."""
        return self.recorded.keys()

    def _items_for(self, mutant: Mutant, place: str) -> list[pytest.Item]:
        """The tests that run what is changed: first those that noticed much here."""
        wanted = {(mutant.code.path, line) for line in mutant.lines}
        chosen = [
            item for item in self.items if wanted & self.recorded[item.nodeid].lines
        ]
        # What runs when the module is imported may matter anywhere.
        chosen = chosen or self.items
        kills = self.kills[place]
        return sorted(
            chosen,
            key=lambda i: (-kills[i.nodeid], self.recorded[i.nodeid].seconds),
        )

    def _first_failure(self, mutant: Mutant, items: list[pytest.Item]) -> str | None:
        try:
            graft(mutant.code.module, mutant.text)
        except ImportError as error:
            return f"import: {error}"
        for item in items:
            most = SECONDS + 10 * self.recorded[item.nodeid].seconds
            signal.setitimer(signal.ITIMER_PROF, most)
            if not self._passes(item):
                return item.nodeid
        return None

    def _passes(self, item: pytest.Item) -> bool:
        """Run one test by itself."""
        self.failed = False
        item.ihook.pytest_runtest_protocol(item=item, nextitem=None)
        return not self.failed

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note whether any part of the test that runs has failed."""
        self.failed = self.failed or report.failed

    def _record(self) -> dict[str, Recorded]:
        lines: set[tuple[str, int]] = set()
        names = {str(path): path.relative_to(PROJECT).as_posix() for path in MUTATED}

        def called(frame: Any, *_: Any) -> Any:
            name = names.get(frame.f_code.co_filename)
            if name is None:
                return None
            lines.add((name, frame.f_lineno))

            def stepped(frame: Any, *_: Any) -> Any:
                lines.add((name, frame.f_lineno))
                return stepped

            return stepped

        recorded = {}
        for item in self.items:
            lines.clear()
            started = time.process_time()
            sys.settrace(called)
            passed = self._passes(item)
            sys.settrace(None)
            if not passed:  # it watches memory or threads, and is itself watched here
                lines.clear()
            seconds = time.process_time() - started
            recorded[item.nodeid] = Recorded(seconds, frozenset(lines))
        return recorded


def in_fork(function: Callable[[], Any]) -> Any:
    """Call a function in a process of its own; what kills it comes back as words."""
    with tempfile.TemporaryFile() as answer:
        with warnings.catch_warnings(action="ignore"):  # the libraries' threads sleep
            child = os.fork()
        if child == 0:
            _answer(function, answer)
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            return f"signal: {signal.Signals(os.WTERMSIG(status)).name}"
        answer.seek(0)
        result, error = pickle.load(answer)
    if error:
        raise RuntimeError(error)
    return result


def _answer(function: Callable[[], Any], answer: BinaryIO) -> NoReturn:
    """Write what the function returns, or the error it raises, and end."""
    try:
        gc.disable()
        signal.alarm(LONGEST)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        result = function(), None
    except BaseException:
        result = None, traceback.format_exc()
    pickle.dump(result, answer)
    answer.flush()
    os._exit(0)


def collected_by(plugin: Trials) -> int:
    """Let pytest collect the tests of the mathematics, and hand them to the trials."""
    files = [
        path
        for path in sorted(TESTS.glob("test_*.py"))
        if TESTED_BY.search(path.read_text("utf-8")) and path.name not in LEFT_OUT
    ]
    files += [TESTS / "cases", TESTS / "conformance"]
    options = ["-q", "-p", "no:xdist", "-p", "no:cacheprovider", "-k", CHOSEN]
    options.append(f"--confcutdir={TESTS}")
    return pytest.main([*options, *map(str, files)], [plugin])


def main() -> int:
    """Try the mutants, and print what became of them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="*", type=Path, help="relative to the project")
    parser.add_argument("--most", type=int, help="how many mutants, drawn by lot")
    parser.add_argument("--skip", type=Path, help="JSON list of mutants left out")
    parser.add_argument("--results", type=Path, required=True, help="JSON, by line")
    options = parser.parse_args()
    files = [PROJECT / file for file in options.files] or MUTATED
    left_out = json.loads(options.skip.read_text()) if options.skip else []
    mutants = drawn(files, options.most, {tuple(name) for name in left_out})
    with options.results.open("w", encoding="utf-8") as results:

        def tell(result: dict) -> None:
            print(json.dumps(result), file=results, flush=True)

        return collected_by(Trials(mutants, tell))


def drawn(files: list[Path], most: int | None, left_out: set[tuple]) -> list[Mutant]:
    """Draw mutants, each by its own lot: the same ones whatever else changes."""

    def lot(mutant: Mutant) -> bytes:
        return hashlib.sha256("\n".join(mutant.name).encode()).digest()

    every = [m for file in files for m in mutants_of(Code.read(file, PROJECT))]
    if most is not None:
        every.sort(key=lot)
    wanted = (m for m in every if m.name not in left_out and m.is_readable)
    return list(itertools.islice(wanted, most))


if __name__ == "__main__":
    sys.exit(main())
