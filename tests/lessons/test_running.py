import pytest
from written_pages import parsed

from attention_ref.lessons.running.planning import plan
from attention_ref.lessons.running.preloading import in_stages, modules_to_preload
from attention_ref.lessons.running.run import Settings, run_blocks, run_pages

CHAIN = """
    ```python
    x = 1
    ```

    1<!-- = x -->

    ```python {.continues}
    y = 2
    ```

    ```python
    z = 3
    ```
"""
TABS = """
    ```python
    x = [1]
    ```

    === "A"

        ```python {.continues}
        x.append(2)
        ```

        2<!-- = len(x) -->

    === "B"

        ```python {.continues}
        x.append(3)
        x.append(4)
        ```

        3<!-- = len(x) -->
"""


def steps(text: str, wanted: list[int] | None = None) -> list[list[tuple[int, bool]]]:
    """For each job the blocks it runs, and whether their results count."""
    page = parsed(text)
    blocks = None if wanted is None else [page.blocks[index] for index in wanted]
    jobs = plan(page, 60, blocks)
    return [[(step.block, step.reported) for step in job.steps] for job in jobs]


# Planning


def test_a_chain_is_one_job():
    assert steps(CHAIN) == [[(0, True), (1, True)], [(2, True)]]


def test_a_second_tab_runs_the_shared_part_again_without_reporting_it():
    assert steps(TABS) == [[(0, True), (1, True)], [(0, False), (2, True)]]


def test_a_wanted_block_brings_what_it_continues():
    assert steps(CHAIN, [1]) == [[(0, True), (1, True)]]


@pytest.mark.parametrize("option", [".gpu", 'skip="no"', 'recorded="slow"'])
def test_what_a_build_does_not_run_is_in_no_job(option):
    assert steps(f"```python {{{option}}}\nx = 1\n```\n") == []


def test_checks_are_asked_once():
    jobs = plan(parsed(CHAIN), 60)
    assert [[len(step.questions) for step in job.steps] for job in jobs] == [
        [1, 0],
        [0],
    ]


@pytest.mark.parametrize(
    ("options", "timeout"),
    [("", 60), ('{timeout="5"}', 5), ('{timeout="90.5"}', 90.5)],
)
def test_a_block_may_ask_for_more_or_less_time(options, timeout):
    [job] = plan(parsed(f"```python {options}\nx = 1\n```\n"), 60)
    assert job.timeout == timeout


def test_a_chain_gets_the_longest_time_that_one_of_its_blocks_asks_for():
    text = '```python\nx = 1\n```\n\n```python {.continues timeout="90"}\ny = 1\n```\n'
    [job] = plan(parsed(text), 60)
    assert job.timeout == 90


@pytest.mark.parametrize(
    ("code", "modules"),
    [
        ("import math", []),
        ("import numpy as np", ["numpy", "numpy.random"]),
        ("import torch", ["torch"]),
        ("from torch import nn", ["torch", "torch.fx.experimental.symbolic_shapes"]),
        ("import torch.testing", ["torch", "torch.testing"]),
        ("from jax import nn", ["jax.numpy"]),
        ("def f():\n    import numpy", ["numpy", "numpy.random"]),
        (
            "import numpy\nfrom attention_ref import softmax",
            ["numpy", "numpy.random", "array_api_compat.numpy"],
        ),
        ("from attention_ref import softmax", []),
        ("import numpyro", []),
        ("not python", []),
    ],
)
def test_only_what_some_block_imports_is_imported_beforehand(code, modules):
    assert modules_to_preload(plan(parsed(f"```python\n{code}\n```\n"), 60)) == modules


@pytest.mark.parametrize(
    ("modules", "stages"),
    [
        ([], [[]]),
        (["numpy"], [["numpy"]]),
        (["numpy", "torch", "numpy.random"], [["numpy", "numpy.random"], ["torch"]]),
        (["torch"], [[], ["torch"]]),
        (["jax.numpy"], [[], ["jax.numpy"]]),
        (
            ["numpy", "torch", "torch.testing", "matplotlib.pyplot"],
            [["numpy"], ["torch", "torch.testing"], ["matplotlib.pyplot"]],
        ),
    ],
)
def test_slow_modules_are_imported_in_a_later_stage(modules, stages):
    assert in_stages(modules) == stages


def test_a_figure_asks_for_matplotlib():
    jobs = plan(parsed('```python {figure="A"}\nf()\n```\n'), 60)
    assert modules_to_preload(jobs)[0] == "matplotlib.pyplot"


# Running


def test_neither_tab_sees_what_the_other_did(problems):
    assert problems(TABS) == []


def test_pages_have_results_in_their_order(runner):
    pages = [parsed(f"```python\nprint({n})\n```\n") for n in range(5)]
    pages = [type(p)(f"{n}.md", *vars_of(p)) for n, p in enumerate(pages)]
    results = run_pages(pages, Settings(), runner)
    assert [r.page.path for r in results] == [f"{n}.md" for n in range(5)]
    assert [r.blocks[0].outcome.printed for r in results] == [
        f"{n}\n" for n in range(5)
    ]


def vars_of(page):
    return page.text, page.newline, page.blocks, page.checks, page.exemptions


def test_a_page_without_blocks_has_a_result(runner):
    [result] = run_pages([parsed("Text\n")], Settings(), runner)
    assert (result.blocks, result.checks, result.problems) == ([], [], [])


def test_progress_counts_down(runner):
    left = []
    run_pages(
        [parsed(CHAIN)], Settings(), runner, lambda _, number: left.append(number)
    )
    assert left == [1, 0]


def test_one_block_can_be_run_with_what_it_continues(runner):
    page = parsed(CHAIN)
    result = run_blocks(page, [page.blocks[1]], Settings(), runner)
    assert [block.outcome is not None for block in result.blocks] == [
        True,
        True,
        False,
    ]


def test_the_second_tab_is_blamed_for_its_own_accident(problems):
    text = TABS.replace("x.append(3)", "import os; os._exit(3)")
    assert problems(text) == [
        "page.md:16: the block ended its process with status 3",
        "page.md:21: not checked, because the block in line 16 failed",
    ]
