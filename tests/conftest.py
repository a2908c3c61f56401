"""What all tests share: fixed random numbers, and each array library in turn."""

import re

import array_libraries
import numpy as np
import pytest

SITE = "tests/site/"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Give tests to workers one by one, but those that share a window together.

    xdist's own groups go by what it appends to a test's name, which pytest 9.2 ignores.
    """
    from xdist.scheduler import LoadScopeScheduling

    class Scheduler(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return shared_by(nodeid)

    return Scheduler(config, log)


def shared_by(nodeid: str) -> str:
    """Return what a test shares: a page of the site, its file, or nothing."""
    if not nodeid.startswith(SITE):
        return nodeid
    page = re.search(r"\[(home|[\w/-]+/)\]$", nodeid)
    return SITE + page[1] if page else nodeid.partition("::")[0]


@pytest.fixture
def rng():
    """Random numbers that are the same in every run."""
    return np.random.default_rng(20170612)


@pytest.fixture(params=array_libraries.NAMES)
def library(request):
    """Each array library in float64."""
    return array_libraries.Library(request.param, "float64")
