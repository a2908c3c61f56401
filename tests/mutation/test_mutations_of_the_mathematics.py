"""Small changes of the mathematics are noticed by its tests, or it is known why not.

`make proofs` tries every mutant; otherwise some are drawn.
"""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from code_mutants import Code, mutants_of
from grafting import graft
from trials import MUTATED, PROJECT

import attention_ref as ar
from attention_ref import _masks, _softmax

SURVIVORS = {
    (entry["module"], entry["function"], " ".join(entry["line"].split()), becomes)
    for entry in tomllib.loads(
        Path(__file__).with_name("survivors.toml").read_text("utf-8")
    )["survivor"]
    for becomes in entry["becomes"]
    if entry["reason"]
}
IS_PROOF = bool(os.environ.get("PROOFS"))
SAMPLE = 25


def tried(tmp_path, *options):
    """Try mutants in a process of their own, and return what became of each."""
    results = tmp_path / "results.jsonl"
    script = Path(__file__).with_name("trials.py")
    command = [sys.executable, script, *options, "--results", results]
    done = subprocess.run(command, capture_output=True, text=True, cwd=PROJECT)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return [json.loads(line) for line in results.read_text("utf-8").splitlines()]


def names(results, verdict):
    return {tuple(each["name"]) for each in results if each["verdict"] == verdict}


@pytest.mark.skipif(IS_PROOF, reason="all of them are tried")
def test_a_sample_of_mutants_is_killed(tmp_path):
    explained = tmp_path / "explained.json"
    explained.write_text(json.dumps(sorted(SURVIVORS)), "utf-8")

    results = tried(tmp_path, "--most", str(SAMPLE), "--skip", str(explained))

    assert len(results) == SAMPLE
    assert names(results, "survived") == set()


@pytest.mark.slow
@pytest.mark.skipif(not IS_PROOF, reason="a proof of minutes: set PROOFS=1")
def test_every_mutant_is_killed_or_its_survival_explained(tmp_path):
    results = tried(tmp_path)

    assert names(results, "survived") - SURVIVORS == set()
    assert names(results, "killed") & SURVIVORS == set()
    assert len(names(results, "killed")) >= 0.95 * len(results)


def test_every_explained_survivor_is_a_mutant():
    modules = {name for name, *_ in SURVIVORS}
    codes = [Code.read(PROJECT / name, PROJECT) for name in sorted(modules)]
    mutants = {mutant.name for code in codes for mutant in mutants_of(code)}

    assert SURVIVORS - mutants == set()


def changes(text):
    """What each mutant of a text has in place of the whole."""
    code = Code("attention_ref/_sample.py", text)
    return {each.text for each in mutants_of(code) if each.is_readable}


@pytest.mark.parametrize(
    ("text", "mutants"),
    [
        ("a = b + 1", {"a = b - 1", "a = b + 2"}),
        ("a = b < c", {"a = b > c", "a = b <= c"}),
        ("a = b is None", {"a = b is not None"}),
        ("a = not b", {"a = b"}),
        ("a = f(b, c=d)", {"a = f(None, c=d)", "a = f(b, c=None)"}),
        ("f()", {"pass"}),
        ("a = b if c else d", {"a = b if True else d", "a = b if False else d"}),
        ("a = b and True", {"a = b or True", "a = b and False"}),
        ("a = 'b'", {"a = 'not b'"}),
        ("def f(a=1): return a", {"def f(a=2): return a", "def f(a=1): return None"}),
        ("a: int | None = 3", {"a: int | None = 4"}),
        ("def f(a: list[1]) -> 2: return", set()),
        ("import a.b", set()),
        ('"""Says 1."""', set()),
        ("a = f'{b + 1}'", set()),
        ("__all__ = ['a']", set()),
    ],
)
def test_code_changes_in_these_ways(text, mutants):
    assert changes(text) == mutants


def test_a_mutant_says_where_it_is():
    code = Code(
        "attention_ref/_sample.py", "def f(a):\n    return g(\n        a, 1\n    )\n"
    )
    [mutant] = [each for each in mutants_of(code) if each.replacement == "2"]

    assert mutant.name == ("attention_ref/_sample.py", "f", "a, 1", "a, 2")
    assert mutant.lines == range(2, 5)


@pytest.fixture
def restored():
    """Put the modules back as they are on disk."""
    yield
    for path in MUTATED:
        code = Code.read(path, PROJECT)
        graft(code.module, code.text)


def grafted(module, old, new):
    code = Code.read(Path(module.__file__), PROJECT)
    assert code.text.count(old) == 1
    graft(code.module, code.text.replace(old, new))


def test_a_grafted_function_is_seen_by_those_who_imported_it(restored):
    grafted(_softmax, "return sums / xp", "return 2 * sums / xp")

    np.testing.assert_array_equal(ar.softmax(np.zeros(4)), [0.5] * 4)


def test_a_grafted_default_is_used(restored):
    signature = "def softmax(scores: Array, *, axis: int = -1)"
    grafted(_softmax, signature, signature.replace("-1", "0"))

    np.testing.assert_array_equal(ar.softmax(np.zeros((1, 2))), [[1, 1]])


def test_a_grafted_constant_is_seen_by_those_who_imported_it(restored):
    from attention_ref import _conventions, _rotary

    grafted(_rotary, 'LAYOUTS = ("half", "interleaved")', 'LAYOUTS = ("half",)')

    assert _conventions.LAYOUTS == _rotary.LAYOUTS == ("half",)


def test_a_grafted_class_keeps_its_name_and_changes_its_methods(restored):
    from attention_ref import _cache

    cache = ar.KeyValueCache()
    grafted(_cache, "@dataclass(frozen=True)", "@dataclass(frozen=False)")
    cache.left = 3

    assert type(cache) is ar.KeyValueCache


def test_grafting_what_is_there_changes_nothing(restored):
    for path in MUTATED:
        code = Code.read(path, PROJECT)
        before = dict(vars(sys.modules[code.module]))
        graft(code.module, code.text)
        after = vars(sys.modules[code.module])
        assert all(after[name] is value for name, value in before.items())

    assert _masks.causal_mask(2).tolist() == [[True, False], [True, True]]
