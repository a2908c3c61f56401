"""Blocks that need nothing but Python: a browser can run them where they stand."""

import sys

from attention_ref.lessons.pages.page import Block, Page
from attention_ref.lessons.running.dependencies import imported_packages


def needs_only_python(page: Page, block: Block) -> bool:
    """Whether a block runs in a build and imports the standard library at most.

    Args:
        page: The block's page.
        block: The block; what it continues counts, too.
    """
    imported = imported_packages(page.standalone_source(block))
    return block.options.runs_in_build and imported <= sys.stdlib_module_names


def standalone_output(page: Page, block: Block) -> str:
    """What a block's `standalone_source` prints, as the page says."""
    outputs = [link.expected for link in page.chain(block)]
    return "".join(output.text for output in outputs if output)
