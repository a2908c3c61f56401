"""The pages of a benchmark, as other site builders have them."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path

from benchmark_pages import code_blocks, run, write_site


def rival_rows(folder: Path, count: int, torch: bool) -> dict[str, Callable[[], None]]:
    """Those that are installed, of mkdocs-jupyter, MyST-NB and markdown-exec."""
    rows: dict[str, Callable[[], None]] = {}
    makers = {
        "markdown_exec": ("markdown-exec", _markdown_exec),
        "mkdocs_jupyter": ("mkdocs-jupyter", _mkdocs_jupyter),
        "myst_nb": ("MyST-NB", _myst_nb),
    }
    for module, (name, maker) in makers.items():
        if importlib.util.find_spec(module):
            rows[name] = maker(folder / module, count, torch)
    return rows


def _markdown_exec(folder: Path, count: int, torch: bool) -> Callable[[], None]:
    figure = (
        "\nfrom io import StringIO\nbuffer = StringIO()\n"
        "plt.savefig(buffer, format='svg')\nplt.close('all')\nprint(buffer.getvalue())"
    )

    def page(number: int) -> str:
        codes = code_blocks(number, torch)
        codes[0] += figure
        fences = [f'```python exec="1" source="above"\n{code}\n```' for code in codes]
        return "\n\n".join([f"# Page {number}", *fences])

    write_site(folder, count, page, "  - markdown-exec\n")
    return lambda: run(folder, sys.executable, "-m", "mkdocs", "build", "--quiet")


def _mkdocs_jupyter(folder: Path, count: int, torch: bool) -> Callable[[], None]:
    plugin = (
        "  - mkdocs-jupyter:\n      execute: true\n      allow_errors: false\n"
        '      cache: false\n      include: ["*.py"]\n'
    )
    write_site(folder, 0, str, plugin)
    for number in range(count):
        cells = [f"# %% [markdown]\n# # Page {number}"]
        cells += [f"# %%\n{code}" for code in code_blocks(number, torch)]
        path = folder / "docs" / f"page-{number:03}.py"
        path.write_text("\n\n".join(cells), "utf-8")
    (folder / "docs" / "index.md").write_text("# Pages\n", "utf-8")
    return lambda: run(folder, sys.executable, "-m", "mkdocs", "build", "--quiet")


def _myst_nb(folder: Path, count: int, torch: bool) -> Callable[[], None]:
    docs = folder / "docs"
    docs.mkdir(parents=True)
    (docs / "conf.py").write_text(
        'extensions = ["myst_nb"]\nnb_execution_mode = "force"\n'
        "nb_execution_raise_on_error = True\n",
        "utf-8",
    )
    pages = [f"page-{number:03}" for number in range(count)]
    tree = "\n".join(pages)
    (docs / "index.md").write_text(f"# Pages\n\n```{{toctree}}\n{tree}\n```\n", "utf-8")
    head = (
        "---\njupytext:\n  text_representation:\n    format_name: myst\n"
        "kernelspec:\n  name: python3\n---\n\n"
    )
    for number, name in enumerate(pages):
        cells = [
            f"```{{code-cell}}\n{code}\n```" for code in code_blocks(number, torch)
        ]
        text = head + "\n\n".join([f"# Page {number}", *cells])
        (docs / f"{name}.md").write_text(text, "utf-8")
    command = ("-m", "sphinx", "-q", "-E", "docs", "built")
    return lambda: run(folder, sys.executable, *command)
