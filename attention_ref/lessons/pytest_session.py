"""A run of pytest: the blocks that the selected tests need, run once and judged."""

from typing import TYPE_CHECKING

import pytest

from attention_ref.lessons.pages.page import Block, Check, Page
from attention_ref.lessons.running.machine import describe_machine
from attention_ref.lessons.running.planning import plan
from attention_ref.lessons.running.preloading import modules_to_preload
from attention_ref.lessons.running.processes import Runner
from attention_ref.lessons.running.recordings import write_recordings
from attention_ref.lessons.running.run import (
    DEFAULT_TIMEOUT,
    Settings,
    record_block,
    run_blocks,
)
from attention_ref.lessons.sources import write_source
from attention_ref.lessons.updating import difference, updated_text
from attention_ref.lessons.verification import BlockResult, CheckResult, PageResult

if TYPE_CHECKING:
    from attention_ref.lessons.comparing import Problem

RECORDING_TIMEOUT = 3600.0


class Lessons:
    """Runs the blocks that the selected tests need, once, page by page."""

    def __init__(self, config: pytest.Config) -> None:
        self.updating = bool(config.getoption("--update-outputs"))
        self.recording = bool(config.getoption("--record"))
        expression = str(config.getoption("markexpr"))
        self.asked_for_gpu = "gpu" in expression and "not gpu" not in expression
        self.recorded: dict[tuple[str, int], list[Problem]] = {}
        # Each xdist worker sees all tests and runs a few: it takes chain by chain.
        self.whole_pages = not hasattr(config, "workerinput")
        self.differences: list[str] = []
        self.runner: Runner | None = None
        self.wanted: dict[str, tuple[Page, set[int]]] = {}
        self.results: dict[tuple[str, int], tuple[PageResult, BlockResult]] = {}

    def want(self, page: Page, subject: Block | Check) -> None:
        """Note that a selected test needs a block."""
        _, blocks = self.wanted.setdefault(page.path, (page, set()))
        blocks.add(block_of(page, subject).index)

    def close(self) -> None:
        """End the processes."""
        if self.runner:
            self.runner.close()

    def judge(self, page: Page, subject: Block | Check) -> str | None:
        """What is wrong with a block or an inline check, or nothing."""
        block = block_of(page, subject)
        if not block.options.runs_in_build:
            return self._judge_recorded(page, block)
        if (page.path, block.index) not in self.results:
            self._run(page, block)
        whole, result = self.results[page.path, block.index]
        judged: BlockResult | CheckResult = result
        if isinstance(subject, Check):
            judged = whole.checks[subject.index]
        problems = judged.problems
        if self.updating:
            _, left = updated_text(whole)
            problems = [problem for problem in problems if problem in left]
        return "\n\n".join(map(str, problems)) or None

    def _judge_recorded(self, page: Page, block: Block) -> str | None:
        if block.options.skip is not None:
            pytest.skip(block.options.skip)
        if self.recording or self.asked_for_gpu:
            return self._record(page, block)
        result = run_blocks(page, [], Settings(), self._warm())
        judged = result.blocks[block.index]
        stale = [problem for problem in result.stale if problem.line == block.line]
        problems = [*judged.problems, *stale]
        if not problems and judged.state == "not run":
            device = "-m gpu " if block.options.gpu else ""
            pytest.skip(f"no recording yet. Make one: pytest docs {device}--record")
        return "\n\n".join(map(str, problems)) or None

    def _record(self, page: Page, block: Block) -> str | None:
        if block.options.gpu and "device" not in describe_machine():
            pytest.skip("no CUDA device")
        key = page.path, block.index
        if key not in self.recorded:
            settings = Settings(timeout=RECORDING_TIMEOUT)
            with Runner(workers=1) as runner:  # alone, with all cores
                recording, self.recorded[key] = record_block(
                    page, block, settings, runner
                )
            if recording and self.recording:
                write_recordings(page, [recording])
        return "\n\n".join(map(str, self.recorded[key])) or None

    def _run(self, page: Page, block: Block) -> None:
        wanted = {block.index, *self.wanted.get(page.path, (page, set()))[1]}
        if not self.whole_pages:
            root = page.chain(block)[0]
            wanted = {i for i in wanted if page.chain(page.blocks[i])[0] == root}
        blocks = [page.blocks[index] for index in sorted(wanted)]
        blocks = [each for each in blocks if each.options.runs_in_build]
        result = run_blocks(page, blocks, Settings(), self._warm())
        for each in blocks:
            self.results[page.path, each.index] = result, result.blocks[each.index]
        if self.updating:
            self._write(result)

    def _warm(self) -> Runner:
        if self.runner is None:
            pages = [page for page, _ in self.wanted.values()]
            jobs = [job for page in pages for job in plan(page, DEFAULT_TIMEOUT)]
            self.runner = Runner(modules_to_preload(jobs))
        return self.runner

    def _write(self, result: PageResult) -> None:
        page = result.page
        text, _ = updated_text(result)
        if text != page.text:
            assert page.file
            write_source(page.file, page, text)
            self.differences.append(difference(page, text))


def block_of(page: Page, subject: Block | Check) -> Block:
    """The block that a test is about, or that its inline check comes after."""
    return subject if isinstance(subject, Block) else page.blocks[subject.block]
