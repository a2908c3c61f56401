"""Small changes of a page that somebody should notice.

One character of what the page says is changed: a digit, a sign, a dot or a bracket in
an output or in a checked number. Or one constant or operator of its code is.
"""

import io
import keyword
import tokenize
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from attention_ref.lessons.pages.page import Block, Page
from attention_ref.lessons.pages.parsing import parse_page

# What stands in place of each character, and of each operator.
_SAID = dict(zip("0123456789+-−.()[]{}", "1234567890-++,[]()[]", strict=True))
_OPERATORS = dict(
    pair.split(" → ")
    for pair in (
        *("+ → -", "- → +", "* → /", "/ → *", "// → *", "** → *", "@ → *", "% → *"),
        *("< → >", "> → <", "<= → >=", ">= → <=", "== → !=", "!= → =="),
        *("+= → -=", "-= → +=", "*= → /=", "/= → *=", "& → |", "| → &", "^ → &"),
        *("and → or", "or → and", "True → False", "False → True"),
    )
)
# These say something else at the start of an expression: unpacking, decorators.
_ONLY_BETWEEN_OPERANDS = ("*", "**", "/", "@")
# Python 3.11 reads an f-string as one token, and later ones read its parts.
_FSTRING_START = getattr(tokenize, "FSTRING_START", None)
_FSTRING_END = getattr(tokenize, "FSTRING_END", None)


@dataclass(frozen=True, slots=True)
class Mutation:
    """A change of a page's text.

    Attributes:
        page: The page as it is.
        start: Where the change begins in its text.
        end: Where it ends.
        replacement: What stands there instead.
    """

    page: Page = field(repr=False)
    start: int
    end: int
    replacement: str

    @property
    def line(self) -> int:
        """The line of the page, counted from 1."""
        return self.page.text.count("\n", 0, self.start) + 1

    @property
    def before(self) -> str:
        """The line as it is, without its indentation."""
        return _line_of(self.page.text, self.start)

    @property
    def after(self) -> str:
        """The line as it becomes."""
        return _line_of(self.text, self.start)

    @property
    def text(self) -> str:
        """The changed text of the page."""
        text = self.page.text
        return text[: self.start] + self.replacement + text[self.end :]

    def apply(self) -> Page:
        """Take the changed page apart.

        Raises:
            PageError: If it is no longer a page.
        """
        return replace(parse_page(self.text, self.page.path), file=self.page.file)


def said_mutations(page: Page) -> Iterator[Mutation]:
    """The changes of outputs and of checked numbers.

    Args:
        page: The page.

    Yields:
        One for each digit, sign, dot and bracket.
    """
    outputs = [block.expected.fence for block in page.blocks if block.expected]
    ranges = [(fence.source_start, fence.source_end) for fence in outputs]
    ranges += [(each.start, each.start + len(each.token)) for each in page.checks]
    for start, end in ranges:
        for position in range(start, end):
            other = _SAID.get(page.text[position])
            if other:
                yield Mutation(page, position, position + 1, other)


def code_mutations(page: Page) -> Iterator[Mutation]:
    """The changes of constants and operators in the blocks that a build runs.

    Args:
        page: The page.

    Yields:
        One for each digit of a number and each operator, where Python still reads it.
    """
    for block in page.blocks:
        if block.options.runs_in_build and _compiles(block.source):
            for mutation in _mutations_of_code(page, block):
                if _compiles(_source(mutation, block)):
                    yield mutation


def _mutations_of_code(page: Page, block: Block) -> Iterator[Mutation]:
    starts = _line_starts(page, block)
    for row, column, old, new in changed_tokens(block.source):
        start = starts[row - 1] + column
        yield Mutation(page, start, start + len(old), new)


def changed_tokens(source: str) -> Iterator[tuple[int, int, str, str]]:
    """The changes of constants and operators in code, readable or not.

    Args:
        source: Any Python.

    Yields:
        The line, counted from 1, the column, what stands there, and what else might:
        one for each digit of a number and each operator.
    """
    operand_before = False
    for token in _tokens(source):
        row, column = token.start
        other = _OPERATORS.get(token.string)
        if token.type == tokenize.NUMBER:
            for position, digit in enumerate(token.string, column):
                if digit.isdigit():
                    yield row, position, digit, _SAID[digit]
        elif other and (operand_before or token.string not in _ONLY_BETWEEN_OPERANDS):
            yield row, column, token.string, other
        operand_before = _ends_an_operand(token)


def _tokens(source: str) -> Iterator[tokenize.TokenInfo]:
    """The tokens of a block, without what stands in f-strings."""
    depth = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        depth += (token.type == _FSTRING_START) - (token.type == _FSTRING_END)
        if not depth:
            yield token


def _ends_an_operand(token: tokenize.TokenInfo) -> bool:
    if token.type == tokenize.NAME:
        return token.string in ("True", "False", "None") or not keyword.iskeyword(
            token.string
        )
    ends = tokenize.NUMBER, tokenize.STRING, _FSTRING_END
    return token.type in ends or token.string in (")", "]", "}")


def _line_starts(page: Page, block: Block) -> list[int]:
    """Where the code of each of the block's lines begins in the page's text."""
    starts, position = [], block.fence.source_start
    for line in page.text[position : block.fence.source_end].split("\n"):
        starts.append(position + len(block.fence.prefix))
        position += len(line) + 1
    return starts


def _source(mutation: Mutation, block: Block) -> str:
    """The block's code after a change."""
    row = mutation.line - block.line - 1
    lines = block.source.split("\n")
    lines[row] = " " * (len(lines[row]) - len(lines[row].lstrip())) + mutation.after
    return "\n".join(lines)


def _compiles(source: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, "<block>", "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True


def _line_of(text: str, position: int) -> str:
    start = text.rfind("\n", 0, position) + 1
    return text[start:].partition("\n")[0].strip()
