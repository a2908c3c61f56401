"""What has not changed does not run again, and what has changed always does."""

import hashlib
import os
import pickle
import time
from pathlib import Path

import pytest
from written_pages import parsed

from attention_ref.lessons.running import cache as cache_module
from attention_ref.lessons.running import dependencies, execution, jobs
from attention_ref.lessons.running.cache import Cache
from attention_ref.lessons.running.run import Settings, run_pages

PAGE = """
    ```python
    print(1)
    ```

    ```output
    1
    ```

    1<!-- = 1 -->
"""


def write_earlier(path: Path, text: str) -> None:
    """Write a file as if it had been there for a while."""
    path.write_text(text)
    earlier = time.time() - 60
    os.utime(path, (earlier, earlier))


@pytest.fixture
def ran(runner, tmp_path):
    """Run a page with a cache in a folder of the test's own; tell which jobs ran."""

    def run(text: str) -> list[str]:
        jobs = []
        settings = Settings(cache=Cache(tmp_path / "cache"))
        page = parsed(text)
        run_pages([page], settings, runner, lambda job, _: jobs.append(job.page))
        return jobs

    return run


def test_a_page_that_has_not_changed_runs_once(ran):
    assert ran(PAGE) == ["page.md"]
    assert ran(PAGE) == []


def test_results_from_the_cache_are_the_results(runner, tmp_path):
    settings = Settings(cache=Cache(tmp_path))

    results = [run_pages([parsed(PAGE)], settings, runner)[0] for _ in range(2)]

    assert [r.blocks[0].outcome.printed for r in results] == ["1\n", "1\n"]
    assert [r.checks[0].value for r in results] == [1, 1]


def test_prose_that_moves_a_block_does_not_run_it(ran):
    ran(PAGE)
    assert ran(f"\n\n    More words.\n{PAGE}") == []


def test_a_changed_block_runs(ran):
    ran(PAGE)
    assert ran(PAGE.replace("print(1)", "print(2)")) == ["page.md"]


def test_a_changed_check_runs_its_block(ran):
    ran(PAGE)
    assert ran(PAGE.replace("<!-- = 1 -->", "<!-- = 2 -->")) == ["page.md"]


def test_a_changed_output_fence_runs_nothing(ran):
    ran(PAGE)
    assert ran(PAGE.replace("```output\n    1", "```output\n    2")) == []


def test_a_page_runs_when_a_module_that_it_imports_changes(ran, tmp_path):
    module = tmp_path / "helper_module.py"
    write_earlier(module, "value = 1\n")
    page = f"""
    ```python
    import sys
    sys.path.insert(0, {str(tmp_path)!r})
    import helper_module
    ```
    """
    ran(page)
    assert ran(page) == []

    write_earlier(module, "value = 23\n")

    assert ran(page) == ["page.md"]


def test_a_page_that_reads_a_file_runs_when_the_file_changes(ran, tmp_path):
    data = tmp_path / "data.txt"
    write_earlier(data, "1")
    page = f"""
    ```python
    with open({str(data)!r}) as file:
        number = int(file.read())
    ```
    """
    ran(page)
    assert ran(page) == []

    write_earlier(data, "2")

    assert ran(page) == ["page.md"]


def test_what_changes_while_its_page_runs_is_not_trusted(ran, tmp_path):
    data = tmp_path / "data.txt"
    write_earlier(data, "1")
    page = f"""
    ```python
    import pathlib
    path = pathlib.Path({str(data)!r})
    number = int(path.read_text())
    path.write_text("2")
    ```
    """
    assert ran(page) == ["page.md"]
    assert ran(page) == ["page.md"]


def test_other_library_versions_run_everything(ran, monkeypatch):
    ran(PAGE)
    monkeypatch.setattr(cache_module, "library_versions", lambda: ("numpy-99",))
    assert ran(PAGE) == ["page.md"]


@pytest.mark.parametrize(
    "code",
    ["1 / 0", "import os; os._exit(1)", "import time; time.sleep(9)"],
    ids=["raises", "dies", "hangs"],
)
def test_an_accident_is_not_kept(code, runner, tmp_path):
    page = parsed(f"```python\n{code}\n```\n")
    settings = Settings(timeout=1, cache=Cache(tmp_path))
    for _ in range(2):
        jobs = []
        run_pages([page], settings, runner, lambda job, _: jobs.append(job))  # noqa: B023
        assert len(jobs) == 1


def test_an_expected_exception_is_kept(ran):
    page = """
    ```python {raises="ZeroDivisionError"}
    1 / 0
    ```
    """
    ran(page)
    assert ran(page) == []


@pytest.mark.parametrize(
    "damage", [b"", b"x" * 99, None], ids=["empty", "other", "cut"]
)
def test_a_damaged_entry_is_thrown_away(damage, ran, tmp_path):
    ran(PAGE)
    [entry] = (tmp_path / "cache").glob("*.report")
    entry.write_bytes(entry.read_bytes()[:-1] if damage is None else damage)

    assert ran(PAGE) == ["page.md"]
    assert ran(PAGE) == []


@pytest.mark.parametrize("payload", [b"cold.engine\nReport\n.", pickle.dumps((1, {}))])
def test_an_entry_of_another_engine_is_thrown_away(payload, ran, tmp_path):
    ran(PAGE)
    [entry] = (tmp_path / "cache").glob("*.report")
    entry.write_bytes(hashlib.sha256(payload).digest() + payload)

    assert ran(PAGE) == ["page.md"]
    assert ran(PAGE) == []


def test_an_entry_is_not_unpickled_unless_its_digest_is_right(
    ran, tmp_path, monkeypatch
):
    ran(PAGE)
    [entry] = (tmp_path / "cache").glob("*.report")
    entry.write_bytes(b"0" * 32 + pickle.dumps("anything"))
    monkeypatch.setattr(
        cache_module.pickle, "loads", lambda _: pytest.fail("unpickled")
    )

    assert ran(PAGE) == ["page.md"]


def test_old_entries_and_leftovers_are_forgotten(ran, tmp_path, monkeypatch):
    ran(PAGE)
    folder = tmp_path / "cache"
    (folder / "killed.part").write_bytes(b"half")
    Cache(folder).forget_old()
    assert len(list(folder.glob("*.*t"))) == 2

    monkeypatch.setattr(cache_module, "_KEEP_SECONDS", -1)
    Cache(folder).forget_old()

    assert not list(folder.glob("*.report")) + list(folder.glob("*.part"))


def test_the_cache_hides_itself_from_git(ran, tmp_path):
    ran(PAGE)
    assert (tmp_path / "cache" / ".gitignore").read_text() == "*\n"


def test_the_engine_counts_as_an_import(runner, tmp_path):
    settings = Settings(cache=Cache(tmp_path))
    run_pages([parsed(PAGE)], settings, runner)
    [entry] = tmp_path.glob("*.report")
    report, hashes = pickle.loads(entry.read_bytes()[32:])

    engine = {str(Path(module.__file__).resolve()) for module in (execution, jobs)}
    assert engine <= report.files
    assert hashes.keys() == report.files


def test_a_cache_is_empty_until_something_is_kept(tmp_path, runner):
    cache = Cache(tmp_path / "cache")
    assert cache.is_empty()
    run_pages([parsed("```python\nx = 1\n```\n")], Settings(cache=cache), runner)
    assert not cache.is_empty()


def test_a_link_among_the_installed_libraries_counts_as_what_it_leads_to(
    tmp_path, monkeypatch
):
    installed, own = tmp_path / "installed", tmp_path / "own.py"
    installed.mkdir()
    for path in (installed / "library.py", own):
        path.touch()
    Path(installed, "link.py").symlink_to(own)
    monkeypatch.setattr(dependencies, "_installed_roots", lambda: (installed,))
    dependencies._is_installed.cache_clear()
    counted = dependencies._counted.__wrapped__
    assert counted(str(installed / "library.py")) is None
    assert counted(str(installed / "link.py")) == str(own)
    dependencies._is_installed.cache_clear()
