"""The recipes promise that their tabs print the same. Do they?"""

import re
from pathlib import Path

import pytest

RECIPES = Path(__file__).parents[1] / "docs" / "recipes"
PAGES = sorted(RECIPES.glob("*.md"))


def tab_outputs(recipe: str) -> dict[str, list[str]]:
    """What each tab of a recipe prints, by the tab's name."""
    pieces = re.split(r'^=== "([^"]+)"$', recipe, flags=re.MULTILINE)
    fence = re.compile(r"^    ```output\n(.*?)^    ```$", re.MULTILINE | re.DOTALL)
    return {
        name: fence.findall(body)
        for name, body in zip(pieces[1::2], pieces[2::2], strict=True)
    }


def recipes_with_tabs() -> list[tuple[str, dict[str, list[str]]]]:
    found = []
    for page in PAGES:
        text = page.read_text("utf-8")
        for recipe in re.split(r"^(?=## )", text, flags=re.MULTILINE):
            outputs = tab_outputs(recipe)
            if len(outputs) > 1:
                title = recipe.partition("\n")[0].removeprefix("## ")
                found.append((f"{page.stem}: {title}", outputs))
    return found


@pytest.mark.parametrize(
    "outputs", [pytest.param(tabs, id=title) for title, tabs in recipes_with_tabs()]
)
def test_all_tabs_of_a_recipe_print_the_same(outputs: dict[str, list[str]]):
    first, *others = outputs.values()
    for other in others:
        assert first == other


def test_there_are_at_least_25_recipes():
    titles = [
        title
        for page in PAGES
        for title in re.findall(r"^## (.+)$", page.read_text("utf-8"), re.MULTILINE)
    ]
    assert len(titles) >= 25
    assert len(recipes_with_tabs()) >= 25


def test_a_difference_between_tabs_is_seen():
    recipe = (
        '=== "NumPy"\n\n    ```output\n    1.0\n    ```\n\n'
        '=== "torch"\n\n    ```output\n    1.1\n    ```\n'
    )
    assert tab_outputs(recipe) == {"NumPy": ["    1.0\n"], "torch": ["    1.1\n"]}


def test_the_index_links_to_every_recipe_page():
    index = (RECIPES / "index.md").read_text("utf-8")
    for page in PAGES:
        assert page.stem == "index" or f"]({page.name})" in index
