"""Which page is running, and how much is left: a bar on a terminal, lines elsewhere."""

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Never, Self

from attention_ref.lessons.running.jobs import Job

if TYPE_CHECKING:
    from tqdm import tqdm


class Progress:
    """Called with each job that ends, and the number of those that are left.

    Attributes:
        ran: How many jobs have ended.
    """

    def __init__(self) -> None:
        self.ran = 0
        self._bar: tqdm[Never] | None = None
        self._page = ""

    def __enter__(self) -> Self:
        return self

    def __call__(self, job: Job, left: int) -> None:
        """Say that a job has ended, and how many are left."""
        self.ran += 1
        if sys.stderr.isatty():
            self._show_bar(job, left)
        elif job.page != self._page:
            print(
                f"Running {job.page}, {left} chains left", file=sys.stderr, flush=True
            )
        self._page = job.page

    def _show_bar(self, job: Job, left: int) -> None:
        if self._bar is None:
            from tqdm import tqdm  # most builds run nothing, or have no terminal

            self._bar = tqdm(total=left + 1, unit="chain", leave=False)
        self._bar.set_description(job.page)
        self._bar.update()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.close()
