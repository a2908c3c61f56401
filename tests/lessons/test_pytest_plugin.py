"""Small projects whose pages are tested by pytest, in a process of its own."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

CONFTEST = """\
from attention_ref.lessons.pytest_plugin import lesson_pages

pytest_plugins = ["attention_ref.lessons.pytest_plugin"]
pytest_collect_file = lesson_pages("docs").pytest()
"""
CHAIN = """\
# Page

```python
x = 2
```

It is 2<!-- = x -->.

```python {.continues}
x += 1
print(x)
```

```output
3
```

It is 3<!-- = x -->.

```python
print("alone")
```

```output
alone
```
"""


@dataclass
class Project:
    """A folder with pages."""

    folder: Path

    def write(self, name: str, text: str) -> None:
        self.folder.joinpath("docs", name).write_text(text, encoding="utf-8")

    def read(self, name: str) -> str:
        return self.folder.joinpath("docs", name).read_text("utf-8")

    def pytest(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = ["-m", "pytest", "-p", "no:cacheprovider", "docs", *arguments]
        return subprocess.run(
            [sys.executable, *command],
            cwd=self.folder,
            env={**os.environ, "COLUMNS": "200"},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def counts(self, *arguments: str) -> str:
        """The closing line, without the time."""
        last = self.pytest("-q", *arguments).stdout.rstrip().split("\n")[-1]
        return last.partition(" in ")[0].strip("= ")


@pytest.fixture
def project(tmp_path) -> Project:
    tmp_path.joinpath("docs").mkdir()
    tmp_path.joinpath("conftest.py").write_text(CONFTEST)
    tmp_path.joinpath("pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
    return Project(tmp_path)


def test_every_block_and_every_check_is_a_test(project):
    project.write("page.md", CHAIN)
    assert project.counts() == "5 passed"


def test_a_page_of_text_has_no_tests(project):
    project.write("page.md", "# Page\n\n````text\n```python\n1 / 0\n```\n````\n")
    assert project.counts() == "no tests ran"


def test_wrong_digits_are_named_with_page_line_and_difference(project):
    wrong = CHAIN.replace("```output\n3", "```output\n4").replace("It is 2", "It is 1")
    project.write("page.md", wrong)
    done = project.pytest()
    assert done.returncode == 1
    assert "2 failed, 3 passed" in done.stdout
    assert "docs/page.md:14: output differs from what the page says." in done.stdout
    assert "-4\n+3" in done.stdout
    assert "docs/page.md:7: the page says 1, and x = 2" in done.stdout


@pytest.mark.parametrize("line", [9, 18])
def test_any_example_passes_alone(project, line):
    project.write("page.md", CHAIN)
    assert project.counts("-k", f"line:{line}") == "1 passed, 4 deselected"


def test_examples_pass_on_several_workers(project):
    project.write("page.md", CHAIN)
    project.write("other.md", CHAIN)
    assert project.counts("-n", "2") == "10 passed"


def test_examples_pass_in_reverse_order(project):
    project.write("page.md", CHAIN)
    reverse = "\n\ndef pytest_collection_modifyitems(items):\n    items.reverse()\n"
    project.folder.joinpath("conftest.py").write_text(CONFTEST + reverse)
    assert project.counts() == "5 passed"


def test_a_page_that_cannot_be_read_is_an_error_with_its_line(project):
    project.write("page.md", "Text\n\n```python {.continue}\nx = 1\n```\n")
    done = project.pytest()
    assert done.returncode == 2
    expected = "docs/page.md:3: unknown option .continue. Did you mean .continues?"
    assert expected in done.stdout
    assert "Traceback" not in done.stdout


def test_a_page_that_readers_would_see_otherwise_is_an_error(project):
    project.write("page.md", "Text\n\n    ```python\n    x = 1\n    ```\n")
    done = project.pytest()
    assert done.returncode == 2
    assert "docs/page.md:3: the code that a reader sees here must be" in done.stdout


def test_what_a_build_does_not_run_is_skipped_with_its_reason(project):
    text = '```python {skip="no network"}\nx = 1\n```\n\n```python {.gpu}\nx = 1\n```\n'
    project.write("page.md", text)
    done = project.pytest("-rs")
    assert "2 skipped" in done.stdout
    assert "no network" in done.stdout
    assert "no recording yet. Make one: pytest docs -m gpu --record" in done.stdout


def test_a_deadly_block_fails_alone(project):
    project.write("page.md", f"```python\nimport os; os._exit(3)\n```\n\n{CHAIN}")
    done = project.pytest()
    assert "1 failed, 5 passed" in done.stdout
    assert "docs/page.md:1: the block ended its process with status 3" in done.stdout


def test_outputs_are_updated_only_when_asked_for(project):
    wrong = CHAIN.replace("```output\n3", "```output\n4").replace("It is 2", "It is 1")
    project.write("page.md", wrong)
    project.pytest()
    assert project.read("page.md") == wrong
    done = project.pytest("--update-outputs")
    assert (done.returncode, project.read("page.md")) == (0, CHAIN)
    assert "-It is 1<!-- = x -->.\n+It is 2<!-- = x -->." in done.stdout


def test_an_update_refuses_a_block_that_fails(project):
    project.write("page.md", CHAIN.replace("x = 2", "x = 2 / 0"))
    done = project.pytest("--update-outputs")
    assert done.returncode == 1
    assert "docs/page.md:4: ZeroDivisionError: division by zero" in done.stdout
    assert project.read("page.md") == CHAIN.replace("x = 2", "x = 2 / 0")


def test_an_update_on_several_workers_is_refused(project):
    project.write("page.md", CHAIN)
    done = project.pytest("--update-outputs", "-n", "2")
    assert done.returncode == 4
    assert "--update-outputs writes files: run it without -n" in done.stderr
