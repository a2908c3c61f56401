from textwrap import dedent, indent

import pytest


@pytest.fixture
def outcome(verify):
    """Run one block, and see what it did."""

    def run(code: str, **settings: float):
        [block] = verify(f"```python\n{dedent(code).lstrip()}```\n", **settings).blocks
        return block.outcome

    return run


@pytest.fixture
def answer(verify):
    """The value of an inline check."""

    def run(expression: str, code: str = "x = 1"):
        text = f"```python\n{code}\n```\n\nvalue<!-- = {expression} -->\n"
        return verify(text).checks[0].value

    return run


# What a block prints


def test_printed_text_is_kept_as_it_is(outcome):
    assert outcome("print(' a ', end='')\nprint('é\\n')\n").printed == " a é\n\n"


def test_text_printed_by_an_imported_function_counts(outcome):
    assert outcome("import pprint\npprint.pprint([1])\n").printed == "[1]\n"


def test_text_printed_while_importing_counts(outcome):
    assert outcome("import this\n").printed.startswith("The Zen of Python")


def test_text_written_to_standard_output_counts(outcome):
    code = """
        import sys
        print(1)
        sys.stdout.write("2\\n")
        sys.stdout.buffer.write(b"3\\n")
    """
    assert outcome(code).printed == "1\n2\n3\n"


def test_text_written_to_standard_error_does_not_count(outcome):
    result = outcome("import sys\nprint('!', file=sys.stderr)\n")
    assert (result.printed, result.complained) == ("", "!\n")


def test_text_printed_before_a_failure_is_kept(outcome):
    result = outcome("print(1)\n1 / 0\n")
    assert (result.printed, result.failure.kind) == ("1\n", "ZeroDivisionError")


# How a block fails


def test_a_failure_has_type_message_and_place(outcome):
    failure = outcome("x = 1\nx / 0\n").failure
    assert str(failure) == "ZeroDivisionError: division by zero"
    assert failure.line == 2


def test_the_traceback_shows_the_pages_lines(verify):
    text = "# Title\n\n```python\ndef f(x):\n    return 1 / x\n\n\nf(0)\n```\n"
    failure = verify(text).blocks[0].outcome.failure
    assert failure.traceback.startswith(
        "Traceback (most recent call last):\n"
        '  File "page.md", line 8, in <module>\n'
        "    f(0)\n"
        '  File "page.md", line 5, in f\n'
        "    return 1 / x\n"
    )
    assert "execution.py" not in failure.traceback


def test_the_line_of_a_failure_is_the_pages_own(outcome):
    """Not that of the library in which it arose."""
    assert outcome("import json\n\njson.loads('{')\n").failure.line == 3


def test_a_syntax_error_has_its_line(outcome):
    failure = outcome("x = 1\ny = = 2\n").failure
    assert (str(failure), failure.line) == ("SyntaxError: invalid syntax", 2)


@pytest.mark.parametrize(
    ("code", "failure"),
    [
        ("import sys\nsys.exit(3)", "SystemExit: 3"),
        ("raise SystemExit", "SystemExit"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("assert 1 == 2", "AssertionError"),
    ],
)
def test_whatever_ends_a_block_is_its_failure(outcome, code, failure):
    assert str(outcome(f"{code}\n").failure) == failure


def test_a_block_in_a_list_has_the_lines_of_the_page(problems):
    code = "x = 1\n1 / 0\n"
    text = f"- Item\n\n{indent(f'```python{chr(10)}{code}```', '    ')}\n"
    [problem] = problems(text)
    assert problem.startswith("page.md:5: ZeroDivisionError: division by zero\n")


# What a block finds


def test_a_block_finds_the_namespace_of_a_script(outcome):
    code = "print(__name__, sorted(n for n in dir() if n[:2] != '__'))\n"
    assert outcome(code).printed == "__main__ []\n"


def test_source_code_can_be_inspected(outcome):
    code = "import inspect\n\n\ndef f():\n    pass\n\n\nprint(inspect.getsource(f))\n"
    assert outcome(code).printed == "def f():\n    pass\n\n"


def test_classes_of_a_block_can_be_pickled(outcome):
    code = """
        import pickle


        class A:
            pass


        print(type(pickle.loads(pickle.dumps(A()))).__name__)
    """
    assert outcome(code).printed == "A\n"


def test_future_imports_of_the_engine_do_not_reach_a_block(outcome):
    code = "def f(x: int): ...\n\n\nprint(f.__annotations__)\n"
    assert outcome(code).printed == "{'x': <class 'int'>}\n"


# Warnings


def test_a_warning_is_noted_with_its_line(outcome):
    [warned] = outcome("import warnings\nwarnings.warn('careful')\n").warned
    assert (str(warned), warned.line) == ("UserWarning: careful", 2)


def test_each_warning_is_noted_however_often_it_comes(outcome):
    code = "import warnings\nfor _ in range(3):\n    warnings.warn('again')\n"
    assert len(outcome(code).warned) == 3


def test_deprecation_is_noted_where_a_reader_would_see_it(outcome):
    code = """
        import warnings
        warnings.warn("mine", DeprecationWarning)
        warnings.warn_explicit("theirs", DeprecationWarning, "library.py", 1)
    """
    assert [str(each) for each in outcome(code).warned] == ["DeprecationWarning: mine"]


# Inline checks


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("x", 1),
        ("x / 2", 0.5),
        ("'a' + 'b'", "ab"),
        ("None", None),
        ("x == 1", True),
        ("[x, (2, 3)]", (1, (2, 3))),
        ("__import__('fractions').Fraction(1, 4)", 0.25),
        ("[x + i for i in range(2)]", (1, 2)),
        ("np.float32(0.5)", 0.5),
        ("np.arange(3)", (0, 1, 2)),
        ("np.ones((2, 3)).shape", (2, 3)),
        ("np.bool_(True)", True),
    ],
)
def test_an_expression_gives_plain_data(answer, expression, value):
    result = answer(expression, "import numpy as np\n\nx = 1")
    assert (result, type(result)) == (value, type(value))


@pytest.mark.parametrize("expression", ["torch.tensor(0.5)", "torch.tensor([0.5])[0]"])
def test_an_expression_may_give_a_tensor(answer, expression):
    assert answer(expression, "import torch") == 0.5


@pytest.mark.parametrize(
    ("expression", "failure"),
    [
        ("y", "NameError: name 'y' is not defined"),
        ("x +", "SyntaxError: invalid syntax (page.md, line 5)"),
        ("exit(3)", "SystemExit: 3"),
    ],
)
def test_an_expression_that_fails_says_why(answer, expression, failure):
    assert str(answer(expression)) == failure


def test_an_expression_must_give_plain_data(answer):
    assert str(answer("object()")) == (
        "TypeError: an inline check must give a number, a text, a truth value or a "
        "tuple, got object"
    )


def test_an_expression_is_evaluated_before_the_next_block_runs(verify):
    text = """
        ```python
        x = [1]
        ```

        1<!-- = len(x) -->

        ```python {.continues}
        x.append(2)
        ```

        2<!-- = len(x) -->
    """
    assert [check.value for check in verify(text).checks] == [1, 2]


def test_an_expression_is_evaluated_after_an_expected_exception(verify):
    text = """
        ```python {raises="ZeroDivisionError"}
        x = 1
        x / 0
        ```

        ```output
        ZeroDivisionError: division by zero
        ```

        1<!-- = x -->
    """
    assert verify(text).problems == []


# Nothing leaks

LEAKS = {
    "namespace": ("x = 1", "'x' in globals()"),
    "random numbers": (
        "import random; random.seed(1)",
        "__import__('random').random() == 0.13436424411240122",
    ),
    "NumPy's random numbers": (
        "import numpy as np; np.random.seed(1)",
        "np.random.rand() == 0.417022004702574",
    ),
    "torch's random numbers": (
        "import torch; torch.manual_seed(7)",
        "torch.initial_seed()",
    ),
    "print options": (
        "import numpy as np; np.set_printoptions(precision=2)",
        "np.array([1 / 3])",
    ),
    "error state": (
        "import numpy as np; np.seterr(all='raise')",
        "np.geterr()",
    ),
    "default dtype": (
        "import torch; torch.set_default_dtype(torch.float64)",
        "torch.get_default_dtype()",
    ),
    "threads": (
        "import torch; torch.set_num_threads(7)",
        "torch.get_num_threads()",
    ),
    "figure settings": (
        "import matplotlib; matplotlib.rcParams['lines.linewidth'] = 7",
        "plt.rcParams['lines.linewidth']",
    ),
    "environment": (
        "import os; os.environ['HOME'] = 'changed'",
        "os.environ.get('HOME')",
    ),
    "working directory": (
        "import os; os.chdir('/')",
        "os.getcwd() == '/'",
    ),
    "files": ("open('file', 'w').close()", "os.listdir()"),
    "modules": ("import sys; sys.modules['json'] = None", "__import__('json')"),
    "built-in names": (
        "import builtins; builtins.answer = 42",
        "hasattr(__import__('builtins'), 'answer')",
    ),
    "import path": ("import sys; sys.path.insert(0, '/')", "sys.path[0]"),
    "recursion limit": (
        "import sys; sys.setrecursionlimit(50_000)",
        "sys.getrecursionlimit()",
    ),
    "warning filters": (
        "import warnings; warnings.simplefilter('ignore')",
        "warnings.filters[0]",
    ),
}
IMPORTS = (
    "import os\nimport sys\nimport warnings\nimport numpy as np\n"
    "import matplotlib.pyplot as plt\nimport torch\n"
)


@pytest.mark.parametrize("leak", LEAKS)
def test_nothing_leaks_from_block_to_block(verify, leak):
    change, probe = LEAKS[leak]
    looking = f"{IMPORTS}print({probe})"
    text = (
        f"```python\n{looking}\n```\n\n"
        f"```python\n{change}\n```\n\n"
        f"```python\n{looking}\n```\n\n"
        f"```python\n{change}\n{looking}\n```\n"
    )
    before, _, after, within = (block.outcome for block in verify(text).blocks)
    assert before.failure is None
    assert after.printed == before.printed
    assert within.failure or within.printed != before.printed


def test_open_figures_do_not_leak_within_a_chain_either(verify):
    text = """
        ```python {figure="Nothing"}
        import matplotlib.pyplot as plt

        plt.plot([1])
        ```

        ```python {.continues}
        print(plt.get_fignums())
        ```

        ```output
        []
        ```
    """
    assert verify(text).problems == []


def test_files_stay_in_a_folder_that_vanishes(outcome, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = outcome("import os\nopen('file', 'w').close()\nprint(os.getcwd())\n")
    folder = result.printed.strip()
    assert list(tmp_path.iterdir()) == []
    assert folder not in ("", str(tmp_path))
    assert not tmp_path.joinpath(folder).exists()
