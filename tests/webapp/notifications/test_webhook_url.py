"""How webhooks' addresses are written, and where they may lead as the guard says: tests/webapp/networks/test_guard.py."""

from __future__ import annotations

import socket
import threading
from typing import Any

import pytest

from webapp.notifications import webhook_url
from webapp.notifications.mail import NotDelivered
from webapp.notifications.webhook_url import InvalidWebhookUrl, caution, check
from workers.notify import webhooks


@pytest.mark.parametrize(
    "url",
    ["ftp://example.org/", "https://", "https://user:secret@example.org/", "javascript:alert(1)", "https://e.org:99999/",
     "https://example.org/a b", "https://example.org/\r\nX: y", "file:///etc/passwd", "https://e.org/" + "x" * 1000],
)  # fmt: skip
def test_what_is_no_address(url: str) -> None:
    with pytest.raises(InvalidWebhookUrl):
        check(url)


@pytest.mark.parametrize(
    "url", ["https://e.org/hook?a=%20", "http://10.0.0.1:8080", "https://[2606:2800:220:1::1]/"]
)
def test_what_is_one(url: str) -> None:
    check(url)


INTERNAL = [
    "127.0.0.1", "127.1", "2130706433", "0x7f000001", "0x7f.1", "017700000001", "0177.0.0.1", "localhost", "LOCALHOST", "[::1]",
    "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "0.0.0.0", "0", "[::]", "10.0.0.5", "10.5", "167772165", "172.16.9.9",
    "192.168.1.1", "192.168.257", "3232235777", "0xc0a80101", "169.254.169.254", "2852039166", "0xa9fea9fe", "[fe80::1]", "[fd00:ec2::254]",
    "[fc00::1]", "100.64.0.1", "100.100.100.200", "168.63.129.16", "198.18.0.1", "224.0.0.1", "255.255.255.255", "[ff02::1]",
    "[64:ff9b::a00:1]", "[2002:a00:1::1]", "[::ffff:10.0.0.1]", "１２７.0.0.1", "127。0。0。1",
]  # fmt: skip


@pytest.mark.parametrize("host", INTERNAL)
def test_what_a_delivery_would_refuse_the_form_refuses_with_the_reason(host: str) -> None:
    url = f"https://{host}:8443/hook"
    with pytest.raises(InvalidWebhookUrl, match=r"which is not allowed\. .*WEBHOOK_NETWORKS"):
        caution(url)
    with pytest.raises(NotDelivered) as refusal:
        webhooks.target_of(url)
    assert "which is not allowed" in refusal.value.detail


def test_networks_that_are_named_are_taken(settings: Any) -> None:
    settings.WEBHOOK_NETWORKS = ["loopback", "10.0.0.0/8"]
    assert caution("http://127.0.0.1:9000/hook") == ""
    assert caution("https://10.1.2.3/hook") == ""
    with pytest.raises(InvalidWebhookUrl, match=r"10\.1\.2\.3 is another machine\. Use https"):
        caution("http://10.1.2.3/hook")
    settings.WEBHOOKS_OVER_HTTP = True
    assert caution("http://10.1.2.3/hook") == ""


def test_a_public_address_is_taken_without_a_caution() -> None:
    assert caution("https://93.184.216.34/hook") == caution("https://[2606:2800:220:1::1]/") == ""


def test_a_name_that_does_not_resolve_is_taken_with_a_caution() -> None:
    assert "hooks.invalid does not resolve at the moment" in caution("https://hooks.invalid/a")


def test_a_resolver_that_does_not_answer_holds_no_form_up(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = threading.Event()
    monkeypatch.setattr(webhook_url, "RESOLVE_SECONDS", 0.05)

    def slow(*_: Any, **__: Any) -> Any:
        answers.wait(60)
        return [(0, 0, 0, "", ("93.184.216.34", 443))]

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    assert "does not resolve at the moment" in caution("https://slow.example.org/")
    answers.set()
