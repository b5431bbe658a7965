"""What people type for bootstrap servers, registries and certificates, checked as far as that goes without asking anybody.

Whether a server may be spoken to is decided by the worker, on the address that its name resolves to.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from cryptography.x509 import load_pem_x509_certificates

MAX_SERVERS = 50
SERVER = re.compile(
    r"(?:(?P<name>[A-Za-z0-9._-]{1,253})|\[(?P<six>[0-9A-Fa-f:.%]{2,60})\]):(?P<port>\d{1,5})"
)
KEY = re.compile(r"-----BEGIN ((RSA|EC|ENCRYPTED) )?PRIVATE KEY-----.+-----END", re.DOTALL)


class InvalidAddress(Exception):
    """What is wrong and what to write instead."""


def bootstrap(text: str) -> str:
    """`host:port`, separated by commas. Raises InvalidAddress."""
    servers = [server for server in re.split(r"[\s,;]+", text) if server]
    if len(servers) > MAX_SERVERS:
        raise InvalidAddress(f"{len(servers)} servers are too many. Enter {MAX_SERVERS} at most.")
    for server in servers:
        match = SERVER.fullmatch(server)
        if not match or not 0 < int(match["port"]) < 65536:
            raise InvalidAddress(f"{server} is not a server with its port, such as broker1.example.org:9092.")
    return ", ".join(servers)


def url(text: str) -> str:
    """An http or https address without a name and password in it. Raises InvalidAddress."""
    parts = urlsplit(text.strip())
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise InvalidAddress(f"{text} is not an address such as https://registry.example.org:8081.")
    if parts.username or parts.password:
        raise InvalidAddress(
            "Leave user name and password out of the address. Enter them in their own fields."
        )
    return text.strip().rstrip("/")


def certificates(text: str) -> str:
    """One or more certificates as PEM. Raises InvalidAddress."""
    try:
        load_pem_x509_certificates(text.encode())
    except ValueError:
        raise InvalidAddress(
            "This text contains no readable certificate. Paste PEM text: from -----BEGIN CERTIFICATE----- to "
            "-----END CERTIFICATE-----, both lines included."
        ) from None
    return text.strip() + "\n"


def private_key(text: str) -> str:
    """A private key as PEM, encrypted or not. Raises InvalidAddress."""
    if not KEY.search(text):
        raise InvalidAddress(
            "This is not a private key. Paste PEM text: from -----BEGIN … PRIVATE KEY----- to its end line."
        )
    return text.strip() + "\n"
