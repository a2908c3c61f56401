"""Markdown text → a page, taken apart."""

import re
from dataclasses import replace
from pathlib import Path

from attention_ref.lessons.errors import PageError
from attention_ref.lessons.pages.blocks import read_blocks
from attention_ref.lessons.pages.marks import read_marks
from attention_ref.lessons.pages.page import Page
from attention_ref.lessons.pages.source import Source


def read_page(path: Path, name: str | None = None) -> Page:
    """Read a page from a file.

    Args:
        path: The Markdown file.
        name: How messages call it; its path by default.

    Returns:
        The page, taken apart.

    Raises:
        PageError: If the file is no UTF-8 text, or `parse_page` refuses its text.
    """
    shown = name or path.as_posix()
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        wrong = f"byte 0x{raw[error.start]:02x} is not UTF-8. Save the page as UTF-8"
        raise PageError(shown, line, wrong) from None
    return replace(parse_page(text, shown), file=path.resolve())


def parse_page(text: str, path: str) -> Page:
    """Take a page apart.

    Args:
        text: The Markdown text.
        path: How messages call the page.

    Returns:
        Its blocks with their expected outputs, its inline checks and its exemptions.

    Raises:
        PageError: If a fence or a comment is not what `docs/how-it-checks.md` allows.
    """
    newline = _line_end(text, path)
    source = Source(text.replace("\r\n", "\n"), path)
    blocks = read_blocks(source)
    checks, exemptions = read_marks(source, blocks)
    return Page(path, source.text, newline, blocks, checks, exemptions)


def _line_end(text: str, path: str) -> str:
    """How the lines of the page end: an update must leave them as they are."""
    if "\r" not in text:
        return "\n"
    ends: list[str] = re.findall(r"\r\n|\r|\n", text)
    for line, end in enumerate(ends, start=1):
        if end != ends[0] or end == "\r":
            raise PageError(
                path,
                line,
                "all lines of a page must end alike, with LF or with CRLF. "
                "Save the page with one kind of line ends",
            )
    return ends[0]
