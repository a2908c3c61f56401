from collections.abc import Iterator

import pytest
from written_pages import parsed

from attention_ref.lessons.running.processes import Runner
from attention_ref.lessons.running.run import Settings, run_pages
from attention_ref.lessons.verification import PageResult


@pytest.fixture(scope="session")
def runner() -> Iterator[Runner]:
    """One warm process for all tests: each chain still gets a fork of its own."""
    with Runner(["numpy", "torch", "matplotlib.pyplot"]) as warm:
        yield warm


@pytest.fixture
def verify(runner):
    """Run a page that is written in the test."""

    def run(text: str, **settings: float) -> PageResult:
        [result] = run_pages([parsed(text)], Settings(**settings), runner)
        return result

    return run


@pytest.fixture
def problems(verify):
    """Run a page, and word what is not true about it."""

    def run(text: str, **settings: float) -> list[str]:
        return [str(problem) for problem in verify(text, **settings).problems]

    return run
