"""What a link to a page looks like where somebody shares it."""

from __future__ import annotations

import io
import time

from bs4 import BeautifulSoup
from PIL import Image
from test_hooks import hook

TAGS = ("title", "description", "url", "image", "site_name", "type")
TEXTS = ("Attention, verified", "A title", "What a reader finds there.")


def heads(site):
    """The head of each page, by the page's address."""
    for path in sorted(site.folder.rglob("index.html")):
        address = path.relative_to(site.folder).as_posix().removesuffix("index.html")
        head = path.read_text("utf-8").partition("</head>")[0]
        yield address, BeautifulSoup(head, "html.parser")


def test_every_page_says_what_a_link_to_it_shows(site):
    for address, head in heads(site):
        tags = {
            name: head.find("meta", property=f"og:{name}")["content"] for name in TAGS
        }
        home = tags["url"].removesuffix(address)

        assert all(tags.values()), address
        assert tags["url"] == head.find("link", rel="canonical")["href"], address
        assert tags["title"] in head.title.text, address
        kind = head.find("meta", attrs={"name": "twitter:card"})["content"]
        assert kind == "summary_large_image", address
        with Image.open(site.folder / tags["image"].removeprefix(home)) as picture:
            assert (picture.format, picture.size) == ("PNG", (1200, 630)), address


def test_pages_with_other_titles_have_other_pictures(site):
    pictures = [
        path.read_bytes() for path in site.folder.rglob("assets/cards/**/*.png")
    ]

    assert len(set(pictures)) == len(pictures)
    assert max(map(len, pictures)) < 60_000


def test_the_same_texts_give_the_same_picture():
    assert hook("social_cards").card(*TEXTS) == hook("social_cards").card(*TEXTS)


def test_texts_stay_beside_the_heatmap():
    longest = "Attention on a GPU, and everything that could be said about it " * 2
    cards = hook("social_cards")
    plain, full = (
        Image.open(io.BytesIO(cards.card("Site", *texts)))
        for texts in (("", ""), (longest, longest * 3))
    )
    beside = (680, 0, 1200, 630)

    assert plain.crop(beside).tobytes() == full.crop(beside).tobytes()


def test_drawing_hardly_lengthens_a_build():
    cards = hook("social_cards")
    cards.card(*TEXTS)
    begun = time.process_time()
    for number in range(10):
        cards.card("Attention, verified", f"Page {number}", "What a reader finds.")

    assert (time.process_time() - begun) / 10 < 0.1
