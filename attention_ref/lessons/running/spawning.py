"""A fresh interpreter for each job, where fork does not exist."""

import pickle
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from attention_ref.lessons.running.jobs import Job, Report
from attention_ref.lessons.running.warm import report_of_one
from attention_ref.lessons.running.warm_process import COMMAND

# What a fresh interpreter may need for its imports, beyond the time of its job.
_STARTING_SECONDS = 30.0


def run_spawned(
    jobs: Sequence[Job], workers: int, environment: Mapping[str, str]
) -> Iterator[tuple[int, Report]]:
    """Run jobs, several at a time.

    Args:
        jobs: The jobs.
        workers: How many of them run at the same time.
        environment: The environment of their processes.

    Yields:
        The number and the report of each job, in their order.
    """
    run = partial(_run_in_fresh_interpreter, environment)
    with ThreadPoolExecutor(workers) as pool:
        yield from enumerate(pool.map(run, jobs))


def _run_in_fresh_interpreter(environment: Mapping[str, str], job: Job) -> Report:
    with tempfile.TemporaryDirectory(prefix="lesson-") as folder:
        try:
            done = subprocess.run(  # noqa: S603 - our own module
                [*COMMAND, "once", folder],
                input=pickle.dumps(job),
                capture_output=True,
                timeout=job.timeout + _STARTING_SECONDS,
                env=environment,
                check=False,
            )
        except subprocess.TimeoutExpired:
            ending = f"was stopped after {job.timeout:g} seconds"
        else:
            ending = f"ended its process with status {done.returncode}"
        report = report_of_one(folder)
        report.ending = "" if report.files else ending
        return report
