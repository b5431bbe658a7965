"""Batches whose checksum disagrees."""

from __future__ import annotations

from typing import Any

import pytest

from spark.detectors._words import damaged
from spark.detectors.bytes.crc_mismatch import detector
from spark.report.summarise import link
from tests.builders import batches_table, files_table, given_tables
from tests.generator.segment import Record, batch, marker


def parts(count: int = 6, records: int = 3, codec: Any = "none") -> list[bytes]:
    rows = [Record(b"key", b"value-%d" % n) for n in range(records)]
    return [batch(rows, n * records, codec=codec) for n in range(count)]


def changed(part: bytes, place: int = -4) -> bytes:
    damaged = bytearray(part)
    damaged[place] ^= 1
    return bytes(damaged)


def test_sound_batches_are_no_finding(inspect: Any) -> None:
    assert inspect({0: b"".join(parts()), "00000000000000000000.index": bytes(80)}) == []


def test_one_changed_bit_is_one_critical_finding_with_both_checksums(inspect: Any) -> None:
    batches = parts()
    batches[2] = changed(batches[2])
    (finding,) = inspect({0: b"".join(batches)})
    assert (finding.detector, finding.severity, finding.confidence) == ("crc-mismatch", "critical", "proven")
    assert (finding.first_offset, finding.last_offset, finding.evidence) == (6, 8, [6])
    assert "offsets 6-8" in finding.title
    assert batches[2][17:21].hex() in finding.explanation
    assert damaged(6) in finding.entities  # what it holds up is its consequence
    assert f"byte {len(batches[0]) * 2}" in finding.explanation
    assert (
        "3 records could be decoded and are marked as corrupt in the list of records" in finding.explanation
    )


@pytest.mark.parametrize(("place", "is_told"), [(17, True), (20, True), (-4, False), (30, False)])
def test_one_changed_bit_of_the_checksum_field_is_told_from_one_of_the_contents(
    inspect: Any, place: int, is_told: bool
) -> None:
    batches = parts()
    (finding,) = inspect({0: b"".join([*batches[:2], changed(batches[2], place), *batches[3:]])})
    assert ("The two checksums differ in one bit." in finding.explanation) is is_told
    assert ("Any of its bytes may be wrong." in finding.explanation) is not is_told


def test_the_remedy_begins_with_the_warning_and_the_copy_and_counts_what_a_restart_costs(
    inspect: Any,
) -> None:
    batches = parts()
    batches[2] = changed(batches[2])
    (finding,) = inspect({0: b"".join(batches) + marker("commit", 18, 1, 0)})
    assert finding.remedy.startswith("1. Warning: do not restart the broker before this copy is complete.")
    assert "Copy the whole partition folder to another disk" in finding.remedy.splitlines()[0]
    assert "at offset 6" in finding.remedy
    assert "9 records that can still be read" in finding.remedy


def test_neighbouring_bad_batches_are_one_finding_others_their_own(inspect: Any) -> None:
    batches = parts()
    for bad in (1, 2, 4):
        batches[bad] = changed(batches[bad])
    found = inspect({0: b"".join(batches)})
    assert [(f.first_offset, f.last_offset) for f in found] == [(3, 8), (12, 14)]
    assert "2 corrupt record batches" in found[0].title
    assert len({f.id for f in found}) == 2


def test_unreadable_bytes_that_reach_into_the_batch_before_are_one_damage(inspect: Any) -> None:
    batches = parts()
    content = bytearray(b"".join(batches))
    end = len(b"".join(batches[:3]))
    content[end - 3 : end + len(batches[3])] = bytes(len(batches[3]) + 3)
    findings = inspect({0: bytes(content)})
    link(findings)
    by_id = {finding.detector: finding for finding in findings}
    assert set(by_id) == {"crc-mismatch", "unreadable-bytes"}
    assert by_id["unreadable-bytes"].consequence_of is None
    assert by_id["crc-mismatch"].consequence_of == by_id["unreadable-bytes"].id


def test_unreadable_bytes_elsewhere_are_a_damage_of_their_own(inspect: Any) -> None:
    batches = parts()
    batches[0], batches[3] = changed(batches[0]), bytes(len(batches[3]))
    findings = inspect({0: b"".join(batches)})
    link(findings)
    assert [finding.consequence_of for finding in findings] == [None, None]


def test_records_that_do_not_decompress_are_no_second_alarm(inspect: Any) -> None:
    batches = parts(codec="lz4")
    batches[1] = changed(batches[1], 61)
    (finding,) = inspect({0: b"".join(batches)})
    assert finding.detector == "crc-mismatch"
    assert "Its 3 records could not be decoded." in finding.explanation


def test_a_damaged_last_offset_ends_before_the_next_batch(inspect: Any) -> None:
    batches = parts()
    batches[1] = changed(batches[1], 24)
    (finding,) = inspect({0: b"".join(batches)})
    assert (finding.detector, finding.first_offset, finding.last_offset) == ("crc-mismatch", 3, 5)


def test_each_replica_has_its_own(inspect: Any) -> None:
    batches = parts()
    bad = b"".join([changed(batches[0]), *batches[1:]])
    (finding,) = inspect(
        {"one/00000000000000000000.log": bad, "two/00000000000000000000.log": b"".join(batches)}
    )
    assert finding.replica == "one"
    assert "replica one" in finding.title


@pytest.mark.wide
@pytest.mark.parametrize(
    ("at", "bit"), [(22, 1), (22, 2), (23, 7), (57, 7)], ids=["codec", "codec", "delta", "count"]
)
def test_a_flipped_bit_of_a_field_under_the_checksum_leaves_the_batch_in_its_place(
    inspect: Any, at: int, bit: int
) -> None:
    parts = [batch([Record(b"key", b"value")] * 3, offset, codec="zstd") for offset in (0, 3, 6)]
    damaged = bytearray(parts[1])
    damaged[at] ^= 1 << bit
    (finding,) = inspect({0: parts[0] + bytes(damaged) + parts[2]})
    assert (finding.detector, finding.first_offset, finding.last_offset) == ("crc-mismatch", 3, 5)


def test_a_damaged_last_offset_ends_before_the_next_segment(inspect: Any) -> None:
    damaged = bytearray(batch([Record(b"key", b"value")] * 3, 0))
    damaged[24] ^= 1
    (finding,) = inspect({0: bytes(damaged), 3: batch([Record(b"key", b"value")], 3)})
    assert (finding.first_offset, finding.last_offset) == (0, 2)


def test_a_batch_of_a_print_without_records_is_told_without_counts() -> None:
    row = {"base_offset": 3, "last_offset": 4, "crc_ok": False, "records_read": None, "record_count": None}
    tables = given_tables({"batches": batches_table(row), "files": files_table({"name": "print.txt"})})
    [finding] = [detector.describe(one) for one in detector.find(tables)]
    assert "does not contain its records" in finding.explanation
