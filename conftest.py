"""Every block of the pages and every example of the docstrings is a test."""

from sybil import Sybil
from sybil.parsers.rest import DocTestParser
from sybil.sybil import SybilCollection

from attention_ref.lessons.pytest_plugin import lesson_pages
from attention_ref.lessons.pytest_workbooks import workbook_pages

pytest_plugins = ["attention_ref.lessons.pytest_plugin"]

docstrings = Sybil([DocTestParser()], path="attention_ref", pattern="*.py")
pages, workbooks = lesson_pages("docs"), workbook_pages("docs/notebooks")
pytest_collect_file = SybilCollection([pages, workbooks, docstrings]).pytest()
