from textwrap import dedent

import pytest

from attention_ref.lessons.comparing import compare_block
from attention_ref.lessons.pages.parsing import parse_page
from attention_ref.lessons.running.jobs import Outcome

UPDATE = "run: attention-ref update page.md"


@pytest.fixture
def state(verify):
    def run(text: str) -> list[str]:
        return [block.state for block in verify(text).blocks]

    return run


# Outputs


def printing(code: str, output: str | None, options: str = "", approx: str = "") -> str:
    fence = "" if output is None else f"\n```output{approx}\n{output}```\n"
    return f"```python{options}\n{dedent(code)}\n```\n{fence}"


@pytest.mark.parametrize(
    ("code", "output"),
    [
        ("print(1)", "1\n"),
        ("print('a\\n\\nb')", "a\n\nb\n"),
        ("print(' 1  ')", " 1\n"),
        ("print('1\\n\\n')", "1\n"),
        ("print(1, end='')", "1\n"),
        ("print('é → ∞')", "é → ∞\n"),
    ],
)
def test_an_output_is_true_but_for_trailing_blanks(problems, code, output):
    assert problems(printing(code, output)) == []


def test_a_wrong_output_is_shown_against_the_right_one(problems):
    text = "# Title\n\n" + printing("print(1)\nprint(0.25)", "1\n0.26\n")
    assert problems(text) == [
        (
            "page.md:8: output differs from what the page says. "
            f"If the new output is right, {UPDATE}\n"
            "--- expected\n+++ actual\n@@ -1,2 +1,2 @@\n 1\n-0.26\n+0.25"
        )
    ]


@pytest.mark.parametrize("output", [" 1\n", "1\n1\n", "\n1\n", "1.\n"])
def test_an_output_is_compared_exactly(problems, output):
    [problem] = problems(printing("print(1)", output))
    assert problem.startswith("page.md:5: output differs")


def test_a_block_that_prints_needs_an_output_fence(problems):
    assert problems(printing("print(1)", None)) == [
        (
            "page.md:1: the block prints, and has no output fence. "
            f"If the new output is right, {UPDATE}\n"
            "--- expected\n+++ actual\n@@ -0,0 +1 @@\n+1"
        )
    ]


@pytest.mark.parametrize("output", ["1\n", "", "\n"])
def test_a_block_that_prints_nothing_must_have_no_output_fence(problems, output):
    assert problems(printing("x = 1", output)) == [
        "page.md:5: the block prints nothing, so its output fence must go"
    ]


def test_a_tolerance_compares_the_numbers_and_all_else_exactly(problems):
    code = "print('loss 0.1234, [1.5e-05]')"
    tolerance = ' {approx="4e-8"}'
    good = printing(code, "loss 0.1234, [1.5e-05]\n", approx=tolerance)
    assert problems(good) == []


@pytest.mark.parametrize(
    ("output", "right"),
    [
        ("loss 0.124\n", True),
        ("loss 0.125\n", False),
        ("loss 0.123\n", False),
        ("Loss 0.124\n", False),
        ("loss 0.124 0.124\n", False),
        ("loss  0.124\n", False),
        ("loss -0.124\n", False),
    ],
)
def test_a_tolerance_hides_no_wrong_digit(problems, output, right):
    text = printing("print('loss 0.1236')", output, approx=' {approx="4.9e-4"}')
    assert (problems(text) == []) is right


# Exceptions


def test_an_exception_fails_the_block_in_its_line(problems):
    [problem] = problems("```python\nx = 1\nprint('so far')\nx / 0\n```\n")
    assert problem == (
        "page.md:4: ZeroDivisionError: division by zero\n"
        "Traceback (most recent call last):\n"
        '  File "page.md", line 4, in <module>\n'
        "    x / 0\n"
        "    ~~^~~\n"
        "ZeroDivisionError: division by zero\n"
        "printed before:\n"
        "so far"
    )


def test_what_a_failed_block_wrote_to_standard_error_is_shown(problems):
    code = "import sys\nprint('hint', file=sys.stderr)\nsys.exit(1)"
    [problem] = problems(printing(code, None))
    assert problem.endswith("written to standard error:\nhint")


RAISES = ' {raises="ValueError"}'


def test_an_expected_exception_is_part_of_the_output(problems):
    text = printing("print(1)\nraise ValueError('no')", "1\nValueError: no\n", RAISES)
    assert problems(text) == []


def test_an_expected_exception_needs_no_line_end_before_it(problems):
    text = printing("print(1, end='')\nraise ValueError", "1\nValueError\n", RAISES)
    assert problems(text) == []


def test_another_message_of_an_expected_exception_is_a_wrong_output(problems):
    text = printing("raise ValueError('yes')", "ValueError: no\n", RAISES)
    [problem] = problems(text)
    assert problem.endswith("-ValueError: no\n+ValueError: yes")


def test_an_expected_exception_must_come(problems):
    assert problems(printing("x = 1", None, RAISES)) == [
        "page.md:1: must raise ValueError, and raised nothing"
    ]


def test_another_exception_than_the_expected_one_fails(problems):
    [problem] = problems(printing("raise TypeError('no')", None, RAISES))
    assert problem.startswith("page.md:2: TypeError: no, and must raise ValueError\n")


def test_a_subclass_is_another_exception(problems):
    [problem] = problems(printing("raise UnicodeError('no')", None, RAISES))
    assert "UnicodeError: no, and must raise ValueError" in problem


def test_a_chain_goes_on_after_an_expected_exception(problems):
    raising = RAISES.replace("{", "{.continues ")
    text = "\n".join(
        [
            printing("x = 1", None),
            printing("x = 2\nraise ValueError", "ValueError\n", raising),
            printing("print(x)", "1\n", " {.continues}"),
        ]
    )
    assert problems(text) == []


# Warnings


def test_a_warning_fails_the_block_in_its_line(problems):
    code = "import warnings\nwarnings.warn('careful')"
    assert problems(printing(code, None)) == [
        (
            "page.md:3: warns UserWarning: careful. "
            'Mend it, or expect it with warns="UserWarning"'
        )
    ]


def test_an_expected_warning_passes(problems):
    code = "import warnings\nwarnings.warn('careful')"
    assert problems(printing(code, None, ' {warns="UserWarning"}')) == []


def test_an_expected_warning_must_come(problems):
    assert problems(printing("x = 1", None, ' {warns="UserWarning"}')) == [
        "page.md:1: must warn UserWarning, and did not"
    ]


def test_another_warning_than_the_expected_one_fails(problems):
    code = (
        "import warnings\nwarnings.warn('careful')\n"
        "warnings.warn('slow', RuntimeWarning)"
    )
    assert problems(printing(code, None, ' {warns="UserWarning"}')) == [
        (
            "page.md:4: warns RuntimeWarning: slow. "
            'Mend it, or expect it with warns="RuntimeWarning"'
        )
    ]


# Figures

DRAW = "import matplotlib.pyplot as plt\n\nplt.plot([1, 2])\n"


def test_a_figure_with_a_text_alternative_passes(problems):
    assert problems(printing(DRAW, None, ' {figure="A line"}')) == []


def test_a_figure_without_a_text_alternative_fails(problems):
    assert problems(printing(DRAW, None)) == [
        (
            "page.md:1: the block draws a figure without a text alternative. "
            'Give it figure="what the figure shows"'
        )
    ]


@pytest.mark.parametrize(
    ("code", "drawn"), [("x = 1", 0), (f"{DRAW}plt.figure()\nplt.plot([1])\n", 2)]
)
def test_a_block_with_a_text_alternative_draws_one_figure(problems, code, drawn):
    assert problems(printing(code, None, ' {figure="A line"}')) == [
        f"page.md:1: a block with figure=… must draw one figure, got {drawn}"
    ]


# Inline checks


def checked(token: str, expression: str = "x") -> str:
    return f"```python\nx = 0.40146\n```\n\nIt is {token}<!-- = {expression} -->.\n"


def test_a_true_check_passes(verify):
    result = verify(checked("0.401"))
    assert result.problems == []
    assert (result.checks[0].state, result.checks[0].value) == ("verified", 0.40146)


def test_a_wrong_check_names_line_value_and_right_digits(problems):
    assert problems(checked("0.402")) == [
        (
            "page.md:5: the page says 0.402, and x = 0.40146, "
            "which is 0.401 at the digits shown. "
            f"If that is right, write it, or {UPDATE}"
        )
    ]


def test_a_wrong_expression_names_line_and_failure(problems):
    assert problems(checked("0.401", "y")) == [
        "page.md:5: the check of 0.401 (= y) failed: NameError: name 'y' is not defined"
    ]


def test_a_check_of_another_kind_says_so(problems):
    assert problems(checked("much")) == [
        (
            "page.md:5: the check of much (= x) cannot be compared: "
            "'much' is not a number, and the expression gives 0.40146"
        )
    ]


def test_a_check_below_a_failed_block_is_not_checked(problems):
    text = checked("0.401").replace("0.40146", "0.40146 / 0")
    assert problems(text)[1] == (
        "page.md:5: not checked, because the block in line 1 failed"
    )


# States


@pytest.mark.parametrize(
    ("options", "state_of_it"),
    [
        ("", "verified"),
        (' {skip="no"}', "skipped"),
        (" {.gpu}", "not run"),
        (' {recorded="slow"}', "not run"),
        (' {raises="ValueError"}', "failed"),
    ],
)
def test_each_block_has_a_state(state, options, state_of_it):
    assert state(printing("x = 1", None, options)) == [state_of_it]


def test_problems_stand_in_the_order_of_the_page(problems):
    text = checked("0.402") + "\n" + printing("x = 1 / 0", None)
    lines = [int(problem.split(":")[1]) for problem in problems(text)]
    assert lines == [5, 8]


def test_a_block_can_be_compared_without_running_anything():
    page = parse_page(printing("print(1)", "1\n"), "page.md")
    [block] = page.blocks
    assert list(compare_block(page, block, Outcome(0, "1\n"))) == []
    assert len(list(compare_block(page, block, Outcome(0, "2\n")))) == 1
