"""What matplotlib writes as SVG → the little that a page needs of it.

matplotlib writes for every program that reads SVG; a browser gets by with a twelfth.
Coordinates are rounded to a tenth of a point, styles become attributes, groups that
only carry a name go, known colours become variables of the style sheet.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

# The input is what matplotlib wrote a moment ago, so no hostile XML can come in.
from xml.etree import ElementTree as ET

from attention_ref.lessons.figures.paths import Box, bounds, number, read, write
from attention_ref.lessons.figures.style import (
    REVERSED_INK,
    known_colours,
    ramp_colours,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_SVG = "{http://www.w3.org/2000/svg}"

INHERITED = {
    "font-size": "10",
    "text-anchor": "middle",
    "stroke-linejoin": "round",
    "fill": "var(--figure-ink,#000000)",
}
"""What the root says once, so that its descendants need not repeat it."""

_DEFAULTS = {
    "stroke": "none",
    "stroke-width": "1",
    "stroke-linecap": "butt",
    "stroke-dashoffset": "0",
    "opacity": "1",
    "transform": "",
}
_DROPPED_ELEMENTS = {"metadata", "style"}
_DROPPED_STYLES = {"stroke-miterlimit"}
_LENGTHS = {"x", "y", "width", "height", "stroke-width", "font-size"}
_PIXELS_PER_POINT = 4 / 3
_REFERENCE = re.compile(r"url\(#([^)]+)\)|^#(.+)$")


def simplify(svg: str, prefix: str) -> ET.Element:
    """Return the drawing as an `<svg>` element whose ids begin with `prefix`.

    Args:
        svg: What matplotlib wrote.
        prefix: What no other figure on the page has.

    Returns:
        The root, with a `viewBox`, and a width and a height in CSS pixels.
    """
    source = ET.fromstring(svg)  # noqa: S314
    left, top, width, height = map(float, source.attrib["viewBox"].split())
    root = ET.Element(
        "svg",
        {
            "viewBox": " ".join(map(number, (left, top, width, height))),
            "width": str(round(width * _PIXELS_PER_POINT)),
            "height": str(round(height * _PIXELS_PER_POINT)),
            **INHERITED,
        },
    )
    definitions = ET.Element("defs")
    clips = _clips(source)
    drawing = list(_cleaned(source, definitions, clips))
    root.append(definitions)
    root.extend(drawing)
    _drop_unreferenced(root, definitions)
    _name_ids(root, prefix)
    return root


def _clips(source: ET.Element) -> dict[str, Box]:
    """Map the reference to each rectangular clip to its box."""
    boxes = {}
    for clip in source.iter(f"{_SVG}clipPath"):
        rectangle = clip.find(f"{_SVG}rect")
        if rectangle is not None:
            x, y, width, height = (
                float(rectangle.attrib[name]) for name in ("x", "y", "width", "height")
            )
            boxes[f"url(#{clip.attrib['id']})"] = Box(x, y, x + width, y + height)
    return boxes


def _cleaned(
    parent: ET.Element, definitions: ET.Element, clips: dict[str, Box]
) -> Iterator[ET.Element]:
    """Yield what stays of an element's children; definitions go where they are kept."""
    for child in parent:
        tag = child.tag.removeprefix(_SVG)
        if tag in _DROPPED_ELEMENTS:
            continue
        content = list(_cleaned(child, definitions, clips))
        if tag == "defs":
            definitions.extend(content)
            continue
        element = ET.Element(tag, _attributes(tag, child, clips))
        element.text = _written(child.text)
        element.tail = _written(child.tail)
        element.extend(content)
        if tag == "g" and not element.keys():
            yield from content
        elif not _is_invisible(element):
            yield element


def _written(text: str | None) -> str | None:
    """Drop the line ends with which matplotlib lays out its file."""
    return text if text and text.strip() else None


def _is_invisible(element: ET.Element) -> bool:
    if element.tag == "text":
        return not "".join(element.itertext()).strip()
    if element.get("opacity") == "0" or element.tag == "g":
        return not len(element) or element.get("opacity") == "0"
    if element.tag == "path":
        unpainted = element.get("fill") == "none" and element.get("stroke") is None
        return unpainted or element.get("d") is None
    return element.tag == "rect" and element.get("fill") == "none"


def _attributes(tag: str, element: ET.Element, clips: dict[str, Box]) -> dict[str, str]:
    """Return an element's attributes and styles, those that say something new."""
    given = {name.rpartition("}")[2]: value for name, value in element.attrib.items()}
    styles = _styles(given.pop("style", ""))
    if tag == "g":
        given.pop("id", None)
    if tag == "text":
        given = {"text-anchor": "start", **given}
    given |= styles
    if "d" in given:
        outline = read(given["d"])
        box, clip = bounds(outline), clips.get(given.get("clip-path", ""))
        if box and clip and clip.contains(box):
            del given["clip-path"]
        given["d"] = write(outline)
    for name in given.keys() & _LENGTHS:
        values = given[name].removesuffix("px").split()
        given[name] = " ".join(number(float(value)) for value in values)
    if "href" in given:
        # Under its older name: site themes rewrite what has an `href` as links.
        given["xlink:href"] = "".join(given.pop("href").split())
    if "transform" in given:
        given["transform"] = _transform(given["transform"])
    _recolour(tag, given)
    usual = _DEFAULTS | INHERITED
    return {name: value for name, value in given.items() if usual.get(name) != value}


def _styles(style: str) -> dict[str, str]:
    pairs = (part.split(":", 1) for part in style.split(";") if ":" in part)
    styles = {name.strip(): value.strip() for name, value in pairs}
    # The page's own font stands in for matplotlib's list, unless another kind is meant.
    family = styles.pop("font-family", "").rpartition(",")[2].strip()
    if family in {"serif", "monospace"}:
        styles["font-family"] = family
    return {name: styles[name] for name in styles if name not in _DROPPED_STYLES}


def _transform(transform: str) -> str:
    """Shorten a transformation, or return nothing when it does nothing."""
    if transform.startswith("rotate(-0 "):
        return ""
    return re.sub(
        r"-?\d+\.\d+",
        lambda match: f"{float(match[0]):.3f}".rstrip("0").rstrip("."),
        transform,
    )


def _recolour(tag: str, attributes: dict[str, str]) -> None:
    """Let the known colours follow the page's palette."""
    place = ramp_colours().get(attributes.get("fill", ""))
    if place:
        attributes["class"] = f"figure-{place.half}"
        attributes["style"] = f"--t:{place.percent}%"
    for name in ("fill", "stroke"):
        colour = attributes.get(name, "")
        variable = known_colours().get(colour)
        if variable and tag == "text" and colour == "#ffffff":
            variable = REVERSED_INK
        if variable:
            attributes[name] = f"var({variable},{colour})"


def _references(element: ET.Element) -> Iterator[tuple[str, str]]:
    """Yield the attributes that refer to an id, with that id."""
    for name, value in element.attrib.items():
        match = _REFERENCE.search(value) if name != "d" else None
        if match:
            yield name, match[1] or match[2]


def _drop_unreferenced(root: ET.Element, definitions: ET.Element) -> None:
    used = {target for element in root.iter() for _, target in _references(element)}
    for definition in list(definitions):
        if definition.get("id") not in used:
            definitions.remove(definition)
    if not len(definitions):
        root.remove(definitions)


def _name_ids(root: ET.Element, prefix: str) -> None:
    """Give each definition a short id that is the same on every build."""
    used = {target for element in root.iter() for _, target in _references(element)}
    names: dict[str, str] = {}
    for element in root.iter():
        old = element.attrib.pop("id", None)
        if old in used:
            names[old] = f"{prefix}-{len(names)}"
            element.set("id", names[old])
    for element in root.iter():
        for name, target in list(_references(element)):
            value = element.attrib[name]
            element.set(name, value.replace(target, names.get(target, target)))
