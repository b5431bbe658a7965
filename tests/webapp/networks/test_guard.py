"""Where we connect to, and where never."""

from __future__ import annotations

import socket

import pytest

from webapp.networks.errors import NetworkBlocked, Unreachable
from webapp.networks.guard import Networks, is_sent_in_clear

OFF_LIMITS = [
    "127.0.0.1", "::1", "127.8.8.8", "169.254.169.254", "fe80::1", "fe80::1%eth0", "fd00:ec2::254", "168.63.129.16",
    "100.100.100.200", "224.0.0.1", "ff02::1", "255.255.255.255", "0.0.0.0", "0.1.2.3", "::", "::ffff:127.0.0.1",
    "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1", "192.0.0.192", "fd20:ce::254", "::127.0.0.1",
    "::169.254.169.254", "::ffff:0:127.0.0.1", "64:ff9b:1::7f00:1", "2001:0:7f00:1::", "240.0.0.1", "192.0.0.8", "100::1",
    "fec0::1", "fd00:ec2::23", "2002:7f00:1::",
]  # fmt: skip
EVERYWHERE = ["0.0.0.0/0", "::/0"]


@pytest.mark.parametrize("words", [[], EVERYWHERE], ids=["nothing named", "everything named"])
@pytest.mark.parametrize("address", OFF_LIMITS)
def test_an_address_that_is_never_meant_is_off_limits(address, words):
    with pytest.raises(NetworkBlocked, match="is not allowed"):
        Networks.of(words).check(address, "somewhere")


@pytest.mark.parametrize("address", ["10.1.2.3", "192.168.0.1", "8.8.8.8", "fd12::1", "2001:4860::1"])
def test_other_addresses_are_open_where_nothing_is_named(address):
    Networks.of([]).check(address, "somewhere")


def test_what_is_named_is_all_there_is():
    named = Networks.of(["10.0.0.0/8", "fd00::/8"])
    named.check("10.200.0.1", "a")
    named.check("fd12::1", "a")
    named.check("::ffff:10.0.0.1", "a")
    with pytest.raises(NetworkBlocked, match=r"a \(192\.168\.0\.1\) is not in an allowed network"):
        named.check("192.168.0.1", "a")


def test_the_word_loopback_opens_this_machine_and_narrows_nothing():
    named = Networks.of(["loopback"])
    named.check("127.0.0.1", "a")
    named.check("::1", "a")
    named.check("10.0.0.1", "a")
    with pytest.raises(NetworkBlocked):
        named.check("169.254.169.254", "a")


def test_loopback_beside_a_network_opens_both_and_no_more():
    named = Networks.of(["loopback", "10.0.0.0/8"])
    named.check("127.0.0.1", "a")
    named.check("10.0.0.1", "a")
    with pytest.raises(NetworkBlocked):
        named.check("11.0.0.1", "a")


def test_a_network_inside_an_off_limits_range_opens_itself():
    named = Networks.of(["169.254.7.0/24"])
    named.check("169.254.7.1", "a")
    with pytest.raises(NetworkBlocked):
        named.check("169.254.169.254", "a")


def test_a_word_that_is_no_network():
    with pytest.raises(ValueError):
        Networks.of(["10.0.0.0/99"])


def test_names_are_resolved_and_each_address_is_checked(monkeypatch):
    found = [("fe80::1", 9092, 0, 2), ("10.0.0.1", 9092), ("10.0.0.1", 9092), ("169.254.169.254", 9092)]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [(0, 0, 0, "", each) for each in found])
    assert Networks.of([]).resolve("broker", 9092) == ["10.0.0.1"]
    with pytest.raises(NetworkBlocked, match="broker"):
        Networks.of(["192.168.0.0/16"]).resolve("broker", 9092)


PRIVATE = [
    "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fd12::1", "fc00::1", "100.64.0.1", "100.127.255.255",
    "198.18.0.1", "192.0.2.1", "2001:db8::1", "::ffff:10.0.0.1", "::10.0.0.1", "64:ff9b::a00:1", "2002:a00:1::1",
]  # fmt: skip
PUBLIC = ["93.184.216.34", "8.8.8.8", "2606:2800:220:1::1", "172.32.0.1", "100.128.0.1", "64:ff9b::808:808"]


class TestWherePeopleChooseTheServer:
    """The Internet only, unless a network is named."""

    @pytest.mark.parametrize("address", [*OFF_LIMITS, *PRIVATE])
    @pytest.mark.parametrize(
        "words", [[], ["203.0.113.0/24"]], ids=["nothing named", "another network named"]
    )
    def test_what_the_internet_does_not_have_is_off_limits(self, address, words):
        with pytest.raises(NetworkBlocked, match=r"is not allowed.*WEBHOOK_NETWORKS"):
            Networks.public(words, "WEBHOOK_NETWORKS").check(address, "somewhere")

    @pytest.mark.parametrize("address", PUBLIC)
    @pytest.mark.parametrize("words", [[], ["10.0.0.0/8"]], ids=["nothing named", "another network named"])
    def test_the_internet_is_open(self, address, words):
        Networks.public(words, "WEBHOOK_NETWORKS").check(address, "somewhere")

    def test_what_is_named_is_open_as_well(self):
        named = Networks.public(["loopback", "10.0.0.0/8", "fd00::/8"], "WEBHOOK_NETWORKS")
        for address in ("127.0.0.1", "::1", "10.1.2.3", "::ffff:10.1.2.3", "fd12::1"):
            named.check(address, "somewhere")
        for address in ("192.168.1.1", "169.254.169.254", "fd20:ce::254"):
            with pytest.raises(NetworkBlocked):
                named.check(address, "somewhere")

    @pytest.mark.parametrize("name", ["2130706433", "0x7f.1", "127.1", "017700000001", "localhost"])
    def test_other_spellings_of_this_machine_are_this_machine(self, name):
        with pytest.raises(NetworkBlocked, match="this machine"):
            Networks.public([], "WEBHOOK_NETWORKS").resolve(name, 80)


@pytest.mark.parametrize("name", ["no-such-host.invalid", "a" * 70 + ".example", "..", "\udcff"])
def test_a_name_that_does_not_resolve(name):
    with pytest.raises(Unreachable, match="does not resolve"):
        Networks.of([]).resolve(name, 9092)


@pytest.mark.parametrize(
    ("scheme", "addresses", "is_so"),
    [
        ("http", ["127.0.0.1", "::1"], False),
        ("http", ["127.0.0.1", "10.0.0.1"], True),
        ("http", ["203.0.113.7"], True),
        ("http", [], True),
        ("https", ["203.0.113.7"], False),
    ],
)
def test_http_to_another_machine_is_sent_in_clear(scheme, addresses, is_so):
    assert is_sent_in_clear(scheme, addresses) is is_so
