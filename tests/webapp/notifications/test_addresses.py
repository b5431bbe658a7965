"""Addresses that webhooks may have, and those a server must not be talked into asking."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from webapp.notifications.addresses import Forbidden, check, resolve


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """A resolver that knows these names; addresses resolve to themselves."""
    known: dict[str, list[str]] = {}

    def getaddrinfo(host: str, port: int, **_: Any) -> list[Any]:
        return [(None, None, None, "", (address, port)) for address in known.get(host, [host])]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return known


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/latest/meta-data/",
        "https://169.254.169.254/",
        "https://[fe80::1]/",
        "https://[::ffff:169.254.169.254]/",
        "https://[64:ff9b::a9fe:a9fe]/",
        "https://[2002:a9fe:a9fe::]/",
        "https://[fd00:ec2::254]/",
        "https://0.0.0.0/",
        "https://[::]/",
        "https://100.100.100.200/",
        "https://224.0.0.1/",
        "https://255.255.255.255/",
        "http://10.0.0.1/",
        "http://93.184.216.34/",
    ],
)
def test_what_is_never_asked(url: str, names: dict[str, list[str]]) -> None:
    with pytest.raises(Forbidden):
        resolve(url)


@pytest.mark.parametrize(
    "url", ["https://93.184.216.34/", "https://10.0.0.1/hook", "http://127.0.0.1:9/", "http://[::1]:9/"]
)
def test_what_may_be_asked(url: str, names: dict[str, list[str]]) -> None:
    assert resolve(url).ip


def test_every_address_behind_a_name_must_be_allowed(names: dict[str, list[str]]) -> None:
    names["hooks.example.org"] = ["93.184.216.34", "169.254.169.254"]
    with pytest.raises(Forbidden, match="hooks.example.org leads to 169.254.169.254"):
        resolve("https://hooks.example.org/")


def test_http_elsewhere_needs_the_sites_consent(settings: Any, names: dict[str, list[str]]) -> None:
    names["inside"] = ["10.1.2.3"]
    with pytest.raises(Forbidden, match="use https"):
        resolve("http://inside/hook")
    settings.WEBHOOKS_OVER_HTTP = True
    assert resolve("http://inside/hook?a=1").path == "/hook?a=1"


@pytest.mark.parametrize(
    "url",
    ["ftp://example.org/", "https://", "https://user:secret@example.org/", "javascript:alert(1)", "https://e.org:99999/",
     "https://example.org/a b", "https://example.org/\r\nX: y", "file:///etc/passwd", "https://e.org/" + "x" * 1000],
)  # fmt: skip
def test_what_is_no_address(url: str) -> None:
    with pytest.raises(Forbidden):
        check(url)
