"""Numbers and words in the prose that are computed: read a token, compare it, word it.

The grammar: what touches the comment is the token. It is a code span, emphasised text,
a tuple or list in brackets, a number (sign, thousands, decimals, exponent, per cent)
or a single word. A number is compared at the digits that it shows.
"""

import re
from decimal import Decimal
from typing import Any

_NUMBER = re.compile(
    r"(?P<sign>[+\-−]?)(?P<digits>(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+|∞|inf|nan)"
    r"(?P<exponent>[eE][+\-−]?\d+)?(?P<percent>[ \u00a0\u202f]?%)?"
)
_AT_END = re.compile(
    r"(?:"
    r"(?<!`)(?P<ticks>`+)(?!`)(?:(?!(?P=ticks)).)+(?P=ticks)"  # a code span
    r"|\*\*[^*\n]+\*\*|__[^_\n]+__|\*[^*\n]+\*"  # emphasised text
    r")$"
)
_SMALL_NUMBERS = (
    *("zero", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_CLOSING = {")": "(", "]": "["}
# What may stand before a word without belonging to it.
_BEFORE_A_WORD = "([{“‘\"'|>~≈=<"


class TokenError(ValueError):
    """A token that cannot be read or compared: what, and what would be right."""


def token_before(text: str) -> str:
    """Find the token that ends where `text` ends.

    Args:
        text: The line up to the comment.

    Returns:
        The token, with its markup.

    Raises:
        TokenError: If nothing touches the comment, or a formula does.
    """
    if not text or text[-1].isspace():
        raise TokenError(
            "a comment must touch the number or word that it is about, got a space "
            "before it. Take the space away"
        )
    if text[-1] == "$":
        raise TokenError("a formula cannot be checked. Check a number beside it")
    if match := _AT_END.search(text):
        return match[0]
    if text[-1] in _CLOSING:
        return _bracketed(text)
    number = re.search(_NUMBER.pattern + r"$", text)
    if number and not re.search(r"[\w.,]$", text[: number.start()]):
        return number[0]
    word = re.split(r"\s", text)[-1]
    return word.lstrip(_BEFORE_A_WORD) or word


def _bracketed(text: str) -> str:
    depth = 0
    for position in range(len(text) - 1, -1, -1):
        depth += (text[position] in ")]") - (text[position] in "([")
        if depth == 0:
            return text[position:]
    raise TokenError(f"the bracket {text[-1]} must be opened in the same line")


def plain(token: str) -> str:
    """The token without its Markdown markup."""
    for mark in ("**", "__", "*"):
        if (
            token.startswith(mark)
            and token.endswith(mark)
            and len(token) > 2 * len(mark)
        ):
            token = token[len(mark) : -len(mark)]
    if token.startswith("`"):
        token = token.strip("`").strip()
    return token


def matches(token: str, value: Any) -> bool:
    """Whether the token says what the value is, at the digits that the token shows.

    Args:
        token: The token as it stands in the page.
        value: A number, a text, a truth value, `None`, or nested lists of those.

    Returns:
        Whether they agree.

    Raises:
        TokenError: If the two are of different kinds, so that no digits would help.
    """
    return rendered(token, value) == plain(token)


def rendered(token: str, value: Any) -> str:
    """Write the value in the form of the token: its digits, signs and brackets.

    Args:
        token: The token whose form is kept.
        value: What the expression gave.

    Returns:
        The text that should stand in place of the token, without its markup.

    Raises:
        TokenError: If the value cannot be written in that form.
    """
    text = plain(token)
    if isinstance(value, (list, tuple)):
        return _rendered_sequence(text, value)
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return str(value)
    if text.lower() in _SMALL_NUMBERS:
        return _number_word(text, value)
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise TokenError(
            f"{text!r} is not a number, and the expression gives {value!r}"
        )
    return _rendered_number(match, value)


def _number_word(word: str, value: float) -> str:
    if value not in range(len(_SMALL_NUMBERS)):
        raise TokenError(f"{word!r} is a number in words, and the value is {value!r}")
    right = _SMALL_NUMBERS[int(value)]
    return right.capitalize() if word[0].isupper() else right


def _rendered_sequence(text: str, values: list[Any] | tuple[Any, ...]) -> str:
    if not text or text[0] not in "([":
        raise TokenError(f"{text!r} is no tuple, and the expression gives {values!r}")
    if _CLOSING.get(text[-1]) != text[0]:
        raise TokenError(f"{text!r} must close with the bracket that opens it")
    items = _split(text[1:-1])
    if len(items) != len(values):
        raise TokenError(
            f"{text!r} has {len(items)} items, and the expression gives {values!r}"
        )
    pieces, position = [text[0]], 1
    for (start, item), value in zip(items, values, strict=True):
        pieces += [text[position : start + 1], rendered(item, value)]
        position = start + 1 + len(item)
    return "".join([*pieces, text[position:]])


def _split(text: str) -> list[tuple[int, str]]:
    """The items between the commas of the outermost level, with their places."""
    items, depth, start = [], 0, 0
    for position, character in enumerate(text + ","):
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            item = text[start:position]
            if item.strip():
                items.append((start + len(item) - len(item.lstrip()), item.strip()))
            start = position + 1
    return items


def _rendered_number(match: re.Match[str], value: float) -> str:
    digits = match["digits"]
    # Exactly the value, be it a float or a whole number of any length.
    shown = Decimal(value * 100 if match["percent"] else value)
    if shown.is_nan():
        return "nan"
    if shown.is_infinite():
        body = "∞" if digits == "∞" else "inf"
    elif match["exponent"]:
        body = _with_exponent(digits, match["exponent"], abs(shown))
    else:
        body = format(abs(shown), f"{',' * (',' in digits)}.{_decimals(digits)}f")
    if digits.startswith("."):
        body = body.removeprefix("0")
    is_zero = not re.search(r"[1-9∞i]", re.split("[eE]", body)[0])
    return _sign(match["sign"], shown, is_zero) + body + (match["percent"] or "")


def _decimals(digits: str) -> int:
    return len(digits.partition(".")[2])


def _with_exponent(digits: str, exponent: str, value: Decimal) -> str:
    """As `1.5e-04`, `1.5e-4` or `1.5E−4`, whichever form the page uses."""
    mantissa, _, power = format(value, f".{_decimals(digits)}e").partition("e")
    shown = exponent.lstrip("eE+-−")
    minus = "−" if "−" in exponent else "-"
    sign = minus if power[0] == "-" else "+" if "+" in exponent else ""
    width = len(shown) if shown.startswith("0") else 1
    return f"{mantissa}{exponent[0]}{sign}{str(abs(int(power))).zfill(width)}"


def _sign(shown: str, value: Decimal, is_zero: bool) -> str:
    if is_zero:
        return ""
    if value < 0:
        return "-" if shown == "-" else "−"
    return "+" if shown == "+" else ""
