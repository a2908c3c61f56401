"""The cases from public bug reports, each in every library and dtype it allows."""

from __future__ import annotations

import answers_heads  # noqa: F401 - registers its answers
import answers_masks  # noqa: F401 - registers its answers
import answers_numerics  # noqa: F401 - registers its answers
import answers_positions  # noqa: F401 - registers its answers
import open_cases
import pytest
from open_cases import ANSWERS, CASES, answered_cases


@pytest.mark.parametrize("case", answered_cases(), ids=str)
def test_open_case(case):
    open_cases.check(case)


def test_every_case_has_an_answer():
    assert len(CASES) == 49
    assert set(ANSWERS) == set(CASES)
