"""What need not run again: results of jobs whose code and surroundings are unchanged.

An entry is found by what a job is told to do and by the installed libraries. It counts
only while every file that the job imported or read is still the same. An entry that is
damaged, or was written half, is thrown away.
"""

import hashlib
import os
import pickle
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from attention_ref.lessons.running.dependencies import library_versions
from attention_ref.lessons.running.jobs import Failure, Job, Report

_DIGEST = hashlib.sha256
_DIGEST_SIZE = _DIGEST().digest_size
_CLOCK_TICK = 20_000_000  # nanoseconds by which a file's time may lag behind
_KEEP_SECONDS = 30 * 24 * 3600


@dataclass(slots=True)
class Cache:
    """A folder of results, safe for several builds at once.

    Attributes:
        folder: Where the entries lie; made when the first one is written.
    """

    folder: Path
    _hashes: dict[str, str] = field(default_factory=dict)

    def is_empty(self) -> bool:
        """Whether nothing is known from earlier builds."""
        return next(self.folder.glob("*.report"), None) is None

    def find(self, job: Job) -> Report | None:
        """The report of a job that ran before, if nothing it depends on has changed."""
        entry = self._entry(job)
        with suppress(OSError):
            read = _read(entry)
            if read is None:
                entry.unlink()
                return None
            report, hashes = read
            if all(self._hash(name) == value for name, value in hashes.items()):
                os.utime(entry)
                return report
        return None

    def keep(self, job: Job, report: Report, started: int) -> None:
        """Store a report, unless it tells of an accident.

        Args:
            job: What was run.
            report: What became of it.
            started: When the run started, in nanoseconds. What it depends on must not
                have changed since: nobody could say which version it has seen.
        """
        if not _lasting(job, report) or _changed_since(started, report.files):
            return
        hashes = {name: self._hash(name) for name in report.files}
        payload = pickle.dumps((report, hashes))
        self._make_folder()
        handle, temporary = tempfile.mkstemp(dir=self.folder, suffix=".part")
        with os.fdopen(handle, "wb") as file:
            file.write(_DIGEST(payload).digest() + payload)
        Path(temporary).replace(self._entry(job))

    def forget_old(self) -> None:
        """Delete entries, and leftovers of killed builds, that nobody used for long."""
        limit = time.time() - _KEEP_SECONDS
        with suppress(OSError):
            for path in self.folder.iterdir():
                if path.suffix and path.stat().st_mtime < limit:
                    path.unlink()

    def _make_folder(self) -> None:
        if not self.folder.is_dir():
            self.folder.mkdir(parents=True, exist_ok=True)
            Path(self.folder, ".gitignore").write_text("*\n", encoding="utf-8")

    def _entry(self, job: Job) -> Path:
        told = [
            (s.block, s.source, [(q.index, q.expression) for q in s.questions])
            for s in job.steps
        ]
        shown = [(s.figure, s.reported, s.raises) for s in job.steps]
        key = repr((job.page, told, shown, library_versions()))
        return self.folder / f"{_DIGEST(key.encode()).hexdigest()}.report"

    def _hash(self, name: str) -> str:
        if name not in self._hashes:
            try:
                content = Path(name).read_bytes()
            except OSError:
                content = b"gone"
            self._hashes[name] = _DIGEST(content).hexdigest()
        return self._hashes[name]


def _read(entry: Path) -> tuple[Report, dict[str, str]] | None:
    """What an entry holds; nothing if it is damaged, or an older engine's."""
    content = entry.read_bytes()
    digest, payload = content[:_DIGEST_SIZE], content[_DIGEST_SIZE:]
    if _DIGEST(payload).digest() != digest:
        return None
    try:
        report, hashes = pickle.loads(payload)  # noqa: S301 - its digest is right
    except (AttributeError, ImportError, TypeError, ValueError):
        return None  # its classes have moved, or hold something else
    return (report, hashes) if isinstance(report, Report) else None


def _changed_since(started: int, files: Iterable[str]) -> bool:
    try:
        # A `Path` for each of so many names would take longer than to look at them.
        times = (os.stat(name).st_mtime_ns for name in files)  # noqa: PTH116
        newest = max(times, default=0)
    except OSError:
        return True
    return newest > started - _CLOCK_TICK


def _lasting(job: Job, report: Report) -> bool:
    if report.ending:
        return False
    for step in job.steps:
        outcome = report.outcomes.get(step.block)
        if outcome is None:
            if step.reported:
                return False
            continue
        if outcome.failure and outcome.failure.kind != step.raises:
            return False
        if any(isinstance(answer, Failure) for answer in outcome.answers.values()):
            return False
    return True
