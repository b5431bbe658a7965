"""TLS to a broker, and its failures in words."""

from __future__ import annotations

import socket
import ssl

from workers.kafka.errors import NotTrusted
from workers.kafka.security import Security


def secured(connection: socket.socket, host: str, broker: str, security: Security) -> socket.socket:
    """The connection, encrypted."""
    context = ssl.create_default_context(cadata=security.ca_pem)
    try:
        return context.wrap_socket(connection, server_hostname=host)
    except ssl.SSLError as wrong:
        raise translated(wrong, broker) from None


def translated(wrong: ssl.SSLError, broker: str) -> NotTrusted:
    """In words."""
    return NotTrusted(f"TLS with {broker} failed ({wrong.reason}).", "See the broker's log.")
