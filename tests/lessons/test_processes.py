import os
import sys
import time
from pathlib import Path

import pytest

from attention_ref.lessons.running import spawning, warm_process
from attention_ref.lessons.running.jobs import FigureRequest, Job, Step
from attention_ref.lessons.running.processes import Runner

GOOD = '```python\nprint("still here")\n```\n\n```output\nstill here\n```\n'


def job(code: str, timeout: float = 30) -> Job:
    return Job("page.md", (Step(0, 1, code),), timeout)


def deadly(code: str, options: str = "") -> str:
    return f"{GOOD}\n```python{options}\n{code}\n```\n\n{GOOD}"


@pytest.mark.parametrize(
    ("code", "ending"),
    [
        ("import os; os._exit(0)", "ended its process with status 0"),
        ("import os; os._exit(3)", "ended its process with status 3"),
        ("import ctypes; ctypes.string_at(0)", "was killed by SIGSEGV"),
        ("import os; os.abort()", "was killed by SIGABRT"),
        ("import os; os.kill(os.getpid(), 9)", "was killed by SIGKILL"),
        ("import os; os.killpg(0, 15)", "was killed by SIGTERM"),
        ("import sys; sys.stdout.close()", "ended its process with status 1"),
    ],
)
def test_a_block_that_kills_its_process_fails_alone(problems, code, ending):
    assert problems(deadly(code)) == [f"page.md:9: the block {ending}"]


@pytest.mark.parametrize(
    "code",
    [
        "while True: pass",
        "import time; time.sleep(600)",
        "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(600)",
        "import threading; threading.Event().wait()",
    ],
)
def test_a_block_that_hangs_is_stopped(problems, code):
    text = deadly(code, ' {timeout="0.5"}')
    assert problems(text) == ["page.md:9: the block was stopped after 0.5 seconds"]


def test_what_a_block_leaves_running_does_not_hold_up_the_build(problems):
    code = "import os, time\nif os.fork() == 0:\n    os.setsid(); time.sleep(60)"
    started = time.monotonic()
    assert problems(deadly(code)) == []
    assert time.monotonic() - started < 30


def test_what_a_killed_block_leaves_running_does_not_hold_up_the_build(problems):
    code = (
        "import os, time\nif os.fork() == 0:\n    os.setsid(); time.sleep(60)\n"
        "os._exit(0)"
    )
    started = time.monotonic()
    [problem] = problems(deadly(code, ' {timeout="2"}'))
    assert problem == "page.md:9: the block was stopped after 2 seconds"
    assert time.monotonic() - started < 30


def test_the_configuration_sets_the_time_of_a_chain(problems):
    text = deadly("import time; time.sleep(600)")
    [problem] = problems(text, timeout=1.5)
    assert problem == "page.md:9: the block was stopped after 1.5 seconds"


def test_what_ran_before_the_deadly_block_of_a_chain_is_kept(problems):
    text = (
        f"{GOOD}\n```python {{.continues}}\nimport os; os._exit(1)\n```\n\n"
        "```python {.continues}\nx = 1\n```\n"
    )
    assert problems(text) == [
        "page.md:9: the block ended its process with status 1",
        "page.md:13: not run, because the block in line 9 failed",
    ]


def test_more_than_a_pipe_holds_comes_through(verify):
    text = "```python\nprint('x' * 1_000_000)\n```\n"
    assert len(verify(text).blocks[0].outcome.printed) == 1_000_001


def test_reports_come_in_the_order_of_the_jobs(runner):
    jobs = [job(f"import time; time.sleep({1 / n}); print({n})") for n in range(4, 9)]
    reports = runner.run(jobs)
    assert [report.outcomes[0].printed for report in reports] == [
        f"{n}\n" for n in range(4, 9)
    ]


def test_each_job_is_announced_when_it_ends(runner):
    jobs, ended = [job("x = 1"), job("x = 2")], []
    runner.run(jobs, lambda job, report: ended.append((job, report.ending)))
    assert sorted(ended, key=str) == [(jobs[0], ""), (jobs[1], "")]


def test_no_jobs_start_no_process():
    with Runner() as runner:
        assert runner.run([]) == []
        assert runner._warm is None


def test_a_closed_runner_starts_anew():
    runner = Runner([])
    for _ in range(2):
        [report] = runner.run([job("print(1)")])
        assert report.outcomes[0].printed == "1\n"
        runner.close()


def test_the_ending_of_the_warm_process_is_reported(monkeypatch):
    monkeypatch.setattr(warm_process, "COMMAND", [sys.executable, "-c", "exit(7)"])
    with (
        pytest.raises(RuntimeError) as caught,
        Runner([]) as runner,
    ):
        runner.run([job("x = 1")])
    assert str(caught.value) == "the process that runs pages ended with status 7"


def test_a_runner_that_was_started_for_nothing_ends_without_a_word(capfd):
    with Runner() as runner:
        runner.start()
    assert capfd.readouterr().err == ""


def test_a_started_runner_imports_what_the_jobs_need():
    with Runner() as runner:
        runner.start()
        code = "import sys\nprint('numpy.random' in sys.modules)\nimport numpy"
        [report] = runner.run([job(code)])
    assert report.outcomes[0].printed == "True\n"


# The stages of the warm process

FIGURE = FigureRequest("figure", "A line", "", illustration=False)
DRAWING = "import matplotlib.pyplot as plt\nplt.plot([0, 1])"


def drawing(code: str = DRAWING) -> Job:
    """A job that the second stage runs."""
    return Job("page.md", (Step(0, 1, code, figure=FIGURE),), 30)


def order_of_ends(runner: Runner, jobs: list[Job]) -> list[int]:
    ended = []
    reports = runner.run(jobs, lambda each, _: ended.append(jobs.index(each)))
    assert not any(report.ending or report.outcomes[0].failure for report in reports)
    return ended


def test_what_needs_no_slow_import_waits_for_none():
    jobs = [drawing(), job("x = 1"), job("import numpy as x")]
    with Runner(workers=1) as runner:
        assert order_of_ends(runner, jobs) == [1, 2, 0]  # while matplotlib is imported
        assert order_of_ends(runner, jobs) == [0, 1, 2]  # then what takes longest first


def test_a_job_that_imports_more_than_its_code_says_is_only_slower():
    code = (
        "import sys\nfrom importlib import import_module\n"
        "print('matplotlib' in sys.modules)\n"
        "print(*import_module('matplotlib.pyplot').subplots()[1].get_xlim())\n"
    )
    with Runner(workers=1) as runner:
        report, _ = runner.run([job(code), drawing()])
    assert report.outcomes[0].printed == "False\n0.0 1.0\n"


def test_all_stages_together_run_no_more_jobs_than_there_are_workers(tmp_path):
    counted = (
        f"import os, pathlib, time\nmine = pathlib.Path({str(tmp_path)!r}, "
        "str(os.getpid()))\nmine.touch()\ntime.sleep(0.05)\n"
        "print(len(os.listdir(mine.parent)))\nmine.unlink()\n"
    )
    jobs = [make(counted) for make in (job, drawing) for _ in range(6)]
    with Runner(workers=2) as runner:
        runner.run([drawing()])
        reports = runner.run(jobs)
    counts = [int(report.outcomes[0].printed) for report in reports]
    assert max(counts) == 2


def test_the_ending_of_a_later_stage_is_reported(tmp_path, monkeypatch):
    Path(tmp_path, "deadly.py").write_text("import os\nos._exit(7)\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(RuntimeError) as caught, Runner(["deadly"]) as runner:
        runner.run([drawing()])
    assert str(caught.value) == "the process that runs pages ended with status 7"


# Where fork does not exist


@pytest.fixture
def spawned(monkeypatch):
    monkeypatch.delattr(os, "fork")
    return Runner(workers=2)


def test_without_fork_each_job_has_a_fresh_interpreter(spawned):
    reports = spawned.run([job("print(1)"), job("print('é' * 3)")])
    assert [r.outcomes[0].printed for r in reports] == ["1\n", "ééé\n"]
    assert all(report.files for report in reports)


def test_without_fork_a_deadly_block_fails_alone(spawned):
    [report] = spawned.run([job("import os; os._exit(3)")])
    assert (report.outcomes, report.ending) == ({}, "ended its process with status 3")


def test_without_fork_a_block_finds_an_empty_folder(spawned):
    [report] = spawned.run([job("import os; print(os.listdir())")])
    assert report.outcomes[0].printed == "[]\n"


def test_without_fork_what_ran_before_the_deadly_block_is_kept(spawned):
    steps = Step(0, 1, "print(1)"), Step(1, 5, "import os; os._exit(3)")
    [report] = spawned.run([Job("page.md", steps, 30)])
    assert list(report.outcomes) == [0]


def test_without_fork_a_hanging_block_is_stopped(spawned, monkeypatch):
    monkeypatch.setattr(spawning, "_STARTING_SECONDS", 1.0)
    [report] = spawned.run([job("while True: pass", timeout=0.5)])
    assert report.ending == "was stopped after 0.5 seconds"
