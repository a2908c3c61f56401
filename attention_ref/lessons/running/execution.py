"""Run the blocks of a page: printed text, figures, exception, warnings, seconds.

This code runs in a process of its own that knows nothing but the job it was given.
Block and reader see the same thing: an empty namespace, an empty folder, Python's own
warning filters, and `print` going to `sys.stdout`.
"""

import io
import linecache
import sys
import time
import traceback
import types
import warnings
from collections.abc import Callable
from types import CodeType
from typing import Any

from attention_ref.lessons.running.jobs import (
    Failure,
    FigureRequest,
    Job,
    Outcome,
    Question,
    Step,
)


def run_job(
    job: Job, report: Callable[[Outcome], None], *, has_style: bool = False
) -> None:
    """Run a chain, block after block, and report each as soon as it has ended.

    Args:
        job: The chain. Steps that are not `reported` only prepare the namespace.
        report: Called with each outcome. Nothing is reported after a failure.
        has_style: Whether this process gives figures the house style already.
    """
    module = types.ModuleType("__main__")
    module.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = module
    draws = any(step.figure for step in job.steps) or "matplotlib.pyplot" in sys.modules
    if draws and not has_style:
        prepare_figures()
    with warnings.catch_warnings(record=True) as caught:
        _readers_warning_filters()
        for step in job.steps:
            del caught[:]
            outcome = _run_step(job.page, step, module.__dict__)
            outcome.warned = [_warned(each, job.page, step) for each in caught]
            if step.reported or outcome.failure:
                report(outcome)
            if outcome.failure:
                return


def _run_step(page: str, step: Step, namespace: dict[str, Any]) -> Outcome:
    outcome = Outcome(step.block)
    printed, complained = _capture(), _capture()
    saved = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = printed, complained
    started = time.perf_counter()
    try:
        exec(_compiled(page, step.line + 1, step.source), namespace)  # noqa: S102
    except BaseException as error:
        outcome.failure = _failure(error, page, step)
    finally:
        sys.stdout, sys.stderr = saved
    outcome.seconds = time.perf_counter() - started
    outcome.figures = _rendered_figures(step.figure)
    outcome.printed = _captured(printed)
    outcome.complained = _captured(complained)
    if outcome.failure and outcome.failure.kind != step.raises:
        return outcome
    for question in step.questions:
        outcome.answers[question.index] = _answer(page, question, namespace)
    return outcome


def _warned(warning: warnings.WarningMessage, page: str, step: Step) -> Failure:
    line = warning.lineno - step.line if warning.filename == page else 0
    return Failure(warning.category.__name__, str(warning.message), line)


def _capture() -> io.TextIOWrapper:
    return io.TextIOWrapper(
        io.BytesIO(), encoding="utf-8", newline="\n", write_through=True
    )


def _captured(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode("utf-8", "replace")


def _readers_warning_filters() -> None:
    """The filters of a fresh interpreter: a block warns as it would for its readers."""
    warnings.simplefilter("always")
    for category in (
        *(DeprecationWarning, PendingDeprecationWarning),
        *(ImportWarning, ResourceWarning),
    ):
        warnings.filterwarnings("ignore", category=category)
    warnings.filterwarnings("always", category=DeprecationWarning, module="__main__")


def _compiled(page: str, line: int, source: str, mode: str = "exec") -> CodeType:
    """Compile so that tracebacks and `inspect` name the page and its lines."""
    padded = "\n" * (line - 1) + source
    linecache.cache[page] = (len(padded), None, padded.splitlines(True), page)
    return compile(padded, page, mode, dont_inherit=True)


def _failure(error: BaseException, page: str, step: Step) -> Failure:
    frames = traceback.extract_tb(error.__traceback__)
    while frames and frames[0].filename == __file__:
        frames.pop(0)
    lines = [f.lineno for f in frames if f.filename == page and f.lineno]
    if isinstance(error, SyntaxError) and error.filename == page and error.lineno:
        lines = [error.lineno]
    shown = traceback.TracebackException.from_exception(error)
    shown.stack = traceback.StackSummary.from_list(frames)
    return Failure(
        type(error).__name__,
        error.msg if isinstance(error, SyntaxError) else str(error),
        lines[-1] - step.line if lines else 0,
        "".join(shown.format()),
    )


def _answer(page: str, question: Question, namespace: dict[str, Any]) -> Any:
    """The value of an expression as plain Python data, or why there is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            code = _compiled(page, question.line, question.expression.strip(), "eval")
            return _plain(eval(code, namespace))  # noqa: S307 - the page's own expression
    except BaseException as error:
        return Failure(type(error).__name__, str(error), 0)


def _plain(value: Any) -> Any:
    """Numbers, texts and nested tuples: what can be sent to the parent and compared."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, (tuple, list)):
        return tuple(_plain(item) for item in value)
    if hasattr(value, "tolist"):  # arrays and scalars of NumPy, torch and JAX
        return _plain(value.tolist())
    if hasattr(value, "__float__"):
        return float(value)
    raise TypeError(
        f"an inline check must give a number, a text, a truth value or a tuple, "
        f"got {type(value).__name__}"
    )


def prepare_figures() -> None:
    """Give figures the house style; the process ends with the job, so it stays on."""
    import matplotlib.pyplot as plt

    from attention_ref.lessons.figures import use_figure_style

    plt.switch_backend("agg")
    use_figure_style()


def _rendered_figures(request: FigureRequest | None) -> list[str]:
    """The open figures as HTML; a figure nobody asked for is an empty text."""
    if "matplotlib.pyplot" not in sys.modules:
        return []
    import matplotlib.pyplot as plt

    from attention_ref.lessons.figures import collect_figures, render_figure

    figures = collect_figures()
    try:
        if request is None:
            return ["" for _ in figures]
        return [
            render_figure(
                figure,
                identifier=request.identifier,
                alternative=request.alternative,
                caption=request.caption,
                illustration=request.illustration,
            )
            for figure in figures
        ]
    finally:
        plt.close("all")
