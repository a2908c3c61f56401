"""What a page depends on beyond its text: imported code, files read, libraries."""

import sys
import sysconfig
from functools import cache
from pathlib import Path


class Recorder:
    """Notes which files this process reads, from now on.

    Args:
        folder: The job's own folder, whose files come and go with the job.
    """

    def __init__(self, folder: str) -> None:
        self._folder = str(Path(folder).resolve())
        self._opened: set[str] = set()
        sys.addaudithook(self._note)

    def _note(self, event: str, arguments: tuple[object, ...]) -> None:
        if event != "open" or not isinstance(arguments[0], str):
            return
        mode = arguments[1]
        if mode is None or (isinstance(mode, str) and "r" in mode):
            self._opened.add(arguments[0])

    def files(self) -> frozenset[str]:
        """The files outside site-packages that were read or imported."""
        found = set(self._opened)
        for module in list(sys.modules.values()):
            source = getattr(module, "__file__", None)
            if isinstance(source, str):
                found.add(source)
        return frozenset(filter(None, map(self._counted, found)))

    def _counted(self, name: str) -> str | None:
        try:
            path = Path(name).resolve()
        except OSError:
            return None
        installed = any(path.is_relative_to(root) for root in _installed_roots())
        scratch = path.is_relative_to(self._folder) or path.is_relative_to("/proc")
        if installed or scratch or "__pycache__" in path.parts or not path.is_file():
            return None
        return str(path)


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
