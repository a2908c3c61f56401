"""Formulas on the built pages: typeset, spoken, and in fonts that are there."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser

# The families that the formulas' elements ask for first, and those that were loaded.
FONTS = """async () => {
  await document.fonts.ready;
  const asked = new Set();
  for (const it of document.querySelectorAll(".katex-html *")) {
    if (it.children.length || !it.textContent.trim()) continue;
    const style = getComputedStyle(it);
    const family = style.fontFamily.split(",")[0];
    asked.add([family, style.fontWeight, style.fontStyle].join(" "));
  }
  const loaded = [...document.fonts].filter(it => it.status === "loaded")
    .map(it => [it.family, it.weight, it.style].join(" "));
  return [...asked].filter(it => it.startsWith("KaTeX") && !loaded.includes(it));
}"""


def test_fonts_of_all_formulas_are_loaded(phone):
    assert phone.evaluate(FONTS) == []


def test_every_formula_can_be_read_out(plain):
    formulas = plain.locator(".formula").count()

    assert plain.locator(".formula math").count() == formulas
    assert plain.locator(".formula [aria-hidden=true]").count() >= formulas
