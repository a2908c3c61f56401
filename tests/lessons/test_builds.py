"""Builds that are killed, that run twice at once, or that find something changed."""

import os
import random
import signal
import time
from pathlib import Path

import pytest
from small_project import Project

KILLS = 50 if os.environ.get("PROOFS") else 3


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)


def pages_of(project: Project) -> list[bytes]:
    return [project.page(number).read_bytes() for number in range(project.pages)]


def test_a_second_build_runs_nothing_and_a_change_runs_its_page(project):
    assert "Running docs/page-0.md" in project.build()[1]
    assert "Running" not in project.build()[1]

    page = project.page(1)
    page.write_text(page.read_text().replace("import helper", "import helper, math"))

    _, said = project.build()
    assert "Running docs/page-1.md, 0 chains left" in said
    assert said.count("Running") == 1


def test_a_changed_import_runs_every_page_that_uses_it(project):
    project.build()
    project.helper.write_text("number = 0.0\n")

    status, said = project.build()

    assert status != 0
    assert "docs/page-0.md:8: output differs" in said
    assert "docs/page-2.md:8: output differs" in said
    assert "+number 2.0" in said


def test_two_builds_at_once_both_come_out_right(project):
    builds = [project.start("build", "--site-dir", f"site-{n}") for n in range(2)]
    for build in builds:
        said, _ = build.communicate(timeout=120)
        assert build.returncode == 0, said

    assert "Running" not in project.build()[1]


def test_after_a_build_was_killed_the_next_one_is_right(project):
    chance = random.Random(20261129)
    before = pages_of(project)
    started = time.monotonic()
    assert project.build()[0] == 0
    usual = time.monotonic() - started
    for round_ in range(KILLS):
        project.helper.write_text(f"number = 0  # {round_}\n")
        build = project.start("build")
        time.sleep(chance.uniform(0, usual))
        os.killpg(build.pid, signal.SIGKILL)
        build.communicate()

        status, said = project.build()

        assert status == 0, said
        assert "number 2" in project.html(2)
    assert pages_of(project) == before


def test_a_build_that_is_interrupted_leaves_no_process(project):
    project.page(0).write_text("```python\nimport time\ntime.sleep(50)\n```\n")
    build = project.start("build")
    time.sleep(4)
    os.kill(build.pid, signal.SIGINT)
    build.communicate(timeout=20)

    # Whoever is left would still be in the build's process group or its session.
    deadline = time.monotonic() + 10
    while alive := processes_of(build.pid):
        assert time.monotonic() < deadline, alive
        time.sleep(0.1)


def processes_of(session: int) -> list[str]:
    """The command lines of the processes in a session."""
    found = []
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        try:
            if os.getsid(int(entry.name)) == session:
                found.append(Path(entry.path, "cmdline").read_text().replace("\0", " "))
        except (OSError, ProcessLookupError):
            continue
    return [command for command in found if command.strip()]
