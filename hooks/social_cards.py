"""Draws the picture that stands beside a link to a page: its title, and a heatmap.

The theme's own plugin for this needs Cairo, a library of the system, and fetches fonts
from a third party at build time.  Pillow and the fonts that come with matplotlib are
here already.  Pictures need a full address, so a site without one has none.
"""

from __future__ import annotations

import hashlib
import io
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib
import numpy as np
from PIL import Image, ImageColor, ImageDraw, ImageFont

from attention_ref import attention_weights

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page

SIZE = (1200, 630)
"""What those who show such pictures ask for."""

# docs/assets/site.css and figures.css, in light.
PAPER, INK, SOFT, ACCENT = "#fdfcf9", "#22201c", "#5c574d", "#9c3516"
RAMP = np.array([(0xED, 0xF3, 0xFB), (0x40, 0x77, 0xBD), (0x0C, 0x2C, 0x66)])

LEFT, WIDTH = 72, 590
"""Where texts begin, and how wide they may be."""

_FONTS = Path(matplotlib.get_data_path(), "fonts", "ttf")


def on_page_context(
    context: dict[str, Any], page: Page, config: MkDocsConfig, **_: Any
) -> dict[str, Any]:
    """Draw a page's card, and tell theme/main.html where it is."""
    if config.site_url:
        name = page.file.src_uri.rpartition(".")[0]
        address = f"assets/cards/{name}.png"
        named = page.meta.get("title", page.title)
        title = config.site_name if page.is_homepage else str(named)
        kept = Path(config.config_file_path).parent / ".cache" / "cards"
        target = Path(config.site_dir, address)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(_kept_card(config.site_name, title, page, kept))
        context |= {"card": address, "card_title": title}
    return context


def _kept_card(site_name: str, title: str, page: Page, folder: Path) -> bytes:
    """Return a card, drawn unless it has been before."""
    texts = (site_name, title, str(page.meta["description"]))
    drawing = Path(__file__).read_bytes() + version("pillow").encode()
    key = hashlib.sha256(drawing + repr(texts).encode()).hexdigest()
    path = folder / f"{key[:24]}.png"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(card(*texts))
    return path.read_bytes()


def card(site_name: str, title: str, description: str) -> bytes:
    """Return a card as a PNG: the same bytes for the same texts."""
    image = _background().copy()
    draw = ImageDraw.Draw(image)
    draw.text((144, 84), site_name, SOFT, _font("DejaVuSans", 28), anchor="lm")
    for size in (68, 60, 52, 44):
        title_lines = _wrapped(title, _font("DejaVuSerif-Bold", size))
        if len(title_lines) <= 2:
            break
    below = _wrapped(description, _font("DejaVuSans", 28))[:5]
    y = 318 - (1.25 * size * len(title_lines) + 42 * len(below)) / 2
    for line in title_lines:
        draw.text((LEFT, y), line, INK, _font("DejaVuSerif-Bold", size))
        y += 1.25 * size
    for line in below:
        draw.text((LEFT, y + 24), line, SOFT, _font("DejaVuSans", 28))
        y += 42
    written = io.BytesIO()
    image.save(written, "PNG")
    return written.getvalue()


def _wrapped(text: str, font: ImageFont.FreeTypeFont) -> list[str]:
    """Break a text into lines that are narrow enough."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if font.getlength(longer) <= WIDTH:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


@cache
def _font(name: str, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(_FONTS / f"{name}.ttf"), size)


@cache
def _background() -> Image.Image:
    """Draw what all cards share: the site's mark, and the home page's example."""
    image = Image.new("RGB", SIZE, PAPER)
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, 15, SIZE[1]), ACCENT)
    # As theme/.icons/attention-ref/logo.svg has it.
    for column, row, share in _MARK:
        left, top = LEFT + 19 * column, 58 + 19 * row
        draw.rectangle((left, top, left + 14, top + 14), _mixed(share))
    weights, words = _example()
    for row, column in np.ndindex(weights.shape):
        left, top = 750 + 64 * column, 150 + 64 * row
        box = (left, top, left + 60, top + 60)
        if column > row:
            draw.rectangle(box, outline="#dfd9cc", width=2)
        else:
            draw.rectangle(box, _on_ramp(weights[row, column]))
    for at, word in enumerate(words):
        middle = 180 + 64 * at
        draw.text((734, middle), word, SOFT, _font("DejaVuSans", 22), anchor="rm")
    return image


# The mark's squares: column, row, and how much of the accent each has.
_MARK = ((0, 0, 1), (0, 1, 1), (1, 2, 1), (2, 2, 1), (1, 1, 0.55), (0, 2, 0.3))


def _example() -> tuple[np.ndarray[Any, Any], list[str]]:
    """Return the weights that the home page shows, and the words that they are for."""
    words = ["the", "cat", "sat", "on", "the", "mat"]
    letters = sorted(set("".join(words)))
    vectors = np.array([[float(it in word) for it in letters] for word in words])
    return attention_weights(vectors, vectors, causal=True, scale=1.0), words


def _on_ramp(weight: float) -> tuple[int, ...]:
    mixed = [np.interp(weight, [0, 0.5, 1], channel) for channel in RAMP.T]
    return tuple(round(it) for it in mixed)


def _mixed(share: float) -> tuple[int, ...]:
    """Return the accent on paper."""
    accent, paper = ImageColor.getrgb(ACCENT), ImageColor.getrgb(PAPER)
    pairs = zip(accent, paper, strict=True)
    return tuple(round(share * ours + (1 - share) * its) for ours, its in pairs)
