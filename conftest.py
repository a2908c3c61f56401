"""Every block of the pages and every example of the docstrings is a test."""

from sybil import Sybil
from sybil.parsers.rest import DocTestParser

from attention_ref.lessons.pytest_plugin import lesson_pages

pytest_plugins = ["attention_ref.lessons.pytest_plugin"]

docstrings = Sybil([DocTestParser()], path="attention_ref", pattern="*.py")
pytest_collect_file = (lesson_pages("docs") + docstrings).pytest()
