"""A lesson's script prints what its page shows, in a clean interpreter."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from written_pages import parsed

from attention_ref.lessons.pages.page import Page
from attention_ref.lessons.pages.parsing import read_page
from attention_ref.lessons.pages.tolerance import agree
from attention_ref.lessons.publishing.scripts import lesson_script, title

LESSONS = sorted((Path(__file__).parents[2] / "docs" / "lessons").glob("*.md"))
SLOW = {"attention-mechanism"}  # it holds the long experiments


def run(page: Page, folder: Path, timeout: float = 60) -> str:
    script = folder / "lesson.py"
    script.write_text(lesson_script(page), "utf-8")
    done = subprocess.run(
        [sys.executable, "-I", "-X", "utf8", str(script)],
        cwd=folder,
        # On a busy machine, threads that wait for each other take longer than one.
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        encoding="utf-8",
        timeout=timeout,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[pytest.mark.slow] * (path.stem in SLOW))
        for path in LESSONS
    ],
    ids=lambda path: path.stem,
)
def test_script_of_a_lesson_prints_what_its_page_shows(path, tmp_path):
    page = read_page(path)
    printed = lines(run(page, tmp_path, timeout=600))

    for block in page.blocks:
        if block.expected is None:
            continue
        shown = lines(block.expected.text)
        got, printed = printed[: len(shown)], printed[len(shown) :]
        if block.expected.approx is None:
            assert got == shown, f"{path.name}:{block.line}"
        else:
            texts = "\n".join(shown), "\n".join(got)
            assert agree(*texts, block.expected.approx), f"{path.name}:{block.line}"
    assert printed == []


def test_block_sees_nothing_of_a_block_that_it_does_not_continue(tmp_path):
    page = parsed(
        """
        ```python
        x = 1
        ```

        ```python {.continues}
        print(x)
        ```

        ```python {raises="NameError"}
        print(x)
        ```
        """
    )

    assert lines(run(page, tmp_path)) == ["1", "NameError: name 'x' is not defined"]


def test_block_in_a_second_tab_continues_what_stands_before_the_tabs(tmp_path):
    page = parsed(
        """
        ```python
        x = 1
        print("once")
        ```

        === "One"

            ```python {.continues}
            x += 1
            print(x)
            ```

        === "Two"

            ```python {.continues}
            x += 10
            print(x)
            ```
        """
    )

    assert lines(run(page, tmp_path)) == ["once", "2", "11"]


def test_error_without_a_message_is_its_name(tmp_path):
    page = parsed('```python {raises="AssertionError"}\nassert False\n```')

    assert run(page, tmp_path) == "AssertionError\n"


def test_error_of_a_library_needs_no_name_in_the_script(tmp_path):
    page = parsed(
        """
        ```python {raises="ShapeError"}
        from attention_ref import split_heads
        import numpy as np

        print("before")
        split_heads(np.ones((2, 10)), 4)
        ```
        """
    )

    before, error = lines(run(page, tmp_path))
    assert before == "before"
    assert error.startswith("ShapeError: split_heads: ")


def test_text_over_several_lines_is_not_indented_with_its_block(tmp_path):
    page = parsed(
        '''
        ```python {raises="ZeroDivisionError"}
        if True:
            print("""one
        two
          three""")
        1 / 0
        ```
        '''
    )

    assert run(page, tmp_path).splitlines() == [
        *("one", "two", "  three", "ZeroDivisionError: division by zero")
    ]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ('recorded="timings vary"', "timings vary"),
        ('skip="no such machine"', "no such machine"),
        (".gpu", "it needs a CUDA device"),
    ],
)
def test_block_that_a_build_does_not_run_is_a_comment(options, why):
    script = lesson_script(parsed(f"```python {{{options}}}\nf()\n\ng()\n```"))

    assert script.endswith(f"\n# Not run here: {why}.\n# f()\n#\n# g()\n")


def test_figures_become_files_and_need_no_screen(tmp_path):
    page = parsed(
        """
        ```python {figure="a line"}
        import matplotlib.pyplot as plt

        plt.plot([1, 2])
        ```

        ```python {figure="a line"}
        import matplotlib.pyplot as plt

        plt.plot([2, 1])
        ```
        """
    )

    assert run(page, tmp_path) == ""
    assert sorted(path.name for path in tmp_path.glob("*.png")) == [
        *("figure-1.png", "figure-2.png")
    ]


@pytest.mark.parametrize(
    ("set_", "show", "shown"),
    [
        (
            "import torch\ntorch.set_default_dtype(torch.float64)",
            "import torch\nprint(torch.ones(1).dtype)",
            "torch.float32",
        ),
        (
            "import numpy as np\nnp.set_printoptions(precision=2, suppress=True)",
            "import numpy as np\nprint(np.array([1e-9, 0.123456]))",
            "[1.00000e-09 1.23456e-01]",
        ),
        (
            "import torch\ntorch.set_printoptions(precision=2)",
            "import torch\nprint(torch.tensor([0.123456]))",
            "tensor([0.1235])",
        ),
    ],
)
def test_setting_of_a_library_ends_with_its_chain(set_, show, shown, tmp_path):
    page = parsed(f"```python\n{set_}\n```\n\n```python\n{show}\n```")

    assert run(page, tmp_path) == f"{shown}\n"


def test_cells_are_called_by_their_headings():
    page = parsed("# Page\n\n## One\n\n```python\n# not a heading\nx = 1\n```\n")

    assert title(page) == "Page"
    assert "\n# %% One\n\n# not a heading\nx = 1\n" in lesson_script(page)


def test_script_says_what_it_needs():
    page = parsed("# Page\n\n```python\nimport math, torch\nimport numpy.linalg\n```\n")

    assert lesson_script(page).startswith(
        '"""Page: the code of the lesson, in its order.\n\n'
        "Run as a whole, it prints what the page shows.\n"
        'It needs numpy, torch.\n"""\n'
    )


def test_script_of_pure_python_needs_nothing():
    assert "It needs nothing but Python." in lesson_script(parsed("```python\n1\n```"))
