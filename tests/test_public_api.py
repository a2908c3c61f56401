"""The public door: what is in it, and that each name is documented."""

import ast
import importlib
import inspect
import itertools
import re
from pathlib import Path

import pytest

import attention_ref

PACKAGE = Path(attention_ref.__file__).parent
NAMES = attention_ref.__all__
PUBLIC = {name: getattr(attention_ref, name) for name in NAMES}
FUNCTIONS = {name: item for name, item in PUBLIC.items() if inspect.isfunction(item)}
METHODS = {
    f"KeyValueCache.{name}": item
    for name, item in vars(attention_ref.KeyValueCache).items()
    if inspect.isfunction(item) and not name.startswith("_")
}
SECTIONS = ["Args", "Returns", "Raises", "Note", "Example", "References"]
# These cannot fail, or have nothing to be shown that their class does not show.
WITHOUT = {"Raises": {"KeyValueCache.next_positions"}, "Example": set(METHODS)}


def headings(item):
    """Return the sections of a docstring, in their order."""
    found = re.findall(r"^(\w+):$", inspect.getdoc(item), flags=re.MULTILINE)
    return [name for name in found if name in SECTIONS]


def test_the_door_opens_to_what_it_lists_and_nothing_else():
    reachable = {
        name
        for name, item in vars(attention_ref).items()
        if not name.startswith("_") and not inspect.ismodule(item)
    }

    assert reachable == set(NAMES)
    assert len(set(NAMES)) == len(NAMES)
    assert len(FUNCTIONS) >= 25


def test_each_name_has_one_public_place():
    private = [
        path.stem
        for path in PACKAGE.iterdir()
        if path.name.startswith("_") and path.stem != "__init__" and path.stem[1] != "_"
    ]

    for name, item in PUBLIC.items():
        module = getattr(item, "__module__", "attention_ref._")
        assert module.split(".")[1] in private, name


@pytest.mark.parametrize("name", FUNCTIONS | METHODS)
def test_a_docstring_has_its_sections_in_their_order(name):
    found = headings((FUNCTIONS | METHODS)[name])

    assert found == [section for section in SECTIONS if section in found]
    for section in ("Args", "Returns", "Raises", "Example"):
        assert section in found or name in WITHOUT.get(section, ()), section


@pytest.mark.parametrize("name", FUNCTIONS | METHODS)
def test_each_argument_is_described(name):
    function = (FUNCTIONS | METHODS)[name]
    arguments = inspect.getdoc(function).split("Args:")[1].split("Returns:")[0]
    described = re.findall(r"^    (\w+): \S", arguments, flags=re.MULTILINE)

    parameters = [p for p in inspect.signature(function).parameters if p != "self"]
    assert described == parameters


@pytest.mark.parametrize("name", FUNCTIONS)
def test_attention_under_a_mask_has_a_note_on_precision_and_empty_rows(name):
    if {"query", "mask"} <= set(inspect.signature(FUNCTIONS[name]).parameters):
        assert "Note" in headings(FUNCTIONS[name])


@pytest.mark.parametrize("name", PUBLIC)
def test_the_first_line_is_short_and_has_no_shape(name):
    item = PUBLIC[name]
    if not callable(item) or isinstance(item, type(tuple[int])):
        pytest.skip("an alias")
    first = inspect.getdoc(item).splitlines()[0]

    assert first.endswith(".")
    assert len(first) < 80
    assert "`(" not in first
    assert not first.startswith(("This", "Get", "Compute"))


@pytest.mark.parametrize("name", FUNCTIONS | METHODS)
def test_no_function_has_more_than_ten_parameters(name):
    signature = inspect.signature((FUNCTIONS | METHODS)[name])

    assert len([p for p in signature.parameters if p != "self"]) <= 10
    for argument, parameter in signature.parameters.items():
        assert argument == "self" or parameter.annotation is not parameter.empty


def test_fields_are_documented_one_by_one():
    for item in PUBLIC.values():
        fields = getattr(item, "_fields", ())
        if not fields:
            continue
        module = importlib.import_module(item.__module__)
        tree = ast.parse(inspect.getsource(module))
        (body,) = [
            node.body
            for node in tree.body
            if isinstance(node, ast.ClassDef) and node.name == item.__name__
        ]
        described = [
            before.target.id
            for before, after in itertools.pairwise(body)
            if isinstance(before, ast.AnnAssign) and isinstance(after, ast.Expr)
        ]
        assert described == list(fields), item


def test_no_module_is_longer_than_250_lines():
    lengths = {
        path.relative_to(PACKAGE).as_posix(): len(path.read_text().splitlines())
        for path in PACKAGE.rglob("*.py")
    }

    assert len(lengths) > 100
    assert "lessons/mkdocs_plugin.py" in lengths
    assert {name: length for name, length in lengths.items() if length > 250} == {}


def test_the_core_fits_on_one_screen():
    """Scores, weights, attention: without docstrings at most 60 lines of code."""
    tree = ast.parse((PACKAGE / "_core.py").read_text())
    steps = ["score_steps", "visible", "masked_scores", "weights_from"]
    steps += ["absorb", "finish"]
    lines = 0
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name in steps:
            lines += len(ast.unparse(node.body[1:]).splitlines()) + 1

    assert 0 < lines <= 60
