"""What the build finds out about blocks: which Python prints what the page prints."""

from __future__ import annotations

import pytest
from test_hooks import hook

from attention_ref.lessons.mathematics import katex

run_here = hook("run_here")
PROJECT = run_here.Path(__file__).parents[2]
Trial = run_here.Trial

BOTH = Trial("import math\nprint(round(math.pi, 4))", "3.1416\n")
VERDICTS = {
    BOTH: ["micropython", "pyodide"],
    Trial("x = 1", ""): ["micropython", "pyodide"],
    Trial("print('a \\n\\nb  ')", "a\n\nb\n"): ["micropython", "pyodide"],
    Trial("print(0.1 + 0.2)", "0.3\n"): [],
    Trial("import dataclasses\nprint('é')", "é\n"): ["pyodide"],
    Trial("print(5e-324)", "5e-324\n"): ["pyodide"],
    Trial("print(1)\n1 / 0", "1\nZeroDivisionError: in other words\n"): ["pyodide"],
    Trial("print(1)\n1 / 0", "2\nZeroDivisionError: in other words\n"): [],
    Trial("1 / 0", "ValueError: division by zero\n"): [],
    Trial("1 / 0", ""): [],
    Trial("import numpy", ""): [],
    Trial("print(x)", "NameError: name 'x' is not defined\n"): ["pyodide"],
}


@pytest.fixture(scope="module")
def packages():
    modules = katex.install(PROJECT, PROJECT / ".cache").parent
    return {name: modules / package for name, package in run_here.PACKAGES.items()}


def test_each_block_is_tried_in_both_and_only_once(packages, tmp_path, monkeypatch):
    cache = tmp_path / "run-here.json"
    assert run_here.judge(list(VERDICTS), packages, cache) == VERDICTS

    monkeypatch.setattr(run_here, "node", lambda *_, **__: pytest.fail("tried again"))
    assert run_here.judge([BOTH], packages, cache) == {BOTH: VERDICTS[BOTH]}


def test_damaged_cache_counts_as_none(packages, tmp_path, monkeypatch):
    cache = tmp_path / "run-here.json"
    cache.write_text("{")
    monkeypatch.setattr(run_here, "_tried", lambda *_: [["pyodide"]])

    assert run_here.judge([BOTH], packages, cache) == {BOTH: ["pyodide"]}
