"""One question of a knowledge check, as `quiz` finds it: read it, or refuse it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NoReturn

from markdown.extensions.toc import slugify

from attention_ref.lessons.errors import PageError
from attention_ref.lessons.pages.inline import plain

_LETTER = r"[A-Z]"
_NUMBER = r"[+\-−]?\d[\d,]*(?:\.\d+)?(?:[eE][+\-−]?\d+)?(?: ?%)?"
_OPTION = re.compile(rf" {{4}}[-*+] \*\*({_LETTER})\.\*\* \S")
_ANSWER = re.compile(r'( *)\?\?\?\+? success "Answer"')
_BOLD = rf"\*\*(?P<token>{_LETTER}|{_NUMBER})\.?\*\*"
_CHECK = r"(?P<check><!-- = .+? -->)?"
_RIGHT = re.compile(rf" {{8}}{_BOLD}{_CHECK}(?P<reason>.*)")
_REASON = re.compile(rf" {{8}}[-*+] {_BOLD}{_CHECK}(?P<reason>.*)")
_EXAMPLE = "Write **B**<!-- = right -->. Because …"

_NAMING_WORDS = 8

Line = tuple[int, str]
"""A line of a page: its number, counted from 1, and its text."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question of a knowledge check.

    Attributes:
        identifier: Its first eight words, which name it wherever it stands.
        line: Its line in the page.
        title: What is asked, as Markdown.
        options: The letters to choose from; none if a number is asked for.
        answer: The right letter or number, as it stands in the page.
    """

    identifier: str
    line: int
    title: str
    options: tuple[str, ...]
    answer: str

    @property
    def number(self) -> Decimal:
        """The right number, in the unit in which the page shows it."""
        return Decimal(re.sub(r"[, %]", "", self.answer).replace("−", "-"))

    @property
    def tolerance(self) -> Decimal:
        """Half a unit of the last digit shown, and nothing for a whole number."""
        exponent = self.number.as_tuple().exponent
        assert isinstance(exponent, int)
        is_rounded = re.search(r"[.eE%]", self.answer)
        return Decimal((0, (5,), exponent - 1)) if is_rounded else Decimal(0)


def _identifier(title: str) -> str:
    """A name that holds wherever the question stands, and however it ends."""
    words = slugify(title, "-").split("-")
    return "-".join(["check", *words[:_NAMING_WORDS]])


def read_question(path: str, line: int, title: str, body: Sequence[Line]) -> Question:
    """Read one question.

    Args:
        path: How messages call the page.
        line: The question's line.
        title: What is asked.
        body: The lines that belong to the question, less those of fences.

    Returns:
        The question.

    Raises:
        PageError: If the question is not answered as `quiz` asks for.
    """
    return _Reader(path, line, body).question(title)


class _Reader:
    """Reads one question; each method is one rule."""

    def __init__(self, path: str, line: int, body: Sequence[Line]) -> None:
        self.path = path
        self.line = line
        found = [(n, m[1]) for n, (_, t) in enumerate(body) if (m := _ANSWER.match(t))]
        if [indent for _, indent in found] != ["    "]:
            self.fail(
                line,
                'a question must hold ??? success "Answer" once, indented by four '
                f"blanks, got it {len(found)} times",
            )
        place = found[0][0]
        self.asked, self.answer = body[:place], body[place + 1 :]

    def fail(self, line: int, message: str) -> NoReturn:
        """Refuse the page because of what stands in `line`."""
        raise PageError(self.path, line, message)

    def question(self, title: str) -> Question:
        """The whole question."""
        options = self._options()
        line, answer = self._right(options)
        reasons = self._reasons()
        if options:
            self._compare_letters(options, line, answer, reasons)
        elif not re.fullmatch(_NUMBER, answer):
            self.fail(
                line,
                "a question without options must ask for a number, got the answer "
                f"{answer}. Letter the options - **A.** …, indented by four blanks",
            )
        return Question(_identifier(title), self.line, title, options, answer)

    def _options(self) -> tuple[str, ...]:
        found = [(n, m[1]) for n, text in self.asked if (m := _OPTION.match(text))]
        for place, (line, letter) in enumerate(found):
            due = chr(ord("A") + place)
            if letter != due:
                self.fail(line, f"the next option must be {due}, got {letter}")
        if len(found) == 1:
            self.fail(found[0][0], "a question must leave a choice, got one option")
        return tuple(letter for _, letter in found)

    def _right(self, options: Sequence[str]) -> tuple[int, str]:
        """The right answer, and its line."""
        what = "letter" if options else "number"
        found = [(n, m) for n, text in self.answer if (m := _RIGHT.match(text))]
        if len(found) != 1:
            self.fail(
                found[1][0] if found else self.line,
                f"one paragraph of the answer must begin with the right {what} in "
                f"bold, got {len(found)}. {_EXAMPLE}",
            )
        line, match = found[0]
        if not match["check"]:
            self.fail(
                line,
                f"the right {what} must be computed, got {match['token']} without a "
                f"check. {_EXAMPLE}",
            )
        self._refuse_no_reason(line, match)
        return line, plain(match["token"])

    def _reasons(self) -> dict[str, int]:
        """The wrong letters or numbers that have a reason, and where it stands."""
        found: dict[str, int] = {}
        for line, text in self.answer:
            match = _REASON.match(text)
            if match is None:
                continue
            if match["token"] in found:
                self.fail(line, f"{match['token']} must have one reason, got another")
            self._refuse_no_reason(line, match)
            found[match["token"]] = line
        return found

    def _refuse_no_reason(self, line: int, match: re.Match[str]) -> None:
        if not re.search(r"\w", match["reason"]):
            self.fail(line, f"{match['token']} must be followed by its reason")

    def _compare_letters(
        self, options: Sequence[str], line: int, answer: str, reasons: dict[str, int]
    ) -> None:
        letters = ", ".join(options)
        if answer not in options:
            self.fail(line, f"the answer must be one of {letters}, got {answer}")
        wrong = [letter for letter in options if letter != answer]
        for letter, where in reasons.items():
            if letter not in wrong:
                rule = f"a reason must be for one of {', '.join(wrong)}"
                self.fail(where, f"{rule}, got {letter}")
        for letter in wrong:
            if letter not in reasons:
                self.fail(
                    self.line,
                    f"the answer must say why {letter} is wrong. "
                    f"Write - **{letter}** …, as an item of a list",
                )
