"""How a webhook's address is written. Where it may lead to is decided by the worker, on what its name resolves to then."""

from __future__ import annotations

from urllib.parse import urlsplit

MAX_CHARACTERS = 1000


class InvalidWebhookUrl(ValueError):
    """Why an address is not used, in words."""


def check(url: str) -> None:
    """Raise InvalidWebhookUrl for what can be seen without asking anybody."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as problem:
        raise InvalidWebhookUrl("This is not an address such as https://example.org/hook.") from problem
    if (
        parts.scheme not in {"http", "https"}
        or not parts.hostname
        or len(url) > MAX_CHARACTERS
        or not url.isprintable()
    ):
        raise InvalidWebhookUrl("This is not an address such as https://example.org/hook.")
    if parts.username or parts.password:
        raise InvalidWebhookUrl("Leave name and password out of the address; the signature says who sends.")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if any(character.isspace() for character in path) or not path.isascii():
        raise InvalidWebhookUrl("Write the path of the address in ASCII, everything else percent-encoded.")
