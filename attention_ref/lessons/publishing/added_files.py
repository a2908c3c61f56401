"""Files that a build adds to the site: the scripts that pages offer, and the report."""

import json
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from attention_ref.lessons.errors import PageError
from attention_ref.lessons.publishing.report import as_data, as_markdown
from attention_ref.lessons.verification import PageResult


def add_scripts(
    results: Mapping[str, PageResult], files: Files, config: MkDocsConfig
) -> Iterator[PageError]:
    """Add the scripts that the pages offer; yield those that are there already."""
    for address, result in results.items():
        for block in filter(lambda each: each.options.download, result.page.blocks):
            folder = PurePosixPath(address).parent
            target = (folder / str(block.options.download)).as_posix()
            if files.get_file_from_path(target):
                message = f"download {target} is there already. Choose another name"
                yield PageError(result.page.path, block.line, message)
            source = result.page.standalone_source(block)
            files.append(File.generated(config, target, content=source))


def add_report(
    results: Mapping[str, PageResult], address: str, files: Files, config: MkDocsConfig
) -> None:
    """Add the report as a page at the address, and as data beside it."""
    listed = [*results.values()]
    data = as_data(listed)
    page = PurePosixPath(address)
    written = json.dumps(data, indent=1, ensure_ascii=False)
    for path, content in (
        (page, as_markdown(listed, data)),
        (page.with_suffix(".json"), written),
    ):
        files.append(File.generated(config, path.as_posix(), content=content))
