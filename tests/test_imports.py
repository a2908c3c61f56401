"""What importing the package costs, and who may import whom."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import attention_ref

PACKAGE = Path(attention_ref.__file__).parent
HEAVY = ["numpy", "torch", "matplotlib", "mkdocs", "sybil", "jax"]


def modules_after(statement):
    """Run a statement in a new interpreter and return what it has imported."""
    program = f"{statement}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def imports_of(path):
    """Return the full names of the modules that a file imports, wherever in it."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
            names.add(str(node.module))
    return names


def mathematics():
    """Return every file of the package but those of the lessons."""
    return [path for path in PACKAGE.rglob("*.py") if "lessons" not in path.parts]


def lessons():
    """Return every file of the lessons' engine."""
    return list((PACKAGE / "lessons").rglob("*.py"))


def test_importing_the_package_imports_nothing_heavy():
    loaded = modules_after("import attention_ref")

    assert "attention_ref._dot_product" in loaded
    assert loaded.isdisjoint(HEAVY)


@pytest.mark.parametrize("name", ["sybil", "numpy"])
def test_the_test_above_would_notice(name):
    """What is imported is found by its name."""
    assert name in modules_after(f"import attention_ref, {name}")


def test_numpys_namespace_is_imported_when_it_is_needed():
    use = "import attention_ref, numpy; attention_ref.softmax(numpy.ones(2))"

    assert "array_api_compat.numpy" in modules_after(use)


def test_the_mathematics_works_where_nothing_else_is_installed():
    """All optional packages are made impossible to import."""
    optional = ["torch", "jax", "matplotlib", "ml_dtypes", "mkdocs", "sybil", "onnx"]
    program = f"""
import sys

class Absent:
    def find_spec(name, path=None, target=None):
        if name.split(".")[0] in {optional}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Absent)
import attention_ref as ar, numpy as np
x = np.ones((2, 3))
ar.scaled_dot_product_attention(x, x, x, causal=True)
"""

    modules_after(program)


def test_the_mathematics_never_imports_lessons():
    assert len(mathematics()) > 20
    for path in mathematics():
        assert not any("lessons" in name for name in imports_of(path)), path


def test_lessons_never_import_the_mathematics():
    own = "attention_ref.lessons"
    assert len(lessons()) > 5
    for path in lessons():
        names = imports_of(path)
        ours = {n for n in names if n.split(".")[0] == "attention_ref"}
        others = {n for n in ours if not n.startswith(own) and n != "attention_ref"}
        others |= {
            n for n in names if n.startswith("attention_ref.") and not n.startswith(own)
        }
        assert others == set(), path


def test_exercises_use_the_public_mathematics_only():
    """They need nothing private of it, and nothing of the lessons."""
    own = "attention_ref.exercises"
    files = list((PACKAGE / "exercises").rglob("*.py"))
    assert len(files) > 10
    for path in files:
        names = {n for n in imports_of(path) if n.startswith("attention_ref.")}
        assert all(name.startswith(own) for name in names), path


def test_the_mathematics_never_imports_the_exercises():
    for path in mathematics():
        if "exercises" not in path.parts:
            assert not any("exercises" in name for name in imports_of(path)), path


def test_imports_are_found_wherever_they_stand(tmp_path):
    """The two tests above see an import inside a function too."""
    path = tmp_path / "sample.py"
    path.write_text("def f():\n    from attention_ref import lessons\n")

    assert imports_of(path) == {"attention_ref", "attention_ref.lessons"}


def test_files_below_the_checks_depend_on_nothing_above_them():
    """Arrays know nothing of the checks, and the checks nothing of attention."""
    below = {"_arrays": set(), "_checks": {"_arrays", "_checks"}}
    for layer, allowed in below.items():
        for path in PACKAGE.glob(f"{layer}*"):
            files = path.rglob("*.py") if path.is_dir() else [path]
            for file in files:
                used = {
                    name.split(".")[1]
                    for name in imports_of(file)
                    if name.startswith("attention_ref.")
                }
                assert used <= allowed, file
