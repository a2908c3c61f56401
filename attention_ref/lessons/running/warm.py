"""The warm process: imports the heavy modules once, then forks for every job.

Started by `warm_process.WarmProcess`, which holds the other ends of its connections.
"""

import gc
import os
import pickle
import selectors
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import cast

from attention_ref.lessons.running.dependencies import Recorder, imported_files
from attention_ref.lessons.running.execution import prepare_figures, run_job
from attention_ref.lessons.running.jobs import Job, Outcome, Report
from attention_ref.lessons.running.preloading import import_all


@dataclass(slots=True)
class _Child:
    number: int
    job: Job
    pid: int
    deadline: float
    folder: str
    report: Report = field(default_factory=Report)
    timed_out: bool = False


def serve(ends: Sequence[Connection]) -> None:
    """Import in stages; in each, take jobs and answer until the other end closes.

    Args:
        ends: One for each stage, or more. The first says what each is to import.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the parent's affair
    os.dup2(2, 1)  # what a job prints past `sys.stdout` is no output of the build
    # JAX fears for its threads at every fork; it has none before it computes.
    warnings.filterwarnings("ignore", "os.fork", RuntimeWarning)
    if stages := _received(ends[0]):  # else the build has ended without any job
        _serve_stage(cast("Sequence[Sequence[str]]", stages), ends)


def _serve_stage(stages: Sequence[Sequence[str]], ends: Sequence[Connection]) -> None:
    parent, *later_ends = ends
    import_all(stages[0])
    next_stage = os.fork() if stages[1:] else None
    if next_stage == 0:
        parent.close()
        _serve_stage(stages[1:], later_ends)
        return
    for end in later_ends:
        end.close()
    if "matplotlib.pyplot" in sys.modules:
        prepare_figures()
    imported = imported_files()
    with suppress(BrokenPipeError):  # the build has been given up meanwhile
        parent.send(imported)
    gc.freeze()  # a fork that never looks at these objects shares their memory
    _Server(parent, imported).work()
    if next_stage is not None:
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(next_stage, 0)[1]))


class _Server:
    """Forks for each job that comes in, and answers when the fork has ended."""

    def __init__(self, parent: Connection, imported: frozenset[str]) -> None:
        self._parent = parent
        self._imported = imported
        self._children: dict[Connection, _Child] = {}
        self._selector = selectors.DefaultSelector()
        self._selector.register(parent, selectors.EVENT_READ)
        self._is_open = True

    def work(self) -> None:
        """Go on until the other end closes; then nobody waits for what still runs."""
        while self._is_open:
            for key, _ in self._selector.select(_patience(self._children.values())):
                connection = cast("Connection", key.fileobj)
                if not self._is_open:
                    return
                if connection is self._parent:
                    self._take_job()
                elif not _note(
                    _received(connection), self._children[connection].report
                ):
                    self._end(connection)
            self._stop_late()

    def _take_job(self) -> None:
        message = _received(self._parent)
        if message is None:
            self._is_open = False
            for child in self._children.values():
                _kill_group(child.pid)
                _ended(child)
        else:
            connection, child = _fork(*cast("tuple[int, Job]", message), self._imported)
            self._children[connection] = child
            self._selector.register(connection, selectors.EVENT_READ)

    def _stop_late(self) -> None:
        now = time.monotonic()
        for connection, child in list(self._children.items()):
            if now > child.deadline:
                child.timed_out = True
                _kill_group(child.pid)
                while connection.poll() and _note(_received(connection), child.report):
                    pass  # what it had done before
                self._end(connection)

    def _end(self, connection: Connection) -> None:
        self._selector.unregister(connection)
        connection.close()
        child = self._children.pop(connection)
        self._parent.send((child.number, _ended(child)))


def _received(connection: Connection) -> object:
    """The next message, or nothing where the other end has closed or died."""
    try:
        return cast("object", connection.recv())
    except (EOFError, OSError, pickle.UnpicklingError):
        return None


def _note(message: object, report: Report) -> bool:
    """Note what a child has said, and tell whether more is to come.

    A child that has died says nothing more; but what it started may live on and keep
    the connection open, so its last word counts as its end.
    """
    if isinstance(message, Outcome):
        report.outcomes[message.block] = message
        return True
    if isinstance(message, frozenset):
        report.files = message
    return False


def _patience(children: Collection[_Child]) -> float | None:
    deadlines = [child.deadline for child in children]
    return max(0.0, min(deadlines) - time.monotonic()) if deadlines else None


def _kill_group(group: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def _fork(number: int, job: Job, imported: frozenset[str]) -> tuple[Connection, _Child]:
    folder = tempfile.mkdtemp(prefix="lesson-")
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        _run_in_child(job, folder, Connection(writer, readable=False), imported)
    os.close(writer)
    # Both sides ask for the new group, so that it exists whoever comes first.
    with suppress(PermissionError, ProcessLookupError):
        os.setpgid(pid, pid)
    deadline = time.monotonic() + job.timeout
    return Connection(reader, writable=False), _Child(
        number, job, pid, deadline, folder
    )


def _run_in_child(
    job: Job, folder: str, parent: Connection, imported: frozenset[str]
) -> None:
    """Run the job in this fork; never returns."""
    status = 1
    try:
        with suppress(PermissionError):
            os.setpgid(0, 0)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.chdir(folder)
        recorder = Recorder(folder)
        run_job(job, parent.send, has_style="matplotlib.pyplot" in sys.modules)
        parent.send(imported | recorder.files())
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def _ended(child: _Child) -> Report:
    _, status = os.waitpid(child.pid, 0)
    _kill_group(child.pid)  # what the block may have left running
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
    """Run one job where fork does not exist: input by pipe, messages in a file."""
    job = pickle.load(sys.stdin.buffer)  # noqa: S301 - written by our own parent
    own = Path(folder, "files")
    own.mkdir()
    os.chdir(own)
    recorder = Recorder(folder)
    with Path(folder, "messages").open("wb", buffering=0) as file:
        run_job(job, lambda outcome: pickle.dump(outcome, file))
        pickle.dump(imported_files() | recorder.files(), file)


def report_of_one(folder: str) -> Report:
    """What `run_once` had to say, up to where it ended."""
    report = Report()
    with (
        Path(folder, "messages").open("rb") as file,
        suppress(EOFError, pickle.UnpicklingError),
    ):
        while _note(pickle.load(file), report):  # noqa: S301 - written by our own child
            pass
    return report


if __name__ == "__main__":
    # The same module under its own name, so that what is pickled has one type.
    this = import_module("attention_ref.lessons.running.warm")
    if sys.argv[1] == "serve":
        this.serve([Connection(int(number)) for number in sys.argv[2:]])
    else:
        this.run_once(sys.argv[2])
