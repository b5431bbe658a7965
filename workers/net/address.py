"""Hosts and ports as people write them."""

from __future__ import annotations

from urllib.parse import urlsplit

DEFAULT_PORT = 9092


def host_and_port(text: str) -> tuple[str, int]:
    """("host", 9092) of "host:9092", "host" or "[::1]:9092". Raises ValueError."""
    try:
        parts = urlsplit(f"//{text.strip()}")
        host, port = parts.hostname or "", parts.port if parts.port is not None else DEFAULT_PORT
    except ValueError:
        host, port = "", 0
    if not host or not port or parts.path or parts.query or parts.fragment or parts.username is not None:
        raise ValueError(f"{text} is not a host and port. Enter host:9092, or [::1]:9092 for IPv6.")
    return host, port


def written(host: str, port: int) -> str:
    """`host:9092`, `[::1]:9092`."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
