"""The exercise of the fifth workbook: timing something that runs on another device.

The device here is played by a few numbers, so that the exercise needs none: what it is
told to do is put in a queue, as a GPU does, and its first run is slow, as a GPU's is.
"""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Any

from attention_ref.exercises._judging import Case, Exercise, Mistake, Solution, judge

if TYPE_CHECKING:
    from collections.abc import Callable

_LAUNCH = 1e-5  # seconds that the caller needs to hand over one run
_FIRST = 0.5  # seconds of the first run, which also loads what the others use


def check_median_seconds(solution: Solution) -> None:
    """Check a function that times work on a device.

    Args:
        solution: `median_seconds(run, synchronize, clock, repeats)` returns the median
            seconds of `repeats` runs. `run()` hands the work over and returns at once,
            `synchronize()` waits until the device has done all of it, `clock()` returns
            seconds. The first run of all is a warm-up.

    Raises:
        NotYet: If it is wrong, with a sentence that says what is.

    Example:
        >>> def at_once(run, synchronize, clock, repeats):
        ...     start = clock()
        ...     run()
        ...     return clock() - start
        >>> check_median_seconds(at_once)
        Traceback (most recent call last):
        ...
        attention_ref.exercises.NotYet: You stopped the clock before the device \
had finished: call synchronize() before you read it.
    """
    judge(_MEDIAN, solution)


class _Device:
    """A clock, and a queue of work that is done one after the other."""

    def __init__(self, *durations: float) -> None:
        self._durations = durations
        self._runs = 0
        self._now = 0.0
        self._free = 0.0

    def run(self) -> None:
        """Hand a run over and return at once."""
        again = self._durations[(self._runs - 1) % len(self._durations)]
        self._now += _LAUNCH
        self._free = max(self._free, self._now) + (again if self._runs else _FIRST)
        self._runs += 1

    def synchronize(self) -> None:
        """Wait until all work is done."""
        self._now = max(self._now, self._free)

    def clock(self) -> float:
        """Read the seconds."""
        return self._now


def _case(*durations: float) -> Case:
    # As many repeats as durations: whoever warms up twice times the same ones.
    device = _Device(*durations)
    return device.run, device.synchronize, device.clock, len(durations)


def _timed(
    run: Solution,
    synchronize: Solution,
    clock: Solution,
    repeats: int,
    *,
    warm_ups: int = 1,
    waits: bool = True,
    waits_first: bool = True,
) -> list[float]:
    """Seconds of each run, with or without what belongs to it."""
    for _ in range(warm_ups):
        run()
    if waits_first:
        synchronize()
    seconds = []
    for _ in range(repeats):
        start = clock()
        run()
        if waits:
            synchronize()
        seconds.append(clock() - start)
    return seconds


def _of_all(
    summary: Callable[[list[float]], Any], **how: Any
) -> Callable[[Solution, Solution, Solution, int], Any]:
    return lambda *given: summary(_timed(*given, **how))


def _around_all(
    run: Solution, synchronize: Solution, clock: Solution, repeats: int
) -> float:
    """One pair of clock readings around all runs, shared out evenly."""
    run()
    synchronize()
    start = clock()
    for _ in range(repeats):
        run()
    synchronize()
    return float((clock() - start) / repeats)


_MEDIAN = Exercise(
    name="median_seconds",
    arguments=("run", "synchronize", "clock", "repeats"),
    axes="()",
    right=_of_all(statistics.median),
    cases=(
        _case(0.010, 0.090, 0.011, 0.013),
        _case(0.012, 0.010, 0.013, 0.090, 0.011),
    ),
    mistakes=(
        Mistake(
            "You stopped the clock before the device had finished: call synchronize() "
            "before you read it.",
            _of_all(statistics.median, waits=False),
        ),
        Mistake(
            "You stopped the clock before the device had finished: call synchronize() "
            "before you read it.",
            _of_all(lambda seconds: seconds[0], warm_ups=0, waits=False),
        ),
        Mistake(
            "You timed the warm-up: the first run is slow, so make one before you "
            "start the clock.",
            _of_all(statistics.median, warm_ups=0),
        ),
        Mistake(
            "You started the clock while the warm-up was still running: call "
            "synchronize() after it.",
            _of_all(statistics.median, waits_first=False),
        ),
        Mistake(
            "You took the mean: one slow run pulls it up, so take the median.",
            _of_all(statistics.mean),
        ),
        Mistake(
            "You took the fastest run: that is what luck can do, so take the median.",
            _of_all(min),
        ),
        Mistake(
            "You took the slowest run: that is an accident, so take the median.",
            _of_all(max),
        ),
        Mistake(
            "You added all runs up: take the median of them.",
            _of_all(sum),
        ),
        Mistake(
            "You returned the seconds of every run: take their median.",
            _of_all(list),
        ),
        Mistake(
            "You returned the last run's seconds: take the median of all.",
            _of_all(lambda seconds: seconds[-1]),
        ),
        Mistake(
            "You returned the first run's seconds: take the median of all.",
            _of_all(lambda seconds: seconds[0]),
        ),
        Mistake(
            "You timed all runs together: read the clock around each, so that a slow "
            "one does not spoil the others.",
            _around_all,
        ),
        Mistake(
            "You returned milliseconds: leave the seconds as they are.",
            _of_all(lambda seconds: 1000 * statistics.median(seconds)),
        ),
    ),
)
