"""Woven pages for any site generator: plain Markdown, figures as files beside it."""

import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from attention_ref.lessons.publishing.weaving import describe, shown_text, weave
from attention_ref.lessons.verification import BlockResult, PageResult

_SVG = re.compile(r"<svg.*?</svg>", re.DOTALL)
_NAMESPACE = 'xmlns="http://www.w3.org/2000/svg"'


def weave_folder(source: Path, results: Sequence[PageResult], target: Path) -> None:
    """Write a folder of pages anew, woven, with everything else that lies in it.

    Args:
        source: The folder of the pages.
        results: The pages in it, with their results.
        target: The folder to write; it must not exist, or be empty.

    Raises:
        FileExistsError: If there is something in the target.
    """
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        message = f"weave: {target} must be empty or not exist. Choose another folder"
        raise FileExistsError(message)
    woven = {result.page.file: result for result in results}
    for path in sorted(source.rglob("*")):
        place = target / path.relative_to(source)
        if path.is_dir() or "__pycache__" in path.parts:
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        if result := woven.get(path.resolve()):
            place.write_text(_woven(result, place), encoding="utf-8")
            _write_downloads(result, place.parent)
        else:
            shutil.copy2(path, place)


def _woven(result: PageResult, place: Path) -> str:
    page = result.page
    return page.text[: page.body_start] + weave(result, _presenter(place))


def _presenter(place: Path) -> Callable[[BlockResult], str]:
    def present(result: BlockResult) -> str:
        title, text = describe(result), shown_text(result)
        ticks = max((len(run) for run in re.findall("`+", text)), default=0)
        marker = "`" * max(3, ticks + 1)
        fence = f'{marker}text {{title="{title}"}}\n{text}\n{marker}'
        parts = [fence if text else f"*{title[0].upper()}{title[1:]}.*"]
        for drawn in filter(None, result.outcome.figures if result.outcome else []):
            name = f"{place.stem}-{result.block.index}.svg"
            svg = _SVG.search(drawn)
            assert svg
            drawing = svg[0].replace("<svg", f"<svg {_NAMESPACE}", 1)
            place.with_name(name).write_text(drawing, encoding="utf-8")
            parts.append(f"![{result.block.options.figure}]({name})")
            if caption := result.block.options.shown_caption:
                parts.append(f"*{caption}*")
        return "\n\n".join(parts)

    return present


def _write_downloads(result: PageResult, folder: Path) -> None:
    for block in result.page.blocks:
        if block.options.download:
            source = result.page.standalone_source(block)
            Path(folder, block.options.download).write_text(source, encoding="utf-8")
