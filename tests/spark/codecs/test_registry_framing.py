"""What stands before a payload: an id, and the indexes of a Protobuf message."""

from __future__ import annotations

import struct

import pytest

from spark.codecs.protobuf import InvalidProtobuf
from spark.codecs.registry_framing import Frame, frame_of, message_indexes


def test_an_id_of_eight_bytes_has_four_zeros_first() -> None:
    assert frame_of(struct.pack(">bq", 0, 7) + b"x") == Frame(7, 9)
    assert frame_of(struct.pack(">bi", 0, 7) + b"x") == Frame(7, 5)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        bytes(4),
        bytes(8),
        bytes(9),
        struct.pack(">bi", 0, -7) + b"x",
        struct.pack(">bi", 1, 7),
        b'\0{"bootstrap":1}',
    ],
    ids=[
        "nothing",
        "short",
        "no id",
        "a zero id",
        "a negative id",
        "another magic",
        "a zero byte before text",
    ],
)
def test_other_bytes_are_no_framing(data: bytes) -> None:
    assert frame_of(data) is None


def test_the_indexes_of_a_message_stand_before_it() -> None:
    assert message_indexes(b"\x00rest") == ([0], b"rest")
    assert message_indexes(b"\x02\x02rest") == ([1], b"rest")
    assert message_indexes(b"\x04\x02\x06") == ([1, 3], b"")


@pytest.mark.parametrize("payload", [b"", b"\x04\x02", b"\x01", b"\xfe\xff\xff\xff\x0f", b"\x80" * 11])
def test_broken_indexes_are_refused(payload: bytes) -> None:
    with pytest.raises(InvalidProtobuf):
        message_indexes(payload)
