"""How webhooks' addresses are written; where they may lead: tests/workers/net/test_guard.py."""

from __future__ import annotations

import pytest

from webapp.notifications.webhook_url import InvalidWebhookUrl, check


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
