"""docs/journalscope_client.py gives its token to the server that it was told, and to nobody on the way; it runs whole in tests/e2e/test_api.py."""

from __future__ import annotations

import runpy
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).resolve().parents[3] / "docs" / "journalscope_client.py"


@pytest.fixture(scope="module")
def client() -> dict[str, Any]:
    return runpy.run_path(str(SCRIPT))


def test_a_token_is_not_sent_unencrypted_to_another_machine(
    client: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_: [(0, 0, 0, "", ("198.18.0.7", 0))])
    with pytest.raises(client["Failed"], match="another machine, and http would send the token unencrypted"):
        client["Journalscope"]("http://journals.example.org:8080", "jst_x")
    assert client["Journalscope"]("https://journals.example.org", "jst_x").url


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
def test_this_machine_is_asked_by_http(client: dict[str, Any], host: str) -> None:
    assert client["Journalscope"](f"http://{host}:8000", "jst_x").url


def test_a_redirect_does_not_take_the_token_along(client: dict[str, Any]) -> None:
    tokens: dict[str, str | None] = {}

    class Redirecting(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            tokens[self.path] = self.headers.get("Authorization")
            self.send_response(302 if self.path == "/api" else 200)
            self.send_header("Location", "/elsewhere")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Redirecting) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        client["Journalscope"](f"http://127.0.0.1:{server.server_port}", "jst_x").ask("GET", "api")
        server.shutdown()
    assert tokens == {"/api": "Bearer jst_x", "/elsewhere": None}
