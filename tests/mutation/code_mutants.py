"""Small changes of a module's code, each of which some test should notice.

Numbers and operators change as in the blocks of lessons. Here more is known of the
code, so more is changed: comparisons at their boundary, what is passed and returned,
whether a statement is there at all. Annotations, docstrings, f-strings and imports
stay.
"""

from __future__ import annotations

import ast
import itertools
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from attention_ref.lessons.proofs.mutation import changed_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COMPARED = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}
"""What stands in place of a comparison. Its opposite is tried as an operator."""

SPOKEN = "attention_ref/_checks"
"""Where strings are messages, whose whole text has tests of its own."""


@dataclass(frozen=True)
class Code:
    """A file of the package, as text and as a tree."""

    path: str
    """Relative to the project."""
    text: str = field(repr=False)

    @classmethod
    def read(cls, path: Path, project: Path) -> Code:
        """Read a file."""
        return cls(path.relative_to(project).as_posix(), path.read_text("utf-8"))

    @property
    def module(self) -> str:
        """The name by which the file is imported."""
        name = self.path.removesuffix(".py").removesuffix("/__init__")
        return name.replace("/", ".")

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree."""
        return ast.parse(self.text)

    @cached_property
    def line_starts(self) -> list[int]:
        """Where each line begins in the text."""
        lengths = map(len, self.text.splitlines(keepends=True))
        return [0, *itertools.accumulate(lengths)]

    @cached_property
    def statements(self) -> list[range]:
        """The lines of each statement; of a compound one, those before its body."""
        return [
            range(node.lineno, _end_of_head(node) + 1)
            for node in ast.walk(self.tree)
            if isinstance(node, ast.stmt)
        ]

    @cached_property
    def scopes(self) -> dict[tuple[int, int], str]:
        """Where each function and class lies in the text, the outer ones first."""
        return {
            self.span(node): node.name
            for node in ast.walk(self.tree)
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
        }

    def place(self, line: int, column: int) -> int:
        """Where a place that Python counts in bytes lies in the text."""
        start = self.line_starts[line - 1]
        line_text = self.text[start : self.line_starts[line]]
        return start + len(line_text.encode()[:column].decode())

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Where a node begins and ends in the text."""
        return (
            self.place(node.lineno, node.col_offset),
            self.place(node.end_lineno, node.end_col_offset),
        )


@dataclass(frozen=True)
class Mutant:
    """One change of a file."""

    code: Code = field(repr=False)
    start: int
    end: int
    replacement: str

    @property
    def text(self) -> str:
        """The changed text of the file."""
        return self._with(self.code.text)

    @property
    def lines(self) -> range:
        """The lines of the innermost statement that is changed, counted from 1."""
        first = self.code.text.count("\n", 0, self.start) + 1
        last = self.code.text.count("\n", 0, self.end) + 1
        around = [
            lines
            for lines in self.code.statements
            if lines.start <= first and last < lines.stop
        ]
        return min(around, key=len, default=range(first, last + 1))

    @property
    def function(self) -> str:
        """The function or class that is changed; empty at the level of the module."""
        return ".".join(
            name
            for (start, end), name in self.code.scopes.items()
            if start <= self.start < end
        )

    @property
    def is_readable(self) -> bool:
        """Whether it is Python."""
        try:
            ast.parse(self.text)
        except SyntaxError:
            return False
        return True

    @property
    def name(self) -> tuple[str, str, str, str]:
        """The file, the function, the line as it is and as it becomes."""
        start, end = self._whole_lines()
        old = self.code.text[start:end]
        new = old[: self.start - start] + self.replacement + old[self.end - start :]
        return self.code.path, self.function, *(" ".join(t.split()) for t in (old, new))

    def _with(self, text: str) -> str:
        return text[: self.start] + self.replacement + text[self.end :]

    def _whole_lines(self) -> tuple[int, int]:
        text = self.code.text
        end = text.find("\n", self.end)
        return text.rfind("\n", 0, self.start) + 1, len(text) if end < 0 else end


def mutants_of(code: Code) -> list[Mutant]:
    """Make every mutant of a file, in the file's order; some may not be readable."""
    spared = [code.span(node) for node in _spared(code.tree)]
    changes = {
        (start, end, replacement)
        for start, end, replacement in (*_tokens(code), *_syntax(code))
        if not any(low <= start and end <= high for low, high in spared)
    }
    return [Mutant(code, *change) for change in sorted(changes)]


def _end_of_head(node: ast.stmt) -> int:
    body = getattr(node, "body", None)
    return max(node.lineno, body[0].lineno - 1) if body else node.end_lineno


def _spared(tree: ast.Module) -> Iterator[ast.AST]:
    """What says nothing about what the code does when it is called."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom | ast.JoinedStr) or (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        ):
            yield node
        elif isinstance(node, ast.AnnAssign):
            is_alias = ast.unparse(node.annotation) == "TypeAlias"
            yield node if is_alias else node.annotation
        elif isinstance(node, ast.arg) and node.annotation:
            yield node.annotation
        elif isinstance(node, ast.FunctionDef) and node.returns:
            yield node.returns
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            yield node


def _tokens(code: Code) -> Iterator[tuple[int, int, str]]:
    """Numbers and operators."""
    for line, column, old, new in changed_tokens(code.text):
        start = code.line_starts[line - 1] + column
        yield start, start + len(old), new


def _syntax(code: Code) -> Iterator[tuple[int, int, str]]:
    """What takes knowing where an expression ends."""
    for node in ast.walk(code.tree):
        if isinstance(node, ast.Compare):
            yield from _comparisons(code, node)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield code.span(node)[0], code.span(node.operand)[0], ""
        elif _is_word(node) and not code.path.startswith(SPOKEN):
            yield *code.span(node), repr(f"not {node.value}")
        for changed, other in _others(node):
            yield *code.span(changed), other


def _others(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """What may stand in place of a whole node, or of its parts."""
    if isinstance(node, ast.Return) and not _is_none(node.value):
        yield node.value, "None"
    elif isinstance(node, ast.Call):
        for each in (*node.args, *(keyword.value for keyword in node.keywords)):
            if not isinstance(each, ast.Starred | ast.Constant):
                yield each, "None"
    elif isinstance(node, ast.Expr | ast.AugAssign | ast.Raise | ast.Continue):
        yield node, "pass"
    elif isinstance(node, ast.IfExp | ast.If):
        yield node.test, "True"
        yield node.test, "False"


def _comparisons(code: Code, node: ast.Compare) -> Iterator[tuple[int, int, str]]:
    sides = itertools.pairwise([node.left, *node.comparators])
    for operator, (left, right) in zip(node.ops, sides, strict=True):
        other = COMPARED.get(type(operator))
        if other:
            end, start = code.span(left)[1], code.span(right)[0]
            between = code.text[end:start]
            word = between.strip(" ()\n")
            if word in between:
                place = end + between.index(word)
                yield place, place + len(word), other


def _is_none(node: ast.expr | None) -> bool:
    return node is None or (isinstance(node, ast.Constant) and node.value is None)


def _is_word(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
