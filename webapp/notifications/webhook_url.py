"""How a webhook's address is written, and where it may lead: asked by the form, and by the worker for each delivery."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from urllib.parse import urlsplit

from django.conf import settings

from webapp.networks.errors import NetError, Unreachable
from webapp.networks.guard import Networks, is_sent_in_clear

MAX_CHARACTERS = 1000
RESOLVE_SECONDS = 2.0  # for which a form waits for the name's addresses
NO_ADDRESS = "This is not an address such as https://example.org/hook."
UNKNOWN_NAME = "The name {host} does not resolve at the moment. Deliveries fail until it does."


class InvalidWebhookUrl(ValueError):
    """Why an address is not used, in words."""


def check(url: str) -> None:
    """Raise InvalidWebhookUrl for errors that need no name resolution."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as problem:
        raise InvalidWebhookUrl(NO_ADDRESS) from problem
    if (
        parts.scheme not in {"http", "https"}
        or not parts.hostname
        or len(url) > MAX_CHARACTERS
        or not url.isprintable()
    ):
        raise InvalidWebhookUrl(NO_ADDRESS)
    if parts.username or parts.password:
        raise InvalidWebhookUrl("Leave name and password out of the address; the signature says who sends.")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if any(character.isspace() for character in path) or not path.isascii():
        raise InvalidWebhookUrl("Write the path of the address in ASCII, everything else percent-encoded.")


def networks() -> Networks:
    """Networks in which webhooks are allowed."""
    return Networks.public(settings.WEBHOOK_NETWORKS, "WEBHOOK_NETWORKS")


def require_https(url: str, addresses: Sequence[str]) -> None:
    """Raise InvalidWebhookUrl for HTTP to another machine, unless it is allowed."""
    parts = urlsplit(url)
    if is_sent_in_clear(parts.scheme, addresses) and not settings.WEBHOOKS_OVER_HTTP:
        raise InvalidWebhookUrl(
            f"{parts.hostname} is another machine. Use https, so that the message is encrypted."
        )


def caution(url: str) -> str:
    """What a delivery to this address would meet now: empty, or that the name does not resolve.

    Raises InvalidWebhookUrl with the reason for which a delivery would be refused.
    """
    check(url)
    host = str(urlsplit(url).hostname)
    try:
        addresses = _resolved(host)
    except Unreachable:
        addresses = []
    except NetError as why:
        raise InvalidWebhookUrl(str(why)) from why
    require_https(url, addresses)
    return "" if addresses else UNKNOWN_NAME.format(host=host)


def _resolved(host: str) -> list[str]:
    """Allowed addresses; empty if the resolver does not answer in time. Raises NetError."""
    outcome: list[list[str] | NetError] = []

    def resolve() -> None:
        try:
            outcome.append(networks().resolve(host, 443))
        except NetError as problem:
            outcome.append(problem)

    asking = threading.Thread(target=resolve, name="resolve", daemon=True)  # a resolver cannot be broken off
    asking.start()
    asking.join(RESOLVE_SECONDS)
    result = outcome[0] if outcome else []
    if isinstance(result, NetError):
        raise result
    return result
