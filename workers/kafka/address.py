"""Where a cluster is: bootstrap brokers as people write them, and how to sign in."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from workers.kafka.security import Security

DEFAULT_PORT = 9092


@dataclass(frozen=True)
class Address:
    """`bootstrap`: ("host:9092", "[::1]:9093"). Raises ValueError for one that is no host and port."""

    bootstrap: tuple[str, ...]
    security: Security = field(default_factory=Security)

    def __post_init__(self) -> None:
        if not self.bootstrap:
            raise ValueError("No bootstrap server was given. Enter one, such as broker-1.example.org:9092.")
        for text in self.bootstrap:
            host_and_port(text)


def host_and_port(text: str) -> tuple[str, int]:
    """("host", 9092) of "host:9092", "host" or "[::1]:9092". Raises ValueError."""
    try:
        parts = urlsplit(f"//{text.strip()}")
        host, port = parts.hostname or "", parts.port if parts.port is not None else DEFAULT_PORT
    except ValueError:
        host, port = "", 0
    if not host or not port or parts.path or parts.query or parts.fragment or parts.username is not None:
        raise ValueError(f"{text} is no host and port. Write it as host:9092, or [::1]:9092 for IPv6.")
    return host, port


def written(host: str, port: int) -> str:
    """The same in one word: host:9092, [::1]:9092."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
