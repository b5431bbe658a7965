"""Offsets that repeat or go back within one copy of a partition."""

from __future__ import annotations

from typing import Any

import pytest

from spark.detectors.bytes import offset_order
from tests.generator.segment import Record, batch


def part(base_offset: int, count: int = 3, value: bytes = b"value") -> bytes:
    return batch([Record(b"key", value) for _ in range(count)], base_offset)


def places(found: list[Any]) -> list[tuple[str, int, int]]:
    return [(finding.detector, finding.first_offset, finding.last_offset) for finding in found]


def test_gaps_are_in_order(inspect: Any) -> None:
    assert inspect({0: part(0) + part(7) + part(20), 30: part(31)}) == []


def test_a_batch_that_stands_twice_has_equal_bytes(inspect: Any) -> None:
    found = inspect({0: part(0) + part(3) + part(3) + part(6)})
    assert places(found) == [("offset-order", 3, 5)]
    assert "equal bytes" in found[0].explanation
    assert "1 batch of this range occurs" in found[0].explanation
    assert found[0].severity == "critical"
    assert "Java consumers discard" in found[0].explanation
    assert (
        "get each offset once. librdkafka clients do so only between fetch responses" in found[0].explanation
    )
    assert "never get" not in found[0].title


def test_the_same_offsets_with_other_bytes_are_two_histories(inspect: Any) -> None:
    (finding,) = inspect({0: part(0) + part(3) + part(3, value=b"other") + part(6)})
    assert "different bytes" in finding.explanation
    assert "two diverged logs" in finding.explanation


def test_batches_that_changed_places_are_out_of_order_not_twice(inspect: Any) -> None:
    (finding,) = inspect({0: part(0) + part(6) + part(3) + part(9)})
    assert (finding.first_offset, finding.last_offset) == (3, 8)
    assert "out of order" in finding.title
    assert "No batch occurs twice" in finding.explanation
    assert finding.title.startswith("Java consumers of steady-0 never get offsets 3-5: ")
    assert "never get some records" in offset_order.headline([finding])


def test_a_run_of_repeated_batches_is_one_finding(inspect: Any) -> None:
    twice = b"".join(part(offset) for offset in (0, 3, 6, 9))
    assert places(inspect({0: twice + twice + part(12)})) == [("offset-order", 0, 11)]


def test_batches_in_reverse_are_one_finding(inspect: Any) -> None:
    content = b"".join(part(offset) for offset in (0, 12, 9, 6, 3, 15))
    assert places(inspect({0: content})) == [("offset-order", 3, 14)]


def test_segments_that_overlap_are_found_across_files(inspect: Any) -> None:
    found = inspect({0: part(0) + part(3) + part(6), 3: part(3) + part(6) + part(9)})
    assert places(found) == [("offset-order", 3, 8)]


def test_two_places_are_two_findings(inspect: Any) -> None:
    found = inspect({0: part(0) + part(0) + part(3) + part(6) + part(6) + part(9)})
    assert places(found) == [("offset-order", 0, 2), ("offset-order", 6, 8)]


def test_replicas_hold_the_same_offsets_by_right(inspect: Any) -> None:
    content = part(0) + part(3)
    assert inspect({"one/00000000000000000000.log": content, "two/00000000000000000000.log": content}) == []


def test_loose_files_of_an_unknown_topic_are_not_compared(inspect: Any) -> None:
    assert inspect({0: part(0) + part(3), "00000000000000000001.log": part(0)}, topic="?") == []


def test_a_batch_with_a_wrong_checksum_is_left_to_its_own_detector(inspect: Any) -> None:
    damaged = bytearray(part(3))
    damaged[23] = 0x7F  # its last offset delta
    found = inspect({0: part(0) + bytes(damaged) + part(6)})
    assert [finding.detector for finding in found] == ["crc-mismatch"]


def at_offset(content: bytes, base_offset: int) -> bytes:
    """The batch with another base offset, which its checksum does not cover."""
    return base_offset.to_bytes(8, "big") + content[8:]


@pytest.mark.parametrize("named", [6 + (1 << 40), 7, 2], ids=["far ahead", "over the next one", "back"])
def test_a_changed_base_offset_is_named_by_the_offsets_that_were_due(inspect: Any, named: int) -> None:
    parts = [part(offset) for offset in range(0, 18, 3)]
    (finding,) = inspect({0: b"".join([*parts[:2], at_offset(parts[2], named), *parts[3:]])})
    assert (finding.detector, finding.first_offset, finding.last_offset) == ("offset-order", 6, 8)
    assert f"has the wrong base offset: {named} instead of 6" in finding.title


def test_a_changed_base_offset_does_not_move_its_file(inspect: Any) -> None:
    first, second = (b"".join(part(offset) for offset in range(start, start + 12, 3)) for start in (0, 12))
    assert places(inspect({0: first, 12: at_offset(part(12), 1) + second[len(part(12)) :]})) == [
        ("offset-order", 12, 14)
    ]


def test_the_last_batch_of_a_log_is_held_against_the_snapshot_of_its_end(inspect: Any) -> None:
    content = part(0) + part(3) + at_offset(part(6), 6 + (1 << 33))
    found = inspect({0: content, "00000000000000000009.snapshot": b""})
    assert places(found) == [("offset-order", 6, 8)]


def test_batches_that_changed_places_across_a_gap_are_not_displaced(inspect: Any) -> None:
    (finding,) = inspect({0: part(0) + part(20) + part(10) + part(30)})
    assert (finding.first_offset, finding.last_offset) == (10, 22)
    assert "out of order" in finding.title


def test_a_batch_that_is_there_again_later_names_its_own_offsets_only(inspect: Any) -> None:
    assert places(inspect({0: part(0) + part(3) + part(6) + part(3) + part(9)})) == [("offset-order", 3, 5)]
