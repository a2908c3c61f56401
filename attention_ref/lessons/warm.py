"""The warm process: imports the heavy modules once, then forks for every job.

Started by `processes.Runner`; jobs come in by standard input, reports leave by
standard output.
"""

import os
import pickle
import selectors
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import cast

from attention_ref.lessons.dependencies import Recorder, imported_files
from attention_ref.lessons.execution import Job, Outcome, Report, run_job


@dataclass(slots=True)
class _Child:
    number: int
    job: Job
    pid: int
    deadline: float
    folder: str
    report: Report = field(default_factory=Report)
    timed_out: bool = False


def serve() -> None:
    """Take jobs and answer with reports until the other end closes."""
    jobs = Connection(os.dup(0), writable=False)
    answers = Connection(os.dup(1), readable=False)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # what C code prints must not mix with the answers
    preload, workers = jobs.recv()
    for module in preload:
        import_module(module)
    answers.send(imported_files())
    selector = selectors.DefaultSelector()
    selector.register(jobs, selectors.EVENT_READ)
    children: dict[Connection, _Child] = {}
    queue: list[tuple[int, Job]] = []
    is_open = True
    while is_open or queue or children:
        while queue and len(children) < workers:
            connection, child = _fork(*queue.pop(0))
            children[connection] = child
            selector.register(connection, selectors.EVENT_READ)
        for key, _ in selector.select(_patience(children.values())):
            connection = cast("Connection", key.fileobj)
            message = _received(connection)
            if connection is jobs and message is not None:
                queue.append(cast("tuple[int, Job]", message))
            elif message is not None:
                _noted(message, children[connection].report)
            else:
                selector.unregister(connection)
                connection.close()
                is_open = is_open and connection is not jobs
                if ended := children.pop(connection, None):
                    answers.send((ended.number, _ended(ended)))
        _stop_late(children.values())


def _received(connection: Connection) -> object:
    """The next message, or nothing where the other end has closed or died."""
    try:
        return cast("object", connection.recv())
    except (EOFError, OSError, pickle.UnpicklingError):
        return None


def _noted(message: object, report: Report) -> None:
    if isinstance(message, Outcome):
        report.outcomes[message.block] = message
    elif isinstance(message, frozenset):
        report.files = message


def _patience(children: Collection[_Child]) -> float | None:
    deadlines = [child.deadline for child in children if not child.timed_out]
    return max(0.0, min(deadlines) - time.monotonic()) if deadlines else None


def _stop_late(children: Collection[_Child]) -> None:
    for child in children:
        if not child.timed_out and time.monotonic() > child.deadline:
            child.timed_out = True
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)


def _fork(number: int, job: Job) -> tuple[Connection, _Child]:
    folder = tempfile.mkdtemp(prefix="lesson-")
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        _run_in_child(job, folder, Connection(writer, readable=False))
    os.close(writer)
    # Both sides ask for the new group, so that it exists whoever comes first.
    with suppress(PermissionError, ProcessLookupError):
        os.setpgid(pid, pid)
    deadline = time.monotonic() + job.timeout
    return Connection(reader, writable=False), _Child(
        number, job, pid, deadline, folder
    )


def _run_in_child(job: Job, folder: str, parent: Connection) -> None:
    """Run the job in this fork; never returns."""
    status = 1
    try:
        with suppress(PermissionError):
            os.setpgid(0, 0)
        os.chdir(folder)
        recorder = Recorder(folder)
        run_job(job, parent.send)
        parent.send(recorder.files())
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def _ended(child: _Child) -> Report:
    _, status = os.waitpid(child.pid, 0)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)  # what the block may have left running
    shutil.rmtree(child.folder, ignore_errors=True)
    code = os.waitstatus_to_exitcode(status)
    if child.timed_out:
        child.report.ending = f"was stopped after {child.job.timeout:g} seconds"
    elif code < 0:
        child.report.ending = f"was killed by {signal.Signals(-code).name}"
    elif code or not child.report.files:
        child.report.ending = f"ended its process with status {code}"
    return child.report


def run_once(folder: str) -> None:
    """Run one job where fork does not exist: input by pipe, report in a file."""
    job = pickle.load(sys.stdin.buffer)  # noqa: S301 - written by our own parent
    report = Report()
    os.chdir(folder)
    recorder = Recorder(folder)
    run_job(job, lambda outcome: report.outcomes.__setitem__(outcome.block, outcome))
    report.files = recorder.files()
    Path(folder, "report").write_bytes(pickle.dumps(report))


if __name__ == "__main__":
    # The same module under its own name, so that what is pickled has one type.
    this = import_module("attention_ref.lessons.warm")
    if sys.argv[1] == "serve":
        this.serve()
    else:
        this.run_once(sys.argv[2])
