"""Where we connect to, and where never."""

from __future__ import annotations

import socket

import pytest

from workers.kafka.allowed import Networks
from workers.kafka.errors import Refused, Unreachable

OFF_LIMITS = [
    "127.0.0.1", "::1", "127.8.8.8", "169.254.169.254", "fe80::1", "fe80::1%eth0", "fd00:ec2::254", "168.63.129.16",
    "100.100.100.200", "224.0.0.1", "ff02::1", "255.255.255.255", "0.0.0.0", "0.1.2.3", "::", "::ffff:127.0.0.1",
    "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1",
]  # fmt: skip
EVERYWHERE = ["0.0.0.0/0", "::/0"]


@pytest.mark.parametrize("words", [[], EVERYWHERE], ids=["nothing named", "everything named"])
@pytest.mark.parametrize("address", OFF_LIMITS)
def test_an_address_that_is_never_meant_is_off_limits(address, words):
    with pytest.raises(Refused, match="off limits"):
        Networks.of(words).check(address, "somewhere")


@pytest.mark.parametrize("address", ["10.1.2.3", "192.168.0.1", "8.8.8.8", "fd12::1", "2001:4860::1"])
def test_other_addresses_are_open_where_nothing_is_named(address):
    Networks.of([]).check(address, "somewhere")


def test_what_is_named_is_all_there_is():
    named = Networks.of(["10.0.0.0/8", "fd00::/8"])
    named.check("10.200.0.1", "a")
    named.check("fd12::1", "a")
    named.check("::ffff:10.0.0.1", "a")
    with pytest.raises(Refused, match=r"a \(192\.168\.0\.1\) is in none of the networks"):
        named.check("192.168.0.1", "a")


def test_the_word_loopback_opens_this_machine_and_narrows_nothing():
    named = Networks.of(["loopback"])
    named.check("127.0.0.1", "a")
    named.check("::1", "a")
    named.check("10.0.0.1", "a")
    with pytest.raises(Refused):
        named.check("169.254.169.254", "a")


def test_loopback_beside_a_network_opens_both_and_no_more():
    named = Networks.of(["loopback", "10.0.0.0/8"])
    named.check("127.0.0.1", "a")
    named.check("10.0.0.1", "a")
    with pytest.raises(Refused):
        named.check("11.0.0.1", "a")


def test_a_network_inside_an_off_limits_range_opens_itself():
    named = Networks.of(["169.254.7.0/24"])
    named.check("169.254.7.1", "a")
    with pytest.raises(Refused):
        named.check("169.254.169.254", "a")


def test_a_word_that_is_no_network():
    with pytest.raises(ValueError):
        Networks.of(["10.0.0.0/99"])


def test_names_are_resolved_and_each_address_is_checked(monkeypatch):
    found = [("fe80::1", 9092, 0, 2), ("10.0.0.1", 9092), ("10.0.0.1", 9092), ("169.254.169.254", 9092)]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [(0, 0, 0, "", each) for each in found])
    assert Networks.of([]).resolve("broker", 9092) == ["10.0.0.1"]
    with pytest.raises(Refused, match="broker"):
        Networks.of(["192.168.0.0/16"]).resolve("broker", 9092)


@pytest.mark.parametrize("name", ["no-such-host.invalid", "a" * 70 + ".example", "..", "\udcff"])
def test_a_name_that_does_not_resolve(name):
    with pytest.raises(Unreachable, match="does not resolve"):
        Networks.of([]).resolve(name, 9092)
