"""What all tests share: fixed random numbers, and each array library in turn."""

import array_libraries
import numpy as np
import pytest


@pytest.fixture
def rng():
    """Random numbers that are the same in every run."""
    return np.random.default_rng(20170612)


@pytest.fixture(params=array_libraries.NAMES)
def library(request):
    """Each array library in float64."""
    return array_libraries.Library(request.param, "float64")
