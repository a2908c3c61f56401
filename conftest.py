"""Every block of the pages and every docstring's example is a test."""

import doctest
from collections.abc import Iterator

from sybil import Document, Example, Region, Sybil

from attention_ref.lessons.pytest_plugin import lesson_pages

pytest_plugins = ["attention_ref.lessons.pytest_plugin"]


def docstring_example(docstring: Document) -> Iterator[Region]:
    """Find a docstring's example: one test, whole, on whichever worker it runs."""
    if steps := doctest.DocTestParser().get_examples(docstring.text):
        start = docstring.text.index(">>>")
        yield Region(start, len(docstring.text), steps, as_it_stands)


def as_it_stands(example: Example) -> str:
    """Run it with the names of its module, and nothing from other docstrings."""
    said: list[str] = []
    names = dict(example.namespace)
    steps = doctest.DocTest(
        example.region.parsed, names, example.path, example.path, example.line, None
    )
    doctest.DocTestRunner(verbose=False).run(steps, out=said.append)
    return "".join(said)


docstrings = Sybil([docstring_example], path="attention_ref", pattern="*.py")
pytest_collect_file = (lesson_pages("docs") + docstrings).pytest()
