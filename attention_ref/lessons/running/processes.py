"""Processes in which pages run: one warm process that imports once, then forks.

Importing NumPy, torch and matplotlib costs seconds, a fork costs milliseconds. So one
process imports them and computes nothing; each chain of blocks runs in a fork of it.
What a chain changes dies with its process, and a chain that kills its process kills
nothing else. Where fork does not exist, each chain gets a fresh interpreter.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

from attention_ref.lessons.running.jobs import Job, Report

if TYPE_CHECKING:
    from attention_ref.lessons.running.warm_process import WarmProcess


class Runner:
    """Runs jobs, several at a time, each in a process of its own.

    Args:
        preload: Modules that the warm process imports before the first job; by default
            those slow ones that the first jobs import.
        workers: How many jobs run at the same time; all cores by default.
    """

    def __init__(
        self, preload: Sequence[str] | None = None, workers: int | None = None
    ) -> None:
        self.preload = preload
        self.workers = workers or os.cpu_count() or 1
        self._warm: WarmProcess | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def run(
        self, jobs: Sequence[Job], ended: Callable[[Job, Report], None] | None = None
    ) -> list[Report]:
        """Run the jobs and wait for all of them.

        Args:
            jobs: The jobs, in any order.
            ended: Called with each job and its report as it ends.

        Returns:
            Their reports, in the order of the jobs.
        """
        if self._warm and self._warm.has_old_code():
            self.close()
        reports: dict[int, Report] = {}
        run = self._run_forked if hasattr(os, "fork") else self._run_spawned
        for number, report in run(jobs):
            reports[number] = report
            if ended:
                ended(jobs[number], report)
        return [reports[number] for number in range(len(jobs))]

    def start(self) -> None:
        """Start the warm process, when it is sure that jobs will come."""
        if self._warm is None and hasattr(os, "fork"):
            # Imported only now: most builds run nothing.
            from attention_ref.lessons.running.warm_process import WarmProcess

            environment = _environment(self.workers)
            self._warm = WarmProcess(self.preload, self.workers, environment)

    def _run_forked(self, jobs: Sequence[Job]) -> Iterator[tuple[int, Report]]:
        if not jobs:
            return
        self.start()
        assert self._warm
        yield from self._warm.run(jobs)

    def _run_spawned(self, jobs: Sequence[Job]) -> Iterator[tuple[int, Report]]:
        from attention_ref.lessons.running.spawning import run_spawned

        yield from run_spawned(jobs, self.workers, _environment())

    def close(self) -> None:
        """End the warm process. The next job starts a new one."""
        if self._warm:
            self._warm.close()
            self._warm = None


def _environment(workers: int = 1) -> dict[str, str]:
    """The parent's environment, and as many threads a job as leave a core for each."""
    threads = str(max(1, (os.cpu_count() or 1) // workers))
    return {
        "OMP_NUM_THREADS": threads,
        "OPENBLAS_NUM_THREADS": threads,
        **os.environ,
        "MPLBACKEND": "agg",
        "PYTHONIOENCODING": "utf-8",
    }
