"""A recording names where it was made, and counts as long as its code does."""

import json
import subprocess
import sys
from textwrap import dedent

import pytest

from attention_ref.lessons.pages.parsing import read_page
from attention_ref.lessons.publishing.weaving import describe
from attention_ref.lessons.running.recordings import read_recordings, write_recordings
from attention_ref.lessons.running.run import Settings, record_block, run_pages

PAGE = """
# A page

```python {recorded="it takes long"}
import numpy as np
steps = int(np.float64(41.0)) + 1
print("steps", steps)
```

It took 42<!-- = steps --> steps.
"""


@pytest.fixture
def docs(tmp_path):
    (tmp_path / "docs" / "recordings").mkdir(parents=True)
    return tmp_path / "docs"


@pytest.fixture
def page(docs):
    """A function that writes a page and reads it."""

    def write(text: str = PAGE):
        path = docs / "page.md"
        path.write_text(dedent(text))
        return read_page(path, "docs/page.md")

    return write


@pytest.fixture
def record(runner):
    def make(page):
        recording, problems = record_block(page, page.blocks[0], Settings(), runner)
        if recording:
            write_recordings(page, [recording])
        return [str(problem) for problem in problems]

    return make


def verified(page, runner):
    [result] = run_pages([page], Settings(), runner)
    return result


def test_a_block_without_a_recording_says_so(page, runner):
    result = verified(page(), runner)

    assert (result.blocks[0].state, result.checks[0].state) == ("not run", "not run")
    assert describe(result.blocks[0]) == (
        "not run in a build, because it takes long; no recording yet"
    )
    assert not result.problems


def test_a_recording_is_shown_with_its_machine_and_day(page, record, runner):
    assert record(page()) == []

    result = verified(page(), runner)

    assert (result.blocks[0].state, result.checks[0].state) == ("recorded", "recorded")
    assert result.blocks[0].outcome.printed == "steps 42\n"
    where = result.blocks[0].recording.where
    assert where["date"] in describe(result.blocks[0])
    assert where["numpy"] in describe(result.blocks[0])


def test_a_number_below_a_recording_is_compared_with_it(page, record, runner):
    record(page())

    result = verified(page(PAGE.replace("took 42", "took 43")), runner)

    assert [problem.line for problem in result.problems] == [10]
    assert "the page says 43, and steps = 42" in str(result.problems[0])


def test_a_number_that_was_not_recorded_is_a_problem(page, record, runner):
    record(page())

    result = verified(
        page(PAGE.replace("<!-- = steps -->", "<!-- = steps * 1 -->")), runner
    )

    assert "was recorded without it" in str(result.problems[0])


def test_changed_code_makes_a_recording_stale(page, record, runner):
    record(page())

    [problem] = verified(page(PAGE.replace("41.0", "41.5")), runner).problems

    assert problem.line == 4
    assert "is of code that is no longer here" in problem.message


def test_changed_imports_make_a_recording_stale(
    page, record, runner, docs, monkeypatch
):
    monkeypatch.syspath_prepend(str(docs.parent))
    (docs.parent / "own_module.py").write_text("number = 1\n")
    text = f"""
    ```python {{recorded="why not"}}
    import sys
    sys.path.insert(0, {str(docs.parent)!r})
    import own_module
    ```
    """
    record(page(text))
    assert not verified(page(text), runner).problems

    (docs.parent / "own_module.py").write_text("number = 2\n")

    [problem] = verified(page(text), runner).problems
    assert problem.message == (
        "recorded with another version of own_module.py. "
        "Record again: pytest docs --record"
    )


def test_the_package_counts_only_where_a_block_imports_it(page, record):
    record(page())
    [recording] = read_recordings(page()).values()
    assert not recording.modules

    text = PAGE.replace(
        "import numpy as np", "import numpy as np\nimport attention_ref"
    )
    record(page(text))

    [recording] = read_recordings(page(text)).values()
    assert "attention_ref/_softmax.py" in recording.modules
    assert not any("attention_ref/lessons" in name for name in recording.modules)


def test_a_block_whose_claim_fails_is_not_recorded(page, record, docs):
    text = PAGE.replace('print("steps", steps)', "assert steps > 42")

    [problem] = record(page(text))

    assert problem.startswith("docs/page.md:7: AssertionError")
    assert not list((docs / "recordings").iterdir())


def test_a_wrong_number_below_it_is_not_recorded(page, record, docs):
    [problem] = record(page(PAGE.replace("took 42", "took 43")))

    assert "the page says 43" in problem
    assert not list((docs / "recordings").iterdir())


def test_others_stay_and_stale_ones_go(page, record, runner):
    record(page())
    two = PAGE + '\n```python {recorded="again"}\nprint(1)\n```\n'
    both = page(two)
    recording, _ = record_block(both, both.blocks[1], Settings(), runner)
    path = write_recordings(both, [recording])
    assert len(json.loads(path.read_text())) == 2

    write_recordings(page(), [])

    assert len(json.loads(path.read_text())) == 1


def test_without_a_folder_nothing_can_be_recorded(tmp_path, record):
    path = tmp_path / "page.md"
    path.write_text(PAGE)
    with pytest.raises(FileNotFoundError, match="a folder recordings/ must lie beside"):
        record(read_page(path, "page.md"))


def test_pytest_records_only_when_it_is_asked(docs):
    (docs / "page.md").write_text(
        PAGE
        + "\n```python {.gpu}\nimport torch\nassert torch.cuda.is_available()\n```\n"
    )
    (docs.parent / "conftest.py").write_text(
        "from attention_ref.lessons.pytest_plugin import lesson_pages\n"
        'pytest_plugins = ["attention_ref.lessons.pytest_plugin"]\n'
        'pytest_collect_file = lesson_pages("docs").pytest()\n'
    )

    def pytest_says(*options: str) -> str:
        command = [sys.executable, "-m", "pytest", "docs", "-rs", *options]
        done = subprocess.run(command, cwd=docs.parent, capture_output=True, text=True)
        return done.stdout

    assert "no recording yet. Make one: pytest docs --record" in pytest_says()
    assert not list((docs / "recordings").iterdir())

    said = pytest_says("--record")
    assert "2 passed, 1 skipped" in said
    assert "no CUDA device" in said
    assert "2 passed, 1 skipped" in pytest_says()
