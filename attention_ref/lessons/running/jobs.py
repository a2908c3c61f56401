"""What is to be run, and what became of it: all that passes between the processes."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Question:
    """An inline check as the running side knows it."""

    index: int
    line: int
    expression: str


@dataclass(frozen=True, slots=True)
class FigureRequest:
    """How the figure that a block draws is to be rendered."""

    identifier: str
    alternative: str
    caption: str
    illustration: bool


@dataclass(frozen=True, slots=True)
class Step:
    """One block, and the inline checks that are evaluated right after it."""

    block: int
    line: int
    source: str
    questions: tuple[Question, ...] = ()
    figure: FigureRequest | None = None
    raises: str | None = None
    reported: bool = True


@dataclass(frozen=True, slots=True)
class Job:
    """A chain of blocks that share a namespace."""

    page: str
    steps: tuple[Step, ...]
    timeout: float


@dataclass(frozen=True, slots=True)
class Failure:
    """An exception or a warning.

    Attributes:
        kind: Its type.
        message: Its text.
        line: How many lines below the block's fence it arose; 0 where it is not known.
        traceback: How it came about, for an exception.
    """

    kind: str
    message: str
    line: int
    traceback: str = ""

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}" if self.message else self.kind


@dataclass(slots=True)
class Outcome:
    """What one block did."""

    block: int
    printed: str = ""
    complained: str = ""
    failure: Failure | None = None
    warned: list[Failure] = field(default_factory=list)
    figures: list[str] = field(default_factory=list)
    answers: dict[int, Any] = field(default_factory=dict)
    seconds: float = 0.0


@dataclass(slots=True)
class Report:
    """What became of a job.

    Attributes:
        outcomes: One for each block that ended, by the block's number.
        files: The files that the job imported or read, site-packages left out.
        ending: Why the process ended early, or nothing.
    """

    outcomes: dict[int, Outcome] = field(default_factory=dict)
    files: frozenset[str] = frozenset()
    ending: str = ""
