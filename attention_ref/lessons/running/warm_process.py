"""The parent's end of the warm process: which of its stages runs which job, and when.

The process imports in stages. The first stage is ready soon, and runs what needs no
more; a fork of it goes on importing, and becomes the next stage.
"""

import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from typing import cast

from attention_ref.lessons.running.jobs import Job, Report
from attention_ref.lessons.running.preloading import (
    MOST_STAGES,
    in_stages,
    modules_to_preload,
)

COMMAND = [sys.executable, "-P", "-m", "attention_ref.lessons.running.warm"]


class WarmProcess:
    """Runs jobs in forks of a process that has imported what they need.

    Args:
        preload: What it imports before the first job; by default what the first jobs
            import that is slow.
        workers: How many jobs run at the same time, in all stages together.
        environment: The environment of the process.
    """

    def __init__(
        self,
        preload: Sequence[str] | None,
        workers: int,
        environment: Mapping[str, str],
    ) -> None:
        self._preload = preload
        self._workers = workers
        self._stages: list[_Stage] = []
        self._ends, theirs = zip(*(Pipe() for _ in range(MOST_STAGES)), strict=True)
        numbers = [end.fileno() for end in theirs]
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            [*COMMAND, "serve", *map(str, numbers)],
            stdin=subprocess.DEVNULL,
            pass_fds=numbers,
            env=environment,
        )
        for end in theirs:
            end.close()

    def has_old_code(self) -> bool:
        """Whether a source that the process has imported has changed since."""
        return any(stage.has_old_code() for stage in self._stages)

    def run(self, jobs: Sequence[Job]) -> Iterator[tuple[int, Report]]:
        """Run the jobs, and yield their numbers and reports as they end."""
        if not self._stages:
            self._import(modules_to_preload(jobs))
        for number, job in enumerate(jobs):
            self._stage_for(job).waiting.append((number, job))
        running = 0
        while running or any(stage.waiting for stage in self._stages):
            running += self._start(self._workers - running)
            for stage in self._speaking():
                if answer := self._answer(stage):
                    # Nobody should wait while the caller looks at the report.
                    running += self._start(1) - 1
                    yield answer

    def _import(self, needed: Sequence[str]) -> None:
        stages = in_stages(needed if self._preload is None else self._preload)
        self._stages = [
            _Stage(end, frozenset(chain.from_iterable(stages[: place + 1])))
            for place, end in enumerate(self._ends[: len(stages)])
        ]
        with suppress(ConnectionError):  # it has ended; the first answer will say so
            self._ends[0].send(stages)

    def _stage_for(self, job: Job) -> "_Stage":
        needed = {*modules_to_preload([job])}
        enough = (stage for stage in self._stages if needed <= stage.imports)
        return next(enough, self._stages[-1])

    def _start(self, most: int) -> int:
        """Start jobs that wait, those of the last stage first: they take longest."""
        ready = [stage for stage in reversed(self._stages) if stage.is_ready]
        started = 0
        for stage in ready:
            while stage.waiting and started < most:
                stage.end.send(stage.waiting.popleft())
                started += 1
        return started

    def _speaking(self) -> list["_Stage"]:
        ends = wait([stage.end for stage in self._stages])
        return [stage for stage in self._stages if stage.end in ends]

    def _answer(self, stage: "_Stage") -> tuple[int, Report] | None:
        """The next report of a stage, or nothing where it only says it is ready."""
        try:
            message = stage.end.recv()
        except (EOFError, ConnectionError):
            status = self.close()
            message = f"the process that runs pages ended with status {status}"
            raise RuntimeError(message) from None
        if stage.is_ready:
            return cast("tuple[int, Report]", message)
        stage.note_sources(message)
        return None

    def close(self) -> int:
        """End the process, and say with which status it ended."""
        for end in self._ends:
            end.close()
        return self._process.wait()


class _Stage:
    def __init__(self, end: Connection, imports: frozenset[str]) -> None:
        self.end = end
        self.imports = imports
        self.waiting: deque[tuple[int, Job]] = deque()
        self.is_ready = False
        self._sources: dict[str, int] = {}

    def note_sources(self, names: frozenset[str]) -> None:
        self._sources = {name: _modified(name) for name in names}
        self.is_ready = True

    def has_old_code(self) -> bool:
        return any(_modified(name) != then for name, then in self._sources.items())


def _modified(name: str) -> int:
    try:
        return Path(name).stat().st_mtime_ns
    except OSError:
        return 0
