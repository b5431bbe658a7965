"""Which networks we connect to: names are resolved once, each address is checked, and the connection goes to that address.

Addresses of `ranges.OFF_LIMITS` open only to a named network inside their range (`127.0.0.1/32`); the word `loopback` opens
this machine and narrows nothing. Where people choose the address of somebody else's server, `is_public` closes private
networks as well, and what is named is opened beside the Internet instead of in its place.
"""

from __future__ import annotations

import socket
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from ipaddress import ip_network
from typing import Self

from webapp.networks.errors import NetworkBlocked, Unreachable
from webapp.networks.ranges import LOOPBACK, OFF_LIMITS, PRIVATE, IpAddress, Network, is_within, plain

CURE = "Enter another address, or have an administrator add its network to {setting}."


@dataclass(frozen=True)
class Networks:
    """`named` networks only, or every network where none is named; off-limits ranges and `is_public` as the module says."""

    named: tuple[str, ...] = ()
    setting: str = "KAFKA_NETWORKS"
    is_public: bool = False

    @classmethod
    def of(cls, words: Iterable[str]) -> Self:
        """For brokers, from words such as `10.0.0.0/8` and `loopback`. Raises ValueError for other words."""
        return cls(_checked(words))

    @classmethod
    def public(cls, words: Iterable[str], setting: str) -> Self:
        """The Internet and the named networks. Raises ValueError."""
        return cls(_checked(words), setting, is_public=True)

    def check(self, address: str, host: str) -> None:
        """Raises NetworkBlocked for an address that is not allowed; `host` is its name in the message."""
        reached, opened = plain(address), self._opened()
        for name, ranges in OFF_LIMITS.items():
            for off_limits in ranges:
                named = [network for network in opened if is_within(network, off_limits)]
                if reached in off_limits and not _holds(named, reached):
                    raise self._refused(f"{_known_as(host, address)} is {name}, which is not allowed.")
        if _holds(opened, reached):
            return
        if self.is_public:
            self._require_public(reached, _known_as(host, address))
        elif set(self.named) - {"loopback"}:
            raise self._refused(f"{_known_as(host, address)} is not in an allowed network.")

    def resolve(self, host: str, port: int) -> list[str]:
        """Allowed addresses of the host in the resolver's order. Raises Unreachable, NetworkBlocked."""
        try:
            resolved = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            raise Unreachable(
                f"The name {host} does not resolve.",
                "Check the spelling, and that this machine's DNS server knows the name.",
            ) from None
        allowed, refused = [], []
        for address in dict.fromkeys(str(each[4][0]) for each in resolved):
            try:
                self.check(address, host)
                allowed.append(address)
            except NetworkBlocked as why:
                refused.append(why)
        if not allowed:
            raise refused[0]
        return allowed

    def _require_public(self, reached: IpAddress, known_as: str) -> None:
        for name, ranges in PRIVATE.items():
            if _holds(ranges, reached):
                raise self._refused(f"{known_as} is {name}, which is not allowed.")

    def _opened(self) -> list[Network]:
        """Networks that the setting allows."""
        networks: list[Network] = [ip_network(word) for word in self.named if word != "loopback"]
        return [*networks, *(LOOPBACK if "loopback" in self.named else ())]

    def _refused(self, cause: str) -> NetworkBlocked:
        return NetworkBlocked(cause, CURE.format(setting=self.setting))


def is_loopback(address: str) -> bool:
    return _holds(LOOPBACK, plain(address))


def is_sent_in_clear(scheme: str, addresses: Collection[str]) -> bool:
    """Whether a request leaves this machine unencrypted; nothing is known of a name without addresses."""
    return scheme == "http" and not (addresses and all(map(is_loopback, addresses)))


def _checked(words: Iterable[str]) -> tuple[str, ...]:
    named = tuple(words)
    for word in named:
        if word != "loopback":
            ip_network(word)
    return named


def _holds(networks: Iterable[Network], address: IpAddress) -> bool:
    return any(address in network for network in networks)


def _known_as(host: str, address: str) -> str:
    return host if host == address else f"{host} ({address})"
