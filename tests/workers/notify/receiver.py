"""An HTTP server on this machine that keeps what is posted to it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Receiver(ThreadingHTTPServer):
    """Keeps what is posted; answers with `status`."""

    status = 200
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Posted)
        self.posts: list[tuple[str, dict[str, str], bytes]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/hook?room=1"


class Posted(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:  # the name is the library's
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.posts.append((self.path, dict(self.headers), body))
        self.send_response(self.server.status)
        self.send_header("Location", self.server.url)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


def served(server: Any) -> Iterator[Any]:
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
