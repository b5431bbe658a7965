"""Which networks we connect to: names are resolved once, each address is checked, and the connection goes to that address.

Never meant, whatever is named around them: this machine, link-local and metadata addresses, multicast, unspecified. Such
a range opens only to a named network inside it (`127.0.0.1/32`); the word `loopback` opens this machine and narrows nothing.
"""

from __future__ import annotations

import socket
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Self

from workers.kafka.errors import Refused, Unreachable

Network = IPv4Network | IPv6Network
LOOPBACK: tuple[Network, ...] = tuple(map(ip_network, ("127.0.0.0/8", "::1/128")))
OFF_LIMITS: dict[str, tuple[Network, ...]] = {
    "this machine": LOOPBACK,
    "a link-local or metadata address": tuple(
        map(
            ip_network,
            ("169.254.0.0/16", "fe80::/10", "fd00:ec2::254/128", "168.63.129.16/32", "100.100.100.200/32"),
        )
    ),
    "a multicast or broadcast address": tuple(
        map(ip_network, ("224.0.0.0/4", "255.255.255.255/32", "ff00::/8"))
    ),
    "no address at all": tuple(map(ip_network, ("0.0.0.0/8", "::/128"))),
}
# An IPv4 address travels in these, too (RFC 6052).
NAT64 = IPv6Network("64:ff9b::/96")
CURE = "Enter another address, or have an administrator add its network to KAFKA_NETWORKS."


@dataclass(frozen=True)
class Networks:
    """`named` networks only, or every network where none is named; off-limits ranges as the module says."""

    named: tuple[str, ...] = ()

    @classmethod
    def of(cls, words: Iterable[str]) -> Self:
        """From words such as `10.0.0.0/8` and `loopback`. Raises ValueError for another word."""
        named = tuple(words)
        for word in named:
            if word != "loopback":
                ip_network(word)
        return cls(named)

    def check(self, address: str, host: str) -> None:
        """Raises Refused for an address, of the host that people know it by, where we do not go."""
        plain = _plain(address)
        opened = self._opened()
        for what, ranges in OFF_LIMITS.items():
            for off_limits in ranges:
                if plain in off_limits and not any(plain in o and _is_within(o, off_limits) for o in opened):
                    raise Refused(f"{_named(host, address)} is {what}, which is off limits.", CURE)
        if set(self.named) - {"loopback"} and not any(plain in network for network in opened):
            raise Refused(f"{_named(host, address)} is in none of the networks that we may connect to.", CURE)

    def resolve(self, host: str, port: int) -> list[str]:
        """The host's addresses where we may go, in the resolver's order. Raises Unreachable, Refused."""
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            raise Unreachable(
                f"The name {host} does not resolve.",
                "Check the spelling, and that the DNS server that this machine asks knows the name.",
            ) from None
        allowed, refused = [], []
        for address in dict.fromkeys(str(each[4][0]) for each in found):
            try:
                self.check(address, host)
                allowed.append(address)
            except Refused as why:
                refused.append(why)
        if not allowed:
            raise refused[0]
        return allowed

    def _opened(self) -> list[Network]:
        """What the words name."""
        networks: list[Network] = [ip_network(word) for word in self.named if word != "loopback"]
        return [*networks, *(LOOPBACK if "loopback" in self.named else ())]


def _is_within(inner: Network, outer: Network) -> bool:
    """Whether one network lies in another of its family."""
    if isinstance(inner, IPv4Network):
        return isinstance(outer, IPv4Network) and inner.subnet_of(outer)
    return isinstance(outer, IPv6Network) and inner.subnet_of(outer)


def _plain(text: str) -> IPv4Address | IPv6Address:
    """The address that packets reach in the end: without its scope, and out of IPv4-mapped, 6to4 and NAT64 forms."""
    address = ip_address(text.partition("%")[0])
    if isinstance(address, IPv4Address):
        return address
    if address in NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


def _named(host: str, address: str) -> str:
    return host if host == address else f"{host} ({address})"
