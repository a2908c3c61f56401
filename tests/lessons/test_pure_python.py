"""Which blocks a browser can run, and what a panel says of them."""

import re

import pytest
from written_pages import parsed

from attention_ref.lessons.publishing.panels import panel
from attention_ref.lessons.publishing.pure_python import (
    needs_only_python,
    standalone_output,
)
from attention_ref.lessons.running.jobs import Outcome
from attention_ref.lessons.verification import BlockResult

CHAIN = """
    ```python
    print("a")
    ```

    ```output
    a
    ```

    ```python {.continues}
    b = "b"
    ```

    ```python {.continues}
    print(b)
    ```

    ```output
    b
    ```
    """


def last(text: str) -> tuple:
    page = parsed(text)
    return page, page.blocks[-1]


@pytest.mark.parametrize(
    ("options", "code", "answer"),
    [
        ("", "x = 1", True),
        ("", "import math, collections.abc\nfrom os import path", True),
        ("", "import numpy as np", False),
        ("", "def f():\n    from attention_ref import softmax", False),
        ('{skip="too slow"}', "x = 1", False),
        ('{recorded="it varies"}', "x = 1", False),
    ],
)
def test_block_needs_only_python_if_it_imports_nothing_else(options, code, answer):
    assert needs_only_python(*last(f"```python {options}\n{code}\n```\n")) is answer


@pytest.mark.parametrize(
    ("first", "answer"), [("import numpy", False), ("import math", True)]
)
def test_what_a_block_continues_counts(first, answer):
    text = f"```python\n{first}\n```\n\n```python {{.continues}}\nx = 1\n```\n"

    assert needs_only_python(*last(text)) is answer


def test_whole_chain_prints_what_each_of_its_blocks_prints():
    assert standalone_output(*last(CHAIN)) == "a\nb\n"


@pytest.mark.parametrize(
    ("code", "state", "marks"),
    [
        ("x = 1", "verified", ["0"]),
        ("x = 1", "failed", []),
        ("import torch", "verified", []),
    ],
)
def test_panel_marks_what_was_verified_and_needs_only_python(code, state, marks):
    page, block = last(f"```python\n{code}\n```\n")
    html = panel(page, BlockResult(block, state, Outcome(0)))

    assert re.findall(r'data-pure="(\d+)"', html) == marks
