"""The panel below a block on the site: its state, its output, its figure, as HTML."""

from html import escape

from attention_ref.lessons.errors import PageError
from attention_ref.lessons.pages.page import Page
from attention_ref.lessons.publishing.pure_python import needs_only_python
from attention_ref.lessons.publishing.weaving import describe, shown_text
from attention_ref.lessons.verification import BlockResult


def panel(page: Page, result: BlockResult) -> str:
    """Write the panel of one block.

    Args:
        page: The block's page.
        result: What became of the block.

    Returns:
        HTML in one `<div>`. A block that continues others carries its whole chain, so
        that what a reader copies can be pasted and run. One that needs only Python
        carries its index: scripts can offer to run it.
    """
    kind = result.state.replace(" ", "-")
    chain = page.standalone_source(result.block)
    copied = (
        f' data-chain="{_attribute(chain)}"' if result.block.parent is not None else ""
    )
    if result.state == "verified" and needs_only_python(page, result.block):
        copied += f' data-pure="{result.block.index}"'
    parts = [f'<p class="lesson-state">{escape(_label(result))}</p>']
    if text := shown_text(result):
        parts.append(
            '<div class="highlight lesson-printed">'
            '<pre tabindex="0" data-search-exclude>'
            f"<code>{escape(text, quote=False)}</code></pre></div>"
        )
    if result.outcome and result.state in ("verified", "recorded"):
        parts += filter(None, result.outcome.figures)
    return (
        f'<div class="lesson-output lesson-output--{kind}" role="group" '
        f'aria-label="What this block does"{copied}>{"".join(parts)}</div>'
    )


def refusal(error: PageError) -> str:
    """Write the panel that stands above a page which the engine refuses."""
    return (
        '<div class="lesson-output lesson-output--failed"><p class="lesson-state">'
        f"This page is refused. {escape(str(error))}</p></div>"
    )


def _label(result: BlockResult) -> str:
    text = describe(result)
    if result.block.options.illustration and result.state == "verified":
        text = f"illustration, not computed ({text})"
    if result.block.parent is not None:
        text = f"{text}; continues a block above"
    return text[0].upper() + text[1:]


def _attribute(text: str) -> str:
    return escape(text).replace("\n", "&#10;")
