"""Addresses that are not on the public Internet, by what they are, and IPv6 addresses that stand for an IPv4 address.

Sources: IANA's special-purpose registries for IPv4 and IPv6; RFC 6598 (shared), 3056 (6to4), 6052 and 8215 (NAT64), 4380
(Teredo), 2765 (IPv4-translated), 4291 2.5.5.1 (IPv4-compatible); the clouds' documentation of their metadata services.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Network = IPv4Network | IPv6Network
IpAddress = IPv4Address | IPv6Address


def _networks(*texts: str) -> tuple[Network, ...]:
    return tuple(map(ip_network, texts))


LOOPBACK = _networks("127.0.0.0/8", "::1/128")
# AWS, Azure, Google and most others: 169.254.169.254; the others each by its own address.
METADATA = _networks(
    "169.254.0.0/16", "fe80::/10", "fec0::/10",
    "fd00:ec2::/32", "fd20:ce::254/128", "168.63.129.16/32", "100.100.100.200/32", "192.0.0.192/32",
)  # fmt: skip
# Nobody means them, whatever is named around them.
OFF_LIMITS: dict[str, tuple[Network, ...]] = {
    "this machine": LOOPBACK,
    "a link-local or metadata address": METADATA,
    "a multicast or broadcast address": _networks("224.0.0.0/4", "255.255.255.255/32", "ff00::/8"),
    "the unspecified address": _networks("0.0.0.0/8", "::/128", "100::/64"),
    "a reserved address": _networks("192.0.0.0/24", "240.0.0.0/4", "5f00::/16"),
    "a tunnel address": _networks("2001::/32", "64:ff9b:1::/48"),
}
# Fine for a broker of one's own, and nothing that the Internet has.
PRIVATE: dict[str, tuple[Network, ...]] = {
    "a private address": _networks("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"),
    "an address behind a provider's NAT": _networks("100.64.0.0/10"),
    "an address for tests or documentation": _networks(
        "198.18.0.0/15", "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20"
    ),
}
# The last 32 bits are an IPv4 address: NAT64, IPv4-translated, IPv4-compatible.
IPV4_AT_THE_END = _networks("64:ff9b::/96", "::ffff:0:0:0/96", "::/96")
IPV6_OF_THEIR_OWN = {IPv6Address("::"), IPv6Address("::1")}


def plain(text: str) -> IpAddress:
    """The address without its scope; IPv6 forms that embed an IPv4 address become that address."""
    address = ip_address(text.partition("%")[0])
    if isinstance(address, IPv4Address) or address in IPV6_OF_THEIR_OWN:
        return address
    if any(address in network for network in IPV4_AT_THE_END):
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


def is_within(inner: Network, outer: Network) -> bool:
    """Whether `inner` is a subnet of `outer`; False for different families."""
    if isinstance(inner, IPv4Network):
        return isinstance(outer, IPv4Network) and inner.subnet_of(outer)
    return isinstance(outer, IPv6Network) and inner.subnet_of(outer)
