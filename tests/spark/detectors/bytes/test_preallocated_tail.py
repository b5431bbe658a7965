"""Zeros from the last batch to the end of the file."""

from __future__ import annotations

from typing import Any

from tests.generator.segment import Record, batch

SOUND = batch([Record(b"key", b"value")])


def test_reserved_space_is_info_and_never_more(inspect: Any) -> None:
    (finding,) = inspect({0: SOUND + bytes(4096)})
    assert (finding.detector, finding.severity) == ("preallocated-tail", "info")
    assert (finding.first_offset, finding.last_offset) == (None, None)
    assert "4,096 zero bytes" in finding.title


def test_each_file_has_its_own(inspect: Any) -> None:
    found = inspect({0: SOUND + bytes(64), 1: batch([Record(b"k", b"v")], 1) + bytes(64)})
    assert len({finding.id for finding in found}) == 2


def test_zeros_before_another_batch_are_not_meant(inspect: Any) -> None:
    found = inspect({0: SOUND + bytes(600) + batch([Record(b"k", b"v")], 5)})
    assert [finding.detector for finding in found] == ["unreadable-bytes"]


def test_a_file_of_zeros_alone_is_reserved_space_too(inspect: Any) -> None:
    (finding,) = inspect({0: bytes(4096)})
    assert finding.detector == "preallocated-tail"
