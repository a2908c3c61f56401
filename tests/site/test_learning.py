"""What the site makes of lessons: marked questions, scripts, explained words."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort

PROJECT = Path(__file__).parents[2]
LESSON = """\
---
title: Front matter
---
# A lesson

```python
right = "A"
print(right)
```

```output
A
```

## Knowledge check

??? question "Which?"
    - **A.** this
    - **B.** that

    ??? success "Answer"
        **A**<!-- = right -->. It was computed.

        - **B** was not.

<!-- lesson progress -->
"""


@pytest.fixture
def project(tmp_path) -> Path:
    """A small site with one lesson, and a page that shows the progress."""
    hooks = [str(PROJECT / "hooks" / f"{name}.py") for name in ("learning", "glossary")]
    (tmp_path / "docs" / "lessons").mkdir(parents=True)
    (tmp_path / "docs" / "lessons" / "one.md").write_text(LESSON)
    (tmp_path / "docs" / "index.md").write_text("<!-- progress through all lessons -->")
    (tmp_path / "mkdocs.yml").write_text(
        "site_name: Small\n"
        "plugins: []\n"
        f"hooks: {json.dumps(hooks)}\n"
        "markdown_extensions: [attr_list, admonition, def_list, pymdownx.details, "
        "pymdownx.superfences]\n"
    )
    return tmp_path


def built(project: Path, command: str = "build") -> dict[str, BeautifulSoup]:
    config = load_config(str(project / "mkdocs.yml"))
    config.plugins.on_startup(command=command, dirty=False)
    build(config)
    return {
        path.parent.name: BeautifulSoup(path.read_text("utf-8"), "html.parser")
        for path in (project / "site").rglob("index.html")
    }


def test_questions_and_the_place_of_progress_are_marked(project):
    page = built(project)["one"]

    assert page.find("details", id="check-which")["data-answer"] == "A"
    place = page.find(class_="lesson-progress")
    assert place["data-lesson"] == "lessons/one"
    assert place["data-overview"] == "../../"


def test_lesson_offers_its_script_below_its_title(project):
    link = built(project)["one"].find("h1").find_next("a", download=True)

    assert link["href"] == "../one.py"
    script = (project / "site" / "lessons" / "one.py").read_text("utf-8")
    assert script.startswith('"""A lesson: ')
    assert 'right = "A"\nprint(right)\n' in script


def test_overview_knows_every_lesson_and_its_questions(project):
    overview = built(project)["site"].find(class_="learn-progress")

    assert json.loads(overview["data-lessons"]) == [
        {
            "name": "lessons/one",
            "title": "A lesson",
            "address": "lessons/one/",
            "questions": ["check-which"],
        }
    ]


def test_wrong_letter_ends_the_build_with_page_and_line(project, caplog):
    wrong = LESSON.replace("**A**<", "**C**<")
    (project / "docs" / "lessons" / "one.md").write_text(wrong)

    with pytest.raises(Abort):
        built(project)
    assert caplog.messages[-1] == (
        "docs/lessons/one.md:22: the answer must be one of A, B, got C"
    )


def test_who_is_writing_sees_the_rest_of_the_site(project, capsys):
    wrong = LESSON.replace("**A**<", "**C**<")
    (project / "docs" / "lessons" / "one.md").write_text(wrong)

    page = built(project, command="serve")["one"]

    assert page.find("details", class_="question")
    assert "docs/lessons/one.md:22: the answer must" in capsys.readouterr().err


# Words that explain themselves

GLOSSARY = """\
# Glossary

**causal mask** { #causal-mask }
:   A mask that hides "the future".

**mask** { #mask }
:   A table of true and false.

**output** { #output .everyday }
:   What attention returns.
"""


@pytest.fixture
def glossary():
    path = PROJECT / "hooks" / "glossary.py"
    spec = importlib.util.spec_from_file_location("glossary_hook", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def explain(glossary):
    meanings = glossary.read_glossary(GLOSSARY)
    return lambda html: glossary.explain(html, meanings)


def test_word_is_explained_where_it_stands_first(explain):
    assert explain("<p>A mask. Another mask.</p>") == (
        '<p>A <abbr title="A table of true and false.">mask</abbr>. Another mask.</p>'
    )


def test_longer_word_comes_before_the_shorter_one_in_it(explain):
    assert explain("<p>Causal masks</p>") == (
        '<p><abbr title="A mask that hides &quot;the future&quot;.">Causal masks'
        "</abbr></p>"
    )


@pytest.mark.parametrize("word", ["unmask", "masked", "mask-like", "output"])
def test_other_words_and_everyday_words_are_left_alone(explain, word):
    assert explain(f"<p>{word}</p>") == f"<p>{word}</p>"


@pytest.mark.parametrize(
    "html",
    [
        "<h2>The mask</h2>",
        "<pre><code>mask</code></pre>",
        '<a href="x">mask</a>',
        '<span class="formula" data-formula="k">mask</span>',
        '<div class="lesson-output"><div>a</div>mask<div>mask</div></div>',
        '<svg viewBox="0 0 1 1"><text>mask</text></svg>',
        '<p class="admonition-title">Mask</p>',
        "<!-- mask -->",
        '<img alt="mask">',
    ],
)
def test_code_headings_formulas_and_names_are_left_alone(explain, html):
    after = "<p>x</p>"

    assert explain(html + after) == html + after


def test_text_after_what_is_left_alone_is_explained(explain):
    html = '<div class="lesson-output"><div>a</div></div><p>mask</p>'

    assert explain(html).endswith(">mask</abbr></p>")


def test_every_term_of_the_glossary_is_read(glossary):
    text = (PROJECT / "docs" / "glossary.md").read_text("utf-8")
    everyday = text.count(" .everyday }")

    assert everyday
    assert len(glossary.read_glossary(text)) == text.count("\n:   ") - everyday


def test_only_lessons_are_explained(project):
    (project / "docs" / "glossary.md").write_text(GLOSSARY)
    (project / "docs" / "other.md").write_text("# Other\n\nA mask.\n")
    lesson = LESSON.replace("# A lesson\n", "# A lesson\n\nA mask.\n")
    (project / "docs" / "lessons" / "one.md").write_text(lesson)

    pages = built(project)

    assert pages["one"].find("abbr").text == "mask"
    assert pages["other"].find("abbr") is None
