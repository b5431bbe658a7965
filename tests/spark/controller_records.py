"""Records of the controllers' journal, byte by byte."""

from __future__ import annotations

import struct
from collections.abc import Sequence

ORDERS, PAYMENTS = bytes(range(16)), bytes(range(16, 32))


def text(value: str) -> bytes:
    return bytes([len(value) + 1]) + value.encode()


def framed(number: int, body: bytes, version: int = 0) -> bytes:
    return bytes([1, number, version]) + body


def topic(name: str = "orders", id: bytes = ORDERS) -> bytes:
    return framed(2, text(name) + id + b"\x00")


def remove_topic(id: bytes = ORDERS) -> bytes:
    return framed(9, id + b"\x00")


def partition(number: int = 0, id: bytes = ORDERS, leader: int = 1, on: Sequence[int] = (1,)) -> bytes:
    replicas = bytes([len(on) + 1]) + struct.pack(f">{len(on)}i", *on)
    return framed(
        3,
        struct.pack(">i", number)
        + id
        + replicas * 2
        + b"\x01\x01"
        + struct.pack(">iii", leader, 0, 0)
        + b"\x00",
    )


def new_leader(leader: int, number: int = 0, id: bytes = ORDERS) -> bytes:
    return framed(5, struct.pack(">i", number) + id + b"\x01\x01\x04" + struct.pack(">i", leader))


def config(name: str, value: str | None, of: str = "orders", kind: int = 2) -> bytes:
    """A setting of a topic (kind 2) or of a broker (4), of all brokers where it is of none."""
    return framed(
        4, bytes([kind]) + text(of) + text(name) + (b"\x00" if value is None else text(value)) + b"\x00"
    )


def broker(number: int = 1, epoch: int = 5, incarnation: bytes = ORDERS, hosts: Sequence[str] = ()) -> bytes:
    """A registration of a fenced broker."""
    places = b"".join(text("PLAIN") + text(host) + struct.pack(">Hh", 9092, 0) + b"\x00" for host in hosts)
    body = struct.pack(">i", number) + incarnation + struct.pack(">q", epoch)
    return framed(0, body + bytes([len(hosts) + 1]) + places + b"\x01\x00\x01\x00")


def unregister(number: int = 1, epoch: int = 5) -> bytes:
    return framed(1, struct.pack(">iq", number, epoch) + b"\x00")


def unfence(number: int = 1, epoch: int = 5) -> bytes:
    return framed(17, struct.pack(">iq", number, epoch) + b"\x01\x00\x01\xff")


def zk_migration(state: int) -> bytes:
    return framed(21, bytes([state]) + b"\x00")


def scram(user: str = "alice") -> bytes:
    return framed(11, text(user) + b"\x01" + b"\x03ab\x03cd\x03ef" + struct.pack(">i", 4096) + b"\x00")


BEGIN, END, ABORT, NO_OP = framed(23, b"\x00"), framed(24, b"\x00"), framed(25, b"\x00"), framed(20, b"\x00")
