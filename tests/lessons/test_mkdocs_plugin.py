"""Small sites, built by `mkdocs build` in a process of their own."""

import gc
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent, indent

import pytest
from bs4 import BeautifulSoup

from attention_ref.lessons.mkdocs_plugin import LessonsPlugin

CONFIG = """
site_name: Small site
strict: true
theme: {name: mkdocs}
plugins:
  - attention-ref: {}
markdown_extensions:
  - admonition
  - footnotes
  - pymdownx.details
  - pymdownx.highlight
  - pymdownx.superfences
  - pymdownx.tabbed: {alternate_style: true}
"""
GOOD = """\
# Page

```python {title="A step"}
x = 2
print(x)
```

```output
2
```

It is 2<!-- = x -->, as in 2017<!-- ! year -->.
"""


@dataclass
class Site:
    """A project in a folder of its own."""

    folder: Path

    def build(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "mkdocs", "build", *arguments],
            cwd=self.folder,
            env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def page(self, name: str) -> BeautifulSoup:
        path = self.folder / "site" / name / "index.html"
        return BeautifulSoup(path.read_text("utf-8"), "html.parser")

    def published(self) -> set[str]:
        site = self.folder / "site"
        return {p.relative_to(site).as_posix() for p in site.rglob("*") if p.is_file()}


def project(folder: Path, config: str = CONFIG, **pages: str) -> Site:
    folder.joinpath("docs").mkdir(parents=True)
    folder.joinpath("mkdocs.yml").write_text(config)
    for name, text in {"index": "# Home\n", **pages}.items():
        folder.joinpath("docs", f"{name}.md").write_text(text, encoding="utf-8")
    return Site(folder)


# True pages: one site for all tests of them

TRUE = {
    "good": GOOD,
    "chain": """
        # Chain

        ```python {download="chain.py"}
        x = "<&>"
        ```

        ```python {.continues download="longer.py"}
        print(x)
        ```

        ```output
        <&>
        ```

        [The script](longer.py)
    """,
    "figure": """
        # Figure

        ```python {figure="A rising line" caption="It rises."}
        import matplotlib.pyplot as plt

        plt.plot([1, 2])
        ```

        ```python {.illustration}
        print("###")
        ```

        ```output
        ###
        ```
    """,
    "places": """
        # Places

        - In a list

            ```python
            print("list")
            ```

            ```output
            list
            ```

        !!! note "With 1<!-- = 1 --> number"

            ```python
            print("admonition")
            ```

            ```output
            admonition
            ```

        === "Tab"

            ```python
            print("tab")
            ```

            ```output
            tab
            ```

        ??? success "Solution"

            ```python
            print("solution")
            ```

            ```output
            solution
            ```
    """,
    "shown": """
        # Shown

        ````markdown
        ```python
        raise SystemExit
        ```
        ````

        ```python {skip="it needs a network"}
        raise SystemExit
        ```

        ```python {.gpu}
        raise SystemExit
        ```
    """,
    "front": "---\ntitle: A title\n---\n\n" + GOOD,
}


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Site:
    pages = {name: dedent(text) for name, text in TRUE.items()}
    made = project(tmp_path_factory.mktemp("true") / "project", **pages)
    made.folder.joinpath("docs", "windows.md").write_bytes(
        GOOD.replace("\n", "\r\n").encode()
    )
    done = made.build()
    assert done.returncode == 0, done.stderr
    return made


def panels(page: BeautifulSoup) -> list[tuple[str, str]]:
    """The label of each panel, and the output that it shows."""
    found = page.select(".lesson-output")
    return [
        (
            panel.select_one(".lesson-state").get_text(),
            "".join(code.get_text() for code in panel.select("code")),
        )
        for panel in found
    ]


def test_a_true_page_says_that_it_was_verified(site):
    assert panels(site.page("good")) == [("Output, verified", "2")]


def test_a_checked_number_shows_its_expression(site):
    page = site.page("good")
    [checked] = page.select(".lesson-checked")
    assert (checked.get_text(), checked["title"]) == ("2", "checked: x")
    assert "It is 2, as in 2017." in page.get_text()


def test_nothing_of_our_syntax_is_left(site):
    page = str(site.page("good"))
    assert "lessonpanel" not in page
    assert "<!-- =" not in page
    assert "<!-- !" not in page
    assert "```" not in page


def test_options_of_the_theme_still_work(site):
    assert "A step" in site.page("good").get_text()


def test_front_matter_is_not_shown(site):
    page = site.page("front")
    assert page.title.get_text() == "A title - Small site"
    assert "title: A title" not in page.get_text()


def test_windows_line_ends_work(site):
    assert panels(site.page("windows")) == [("Output, verified", "2")]


def test_a_script_is_offered_as_it_stands_on_the_page(site):
    folder = site.folder / "site"
    assert folder.joinpath("chain.py").read_text() == 'x = "<&>"\n'
    assert folder.joinpath("longer.py").read_text() == 'x = "<&>"\n\nprint(x)\n'


def test_no_other_python_file_is_published(site):
    python = {name for name in site.published() if re.search(r"\.pyc?$", name)}
    assert python == {"chain.py", "longer.py"}


def test_a_block_that_continues_carries_the_code_to_copy(site):
    first, second = site.page("chain").select(".lesson-output")
    assert not first.has_attr("data-chain")
    assert second["data-chain"] == 'x = "<&>"\n\nprint(x)\n'


def test_a_figure_stands_inline_with_its_text_alternative(site):
    figure, _ = site.page("figure").select(".lesson-output")
    assert figure.select("svg")
    assert "A rising line" in str(figure)
    assert "It rises." in figure.get_text()
    assert figure.select_one(".lesson-state").get_text() == "Figure drawn by this block"


def test_an_illustration_is_labelled(site):
    label = "Illustration, not computed (output, verified)"
    assert panels(site.page("figure"))[1] == (label, "###")


def test_blocks_have_their_panels_wherever_they_stand(site):
    page = site.page("places")
    assert [text for _, text in panels(page)] == [
        *("list", "admonition", "tab", "solution")
    ]
    for place in ("li", ".admonition", ".tabbed-block", "details"):
        assert page.select(f"{place} .lesson-output")


def test_what_was_not_run_is_not_called_verified(site):
    assert panels(site.page("shown")) == [
        ("Not run: it needs a network", ""),
        ("Not run: no recording from a CUDA device yet", ""),
    ]


def test_a_fence_shown_in_a_longer_fence_is_shown(site):
    assert "```python\nraise SystemExit\n```" in site.page("shown").get_text()


def test_the_report_lists_every_block(site):
    path = site.folder / "site" / "verification.json"
    data = json.loads(path.read_text("utf-8"))
    assert "docs/good.md" in json.dumps(data)
    assert "it needs a network" in json.dumps(data)


def test_a_build_changes_no_page(site):
    good = site.folder / "docs" / "good.md"
    assert good.read_text("utf-8") == GOOD


# False pages: each stops the build

FALSE = {
    "output": (
        GOOD.replace("```output\n2", "```output\n3"),
        "docs/output.md:8: output differs from what the page says.",
    ),
    "number": (
        GOOD.replace("It is 2", "It is 3"),
        "docs/number.md:12: the page says 3, and x = 2, which is 2 at the digits",
    ),
    "error": (
        GOOD.replace("x = 2", "x = 2 / 0"),
        "docs/error.md:4: ZeroDivisionError: division by zero",
    ),
    "syntax": (
        GOOD.replace(' {title="A step"}', " {.continue}"),
        "docs/syntax.md:3: unknown option .continue. Did you mean .continues?",
    ),
    "reader": (
        f"# Page\n\nText\n\n{indent(GOOD[8:], '    ')}",
        "docs/reader.md:5: the code that a reader sees here must be the code that",
    ),
    "figure": (
        "```python\nimport matplotlib.pyplot as plt\n\nplt.plot([1])\n```\n",
        "docs/figure.md:1: the block draws a figure without a text alternative.",
    ),
    "download": (
        '```python {download="index.md"}\nx = 1\n```\n',
        "docs/download.md:1: download index.md is there already. Choose another name",
    ),
}


@pytest.fixture(scope="module")
def refusal(tmp_path_factory) -> str:
    """What a build says that finds all of them."""
    pages = {name: text for name, (text, _) in FALSE.items()}
    site = project(tmp_path_factory.mktemp("false") / "project", **pages)
    site.folder.joinpath("docs", "binary.md").write_bytes(b"# Page\n\n\xff\n")
    done = site.build()
    assert done.returncode == 1
    assert site.published() == set()
    return done.stderr


@pytest.mark.parametrize("fault", FALSE)
def test_a_false_page_is_named_with_its_line(refusal, fault):
    assert FALSE[fault][1] in refusal


def test_a_page_that_is_not_utf8_is_named_with_its_line(refusal):
    assert "docs/binary.md:3: byte 0xff is not UTF-8. Save the page" in refusal


def test_all_problems_are_named_at_once(refusal):
    """The check below the block that failed is one more."""
    assert f"{len(FALSE) + 2} problems on the pages" in refusal


def test_one_wrong_digit_stops_the_build(tmp_path):
    done = project(tmp_path / "project", page=FALSE["output"][0]).build()
    assert done.returncode == 1
    assert (
        "docs/page.md:8: output differs from what the page says. "
        "If the new output is right, run: attention-ref update docs/page.md\n"
        "--- expected\n+++ actual\n@@ -1 +1 @@\n-3\n+2\n\n"
        "1 problems on the pages"
    ) in done.stderr
    assert "Traceback" not in done.stderr


def test_the_configuration_limits_the_time(tmp_path):
    config = CONFIG.replace("attention-ref: {}", "attention-ref: {timeout: 0.5}")
    text = "```python\nwhile True: pass\n```\n"
    done = project(tmp_path / "project", config, page=text).build()
    assert done.returncode == 1
    assert "docs/page.md:1: the block was stopped after 0.5 seconds" in done.stderr


def test_a_project_without_the_extension_that_reads_fences_is_told_so(tmp_path):
    config = CONFIG.replace("  - pymdownx.superfences\n", "")

    done = project(tmp_path, config, page=GOOD).build()

    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "markdown_extensions must list pymdownx.superfences" in done.stderr


def test_the_collector_does_not_look_through_what_was_imported_before_the_build():
    gc.unfreeze()
    LessonsPlugin().on_startup(command="build", dirty=False)
    assert gc.get_freeze_count() > 10_000
    gc.unfreeze()
