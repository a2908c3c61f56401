"""What a page depends on beyond its text: imported code, files read, libraries."""

import ast
import sys
import sysconfig
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import takewhile
from pathlib import Path


class Recorder:
    """Notes which files this process reads and imports, from now on.

    Args:
        folder: The job's own folder, whose files come and go with the job.
    """

    def __init__(self, folder: str) -> None:
        self._folder = str(Path(folder).resolve())
        self._opened: set[str] = set()
        self._newest_module = next(reversed(sys.modules))
        sys.addaudithook(self._note)

    def _note(self, event: str, arguments: tuple[object, ...]) -> None:
        if event != "open" or not isinstance(arguments[0], str):
            return
        mode = arguments[1]
        if mode is None or (isinstance(mode, str) and "r" in mode):
            self._opened.add(arguments[0])

    def files(self) -> frozenset[str]:
        """The files outside site-packages that were read or imported since."""
        opened = filter(None, map(_counted, self._opened))
        kept = {name for name in opened if not name.startswith(f"{self._folder}/")}
        # What was there before is not looked at: a fork would copy it in memory.
        newest_first = reversed(sys.modules)
        new = [*takewhile(lambda name: name != self._newest_module, newest_first)]
        return frozenset(kept | _sources(new))


def imported_files() -> frozenset[str]:
    """The sources outside site-packages that this process has imported."""
    return frozenset(_sources([*sys.modules]))


def _sources(names: Iterable[str]) -> set[str]:
    files = (getattr(sys.modules.get(name), "__file__", None) for name in names)
    return set(filter(None, map(_counted, (f for f in files if isinstance(f, str)))))


@cache
def _counted(name: str) -> str | None:
    """The path of a file that counts as a dependency, or nothing."""
    path = Path(name)
    try:
        # Hundreds of files are imported from few folders, and hardly any is a link.
        if _is_installed(path.parent) and not path.is_symlink():
            return None
        path = path.resolve()
    except OSError:
        return None
    fleeting = path.is_relative_to("/proc") or "__pycache__" in path.parts
    dropped = fleeting or _is_installed(path.parent) or not path.is_file()
    return None if dropped else str(path)


@cache
def _is_installed(folder: Path) -> bool:
    resolved = folder.resolve()
    return any(resolved.is_relative_to(root) for root in _installed_roots())


@cache
def _installed_roots() -> tuple[Path, ...]:
    """Where Python and the libraries live; their versions stand for their content."""
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    paths = {sysconfig.get_path(name) for name in names}
    return tuple(Path(path).resolve() for path in paths if path)


@cache
def library_versions() -> tuple[str, ...]:
    """The installed distributions with their versions, as their folders name them."""
    folders = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    found = {
        info.name
        for folder in folders
        if folder
        for info in Path(folder).glob("*.dist-info")
    }
    return (sys.version, *sorted(found))


def imported_packages(source: str) -> set[str]:
    """The top-level packages that a block's own code imports."""
    return {name for name in imported_modules(source) if "." not in name}


@lru_cache(maxsize=4096)  # a build asks for each block several times
def imported_modules(source: str) -> frozenset[str]:
    """What a block's own code imports, with all that stands before a dot in it.

    Code such as `from torch import nn` does not say whether `torch.nn` is a module.
    """
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return frozenset()
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    parts = (name.split(".") for name in names)
    return frozenset(
        ".".join(each[:n]) for each in parts for n in range(1, len(each) + 1)
    )
