"""Which addresses a webhook may have: what a server must not be talked into asking is refused, also behind a name.

https to anywhere but the networks below, http to this machine; elsewhere with http only if the site allows it.
"""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings

LONGEST = 1000
NEVER = [
    ipaddress.ip_network(network)
    for network in (
        "0.0.0.0/8", "169.254.0.0/16", "100.100.100.200/32", "168.63.129.16/32", "192.0.0.0/24", "224.0.0.0/3",
        "::/128", "fe80::/10", "fec0::/10", "ff00::/8", "fd00:ec2::/32", "100::/64",
    )
]  # fmt: skip
IPV4_WITHIN = ipaddress.ip_network("64:ff9b::/96")  # the last 32 bits are an IPv4 address
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class Forbidden(ValueError):
    """Why an address is not used, in words."""


@dataclass(frozen=True)
class Target:
    """Where to connect, and what to say there."""

    scheme: str
    host: str
    port: int
    ip: str
    path: str


def check(url: str) -> None:
    """Raise Forbidden for what can be seen without asking anybody."""
    _parts(url)


def resolve(url: str) -> Target:
    """Ask for the name's addresses; all of them must be allowed, and the first is what is connected to."""
    scheme, host, port, path = _parts(url)
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as problem:
        raise Forbidden(f"The name {host} cannot be resolved.") from problem
    addresses = [ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]
    for address in addresses:
        _insist(address, scheme, host)
    return Target(scheme, host, port, str(addresses[0]), path)


def _parts(url: str) -> tuple[str, str, int, str]:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as problem:
        raise Forbidden("This is not an address such as https://example.org/hook.") from problem
    if (
        parts.scheme not in {"http", "https"}
        or not parts.hostname
        or len(url) > LONGEST
        or not url.isprintable()
    ):
        raise Forbidden("This is not an address such as https://example.org/hook.")
    if parts.username or parts.password:
        raise Forbidden("Leave name and password out of the address; the signature says who sends.")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if any(character.isspace() for character in path) or not path.isascii():
        raise Forbidden("Write the path of the address in ASCII, everything else percent-encoded.")
    return parts.scheme, parts.hostname, port or (443 if parts.scheme == "https" else 80), path


def _insist(address: Address, scheme: str, host: str) -> None:
    plain = _within(address)
    if any(plain in network for network in NEVER if network.version == plain.version):
        raise Forbidden(f"{host} leads to {address}, an address that webhooks may not have.")
    if scheme == "http" and not plain.is_loopback and not settings.WEBHOOKS_OVER_HTTP:
        raise Forbidden(f"{host} is another machine: use https, so that nobody on the way reads along.")


def _within(address: Address) -> Address:
    """The IPv4 address that an IPv6 address stands for."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address in IPV4_WITHIN:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address
