"""Serves a folder as a host does: text compressed, and kept by the browser a while."""

from __future__ import annotations

import contextlib
import functools
import gzip
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

TEXT = {".html", ".css", ".js", ".json", ".svg", ".xml", ".txt", ".md"}


@contextlib.contextmanager
def serve(folder: Path, prefix: str = "/") -> Iterator[int]:
    """Serve a folder below a path of the host; yield the port."""
    handler = functools.partial(_Handler, directory=str(folder), prefix=prefix)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # one connection for many files

    def __init__(self, *arguments, prefix: str, **options) -> None:
        self._prefix = prefix
        super().__init__(*arguments, **options)

    def do_GET(self) -> None:
        """Send a file; text is compressed."""
        path = Path(self.translate_path(self.path))
        if path.is_dir() and self.path.endswith("/"):
            path /= "index.html"
        if path.suffix not in TEXT or not path.is_file():
            super().do_GET()
            return
        body = _compressed(path, path.stat().st_mtime_ns)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def translate_path(self, path: str) -> str:
        """Find the file; what lies beside the prefix is not there."""
        if not path.startswith(self._prefix):
            return str(Path(self.directory, "not", "there"))
        return super().translate_path("/" + path.removeprefix(self._prefix))

    def end_headers(self) -> None:
        """Let the browser keep what it has, as the usual hosts do."""
        self.send_header("Cache-Control", "max-age=600")
        super().end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing: pytest shows what matters."""


@functools.cache
def _compressed(path: Path, _changed: int) -> bytes:
    return gzip.compress(path.read_bytes(), 6)
