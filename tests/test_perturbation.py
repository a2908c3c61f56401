"""The lessons notice when a function of the mathematics is wrong by one per cent."""

import re
import shutil
from collections.abc import Iterator

import pytest
from lesson_copies import LESSONS, PROJECT, Copy, copy_lessons

import attention_ref
from attention_ref.lessons.comparing import Problem
from attention_ref.lessons.pages.page import Block, Page
from attention_ref.lessons.pages.parsing import read_page
from attention_ref.lessons.running.processes import Runner
from attention_ref.lessons.running.run import Settings, run_blocks

# What is appended to a copy of the package: one of its functions is off.
WRONG = '''

def _off(value):
    """A number wrong by one per cent; a mask or an index wrong in one place."""
    if isinstance(value, tuple):
        items = [_off(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if "float" in str(getattr(value, "dtype", "")):
        return value * 1.01
    if getattr(value, "ndim", 0):
        value = value + 0 if "int" in str(value.dtype) else value | False
        value[(0,) * value.ndim] = ~value[(0,) * value.ndim]
    return value


def _perturb(name):
    right = globals()[name]
    globals()[name] = lambda *args, **kwargs: _off(right(*args, **kwargs))


if _name := __import__("os").environ.get("PERTURBED"):
    _perturb(_name)
'''


def lessons() -> list[Page]:
    folder = PROJECT / "docs" / "lessons"
    return [read_page(folder / f"{name}.md", f"{name}.md") for name in LESSONS]


def uses(block: Block, name: str) -> bool:
    """Whether a block calls a function of the package by its name."""
    imported = re.search(rf"from attention_ref import .*\b{name}\b", block.source)
    return bool(imported or re.search(rf"\b(ar|attention_ref)\.{name}\(", block.source))


def blocks_that_use(page: Page, name: str) -> list[Block]:
    """And those that continue them."""
    return [
        block
        for block in page.blocks
        if block.options.runs_in_build
        and any(uses(link, name) for link in page.chain(block))
    ]


FUNCTIONS = [
    name
    for name in attention_ref.__all__
    if not isinstance(getattr(attention_ref, name), type)
    and any(blocks_that_use(page, name) for page in lessons())
]


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A copy of the package of which one function can be made wrong."""
    folder = tmp_path_factory.mktemp("wrong")
    target = folder / "attention_ref"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PROJECT / "attention_ref", target, ignore=ignored)
    with target.joinpath("__init__.py").open("a") as file:
        file.write(WRONG)
    return folder


def problems(name: str, page: Page) -> list[Problem]:
    """What is wrong with the blocks of a page that use a function."""
    wanted = blocks_that_use(page, name)
    with Runner() as runner:
        result = run_blocks(page, wanted, Settings(), runner)
    numbers = {block.index for block in wanted}
    judged = [each for each in result.blocks if each.block.index in numbers]
    checks = [each for each in result.checks if each.check.block in numbers]
    return [problem for each in [*judged, *checks] for problem in each.problems]


def pages_that_use(name: str) -> Iterator[Page]:
    return (page for page in lessons() if blocks_that_use(page, name))


def test_the_lessons_use_the_core_of_the_mathematics():
    assert {"softmax", "attention_weights", "causal_mask"} <= set(FUNCTIONS)
    assert len(FUNCTIONS) > 6


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_that_is_wrong_by_one_per_cent_is_noticed(
    package, monkeypatch, name
):
    monkeypatch.setenv("PYTHONPATH", str(package))
    monkeypatch.setenv("PERTURBED", name)
    assert any(problems(name, page) for page in pages_that_use(name))


def test_the_copy_of_the_package_is_right_as_long_as_nothing_is_wrong(
    package, monkeypatch
):
    monkeypatch.setenv("PYTHONPATH", str(package))
    assert problems("softmax", next(pages_that_use("softmax"))) == []


@pytest.fixture(scope="module")
def copy(package, tmp_path_factory) -> Copy:
    made = copy_lessons(tmp_path_factory.mktemp("lessons"))
    made.environment = {"PYTHONPATH": str(package), "PERTURBED": "attention_weights"}
    return made


@pytest.mark.slow
@pytest.mark.parametrize("door", ["verify", "build", "test"])
def test_a_wrong_function_stops_everything(copy, door):
    done = getattr(copy, door)()
    assert done.returncode == 1
    assert "attention-mechanism.md:" in done.stdout + done.stderr
