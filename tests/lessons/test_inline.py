import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_ref.lessons.pages.inline import (
    TokenError,
    matches,
    plain,
    rendered,
    token_before,
)


def refused(function, *arguments) -> str:
    with pytest.raises(TokenError) as caught:
        function(*arguments)
    return str(caught.value)


# What is the token?


@pytest.mark.parametrize(
    ("line", "token"),
    [
        ("The weight is 0.401", "0.401"),
        ("The weight is .5", ".5"),
        ("It falls to -3", "-3"),
        ("It falls to −3.5", "−3.5"),
        ("It grows by +2", "+2"),
        ("About ≈0.4", "0.4"),
        ("It is (0.4", "0.4"),
        ("x=0.4", "0.4"),
        ("All 1,024", "1,024"),
        ("All 12,345,678.9", "12,345,678.9"),
        ("About 1.5e-4", "1.5e-4"),
        ("About 2E+10", "2E+10"),
        ("About 44%", "44%"),
        ("About 44 %", "44 %"),
        ("About 44\u00a0%", "44\u00a0%"),
        ("About −4.5\u202f%", "−4.5\u202f%"),
        ("It is ∞", "∞"),
        ("It is -inf", "-inf"),
        ("It is nan", "nan"),
        ("The shape is (2, 3)", "(2, 3)"),
        ("The shape is (2, (3, 4))", "(2, (3, 4))"),
        ("The row is [0.2 , -1]", "[0.2 , -1]"),
        ("See f(x) (2, 3)", "(2, 3)"),
        ("The answer is yes", "yes"),
        ("All “seven", "seven"),
        ("There are twelve", "twelve"),
        ("It is `0.5`", "`0.5`"),
        ("`a` is ``b`c``", "``b`c``"),
        ("It is **0.5**", "**0.5**"),
        ("It is **three keys**", "**three keys**"),
        ("It is __0.5__", "__0.5__"),
        ("It is *0.5*", "*0.5*"),
        ("**Bold** and 0.5", "0.5"),
    ],
)
def test_the_token_is_what_touches_the_comment(line, token):
    assert token_before(line) == token


@pytest.mark.parametrize(
    ("line", "token"),
    [("x2", "x2"), ("3-5", "3-5"), ("1,2345", "1,2345"), ("0.401.", "0.401.")],
)
def test_a_number_glued_to_something_is_a_word(line, token):
    assert token_before(line) == token


@pytest.mark.parametrize("line", ["", "0.5 ", "0.5\u00a0"])
def test_a_comment_that_touches_nothing_is_refused(line):
    assert refused(token_before, line) == (
        "a comment must touch the number or word that it is about, got a space before "
        "it. Take the space away"
    )


def test_a_formula_is_refused():
    assert refused(token_before, "It is $0.5$") == (
        "a formula cannot be checked. Check a number beside it"
    )


def test_a_bracket_must_be_opened():
    assert refused(token_before, "2, 3)") == (
        "the bracket ) must be opened in the same line"
    )


@pytest.mark.parametrize("token", ["[1, 2)", "(1, 2]", "`[1, 2)`"])
def test_a_tuple_must_close_with_the_bracket_that_opens_it(token):
    assert refused(rendered, token, (1, 2)) == (
        f"{plain(token)!r} must close with the bracket that opens it"
    )


def test_a_tuple_in_a_list_must_close_with_its_own_bracket():
    assert refused(rendered, "[(1, 2], 3]", ((1, 2), 3)) == (
        "'(1, 2]' must close with the bracket that opens it"
    )


@pytest.mark.parametrize("token", ["`0.5`", "``0.5``", "**0.5**", "__0.5__", "*0.5*"])
def test_markup_does_not_count(token):
    assert plain(token) == "0.5"


def test_dunder_names_in_code_are_kept():
    assert plain("`__name__`") == "__name__"


# Does it say what the value is?


@pytest.mark.parametrize(
    ("token", "value"),
    [
        ("0.401", 0.40146),
        ("0.40", 0.40146),
        (".40", 0.40146),
        ("1", 0.9),
        ("3", 3),
        ("-3", -3),
        ("−3.5", -3.46),
        ("+2", 2),
        ("2", 2),
        ("0", -0.4),
        ("0.00", -0.004),
        ("1,024", 1024),
        ("1024", 1024),
        ("1,234.5", 1234.46),
        ("9007199254740993", 9007199254740993),
        ("1e-4", 0.0001),
        ("1.5e-04", 0.000152),
        ("1.5e-4", 0.000152),
        ("1.5E−4", 0.000152),
        ("2e+10", 2e10),
        ("2e10", 2e10),
        ("-2.5e3", -2500),
        ("44 %", 0.4375),
        ("44%", 0.4375),
        ("−4.5 %", -0.045),
        ("+150 %", 1.5),
        ("∞", math.inf),
        ("−∞", -math.inf),
        ("inf", math.inf),
        ("-inf", -math.inf),
        ("nan", math.nan),
        ("seven", 7),
        ("Seven", 7.0),
        ("zero", 0),
        ("yes", "yes"),
        ("True", True),
        ("None", None),
        ("`float32`", "float32"),
        ("**0.5**", 0.5),
        ("(2, 3)", (2, 3)),
        ("(5,)", (5,)),
        ("()", ()),
        ("`(2, 3)`", (2, 3)),
        ("[0.2,  -1]", (0.2, -1)),
        ("(2, (3, 4.50))", (2, (3, 4.5))),
        ("(2, 3", "(2, 3"),
    ],
)
def test_a_true_token_matches(token, value):
    assert matches(token, value)


@pytest.mark.parametrize(
    ("token", "value", "right"),
    [
        ("0.402", 0.40146, "0.401"),
        ("-0.0", 0.0, "0.0"),
        ("3", -3, "−3"),
        ("-3", 3, "3"),
        ("+3", 3.0, "+3"),
        ("+0", 0, "0"),
        ("1,025", 1024, "1,024"),
        ("44 %", 44, "4400 %"),
        ("1e-5", 0.0001, "1e-4"),
        ("1.4e-04", 0.00015, "1.5e-04"),
        ("1e-4", 0.0, "0e0"),
        ("seven", 8, "eight"),
        ("Seven", 8, "Eight"),
        ("inf", -math.inf, "−inf"),
        ("1", math.inf, "inf"),
        ("1", math.nan, "nan"),
        ("no", "yes", "yes"),
        ("true", True, "True"),
        ("1", True, "True"),
        ("(2, 3)", (2, 4), "(2, 4)"),
        ("[0.2,  -1]", (0.25, 1), "[0.2,  1]"),
        ("9007199254740992", 9007199254740993, "9007199254740993"),
        ("1", 10**400, "1" + "0" * 400),
    ],
)
def test_the_right_token_keeps_the_form_of_the_wrong_one(token, value, right):
    assert rendered(token, value) == right


@pytest.mark.parametrize(
    ("token", "value", "problem"),
    [
        ("weight", 0.5, "'weight' is not a number, and the expression gives 0.5"),
        ("0.5.", 0.5, "'0.5.' is not a number, and the expression gives 0.5"),
        ("seven", 7.5, "'seven' is a number in words, and the value is 7.5"),
        ("seven", 13, "'seven' is a number in words, and the value is 13"),
        ("2", (2, 3), "'2' is no tuple, and the expression gives (2, 3)"),
        ("(2)", (2, 3), "'(2)' has 1 items, and the expression gives (2, 3)"),
        ("(2, 3)", 2, "'(2, 3)' is not a number, and the expression gives 2"),
    ],
)
def test_a_token_of_another_kind_is_refused(token, value, problem):
    assert refused(matches, token, value) == problem


# For any number

FORMS = ["{}", "**{}**", "`{}`", "+{}", "-{}", "−{}", "{} %", "{}%"]


@st.composite
def numbers_as_shown(draw) -> tuple[str, float]:
    """A token whose digits are yet to be put right, and a value."""
    digits = draw(st.integers(0, 9))
    body = "0" + ("." + "0" * digits if digits else "")
    body = draw(st.sampled_from([body, "1,00" + body, body + "e-05", body + "E+7"]))
    form = draw(st.sampled_from(FORMS))
    value = draw(
        st.one_of(
            st.integers(-(10**20), 10**20),
            st.floats(-1e12, 1e12),
            st.floats(-1, 1),
        )
    )
    return form.format(body), value


def in_place(token: str, value: float) -> str:
    """The token with the right digits, its markup kept."""
    return token.replace(plain(token), rendered(token, value))


@given(numbers_as_shown())
def test_the_rendered_text_matches(number):
    token, value = number
    assert matches(in_place(token, value), value)


@given(numbers_as_shown())
def test_the_rendered_text_is_one_token(number):
    right = in_place(*number)
    assert token_before(f"It is {right}") == right


@given(numbers_as_shown(), st.data())
def test_any_changed_digit_is_noticed(number, data):
    token, value = number
    right = in_place(token, value)
    places = [match.start() for match in re.finditer(r"\d", right)]
    place = data.draw(st.sampled_from(places))
    others = [digit for digit in "0123456789" if digit != right[place]]
    wrong = right[:place] + data.draw(st.sampled_from(others)) + right[place + 1 :]
    assert not matches(wrong, value)


@given(numbers_as_shown())
def test_a_changed_sign_is_noticed(number):
    token, value = number
    right = in_place(token, value)
    text = plain(right)
    if re.search("[1-9]", re.split("[eE]", text)[0]):
        flipped = text.lstrip("+-−") if text[0] in "-−" else f"-{text.lstrip('+')}"
        assert not matches(flipped, value)


@given(st.floats(-1e6, 1e6), st.integers(0, 12))
def test_digits_are_those_that_python_prints(value, digits):
    token = f"{abs(value):.{digits}f}"
    right = f"{value:.{digits}f}"
    expected = right.lstrip("-") if float(right) == 0 else right.replace("-", "−")
    assert rendered(token, value) == expected


@given(st.lists(st.floats(-1e3, 1e3), max_size=5), st.integers(0, 4))
def test_a_printed_list_matches(values, digits):
    text = f"[{', '.join(f'{value + 0.0:.{digits}f}' for value in values)}]"
    text = re.sub(r"-(0(\.0*)?)(?=[,\]])", r"\1", text)
    assert matches(text, tuple(values))
