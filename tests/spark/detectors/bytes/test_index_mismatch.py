"""Indexes against their segments: every kind of wrong entry, and every kind that is right."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from spark.detectors.bytes.index_mismatch import detector
from spark.terms.findings import Finding
from spark.terms.marked import plain
from tests.generator.segment import SOME_TIME_MS, Record, batch, marker, segment_name
from tests.spark.log_folders import findings, write

BASE = 30
BATCHES = [batch([Record(b"key", b"value", SOME_TIME_MS + start)] * 3, start) for start in (30, 33, 36, 39)]
SIZE = len(BATCHES[0])
LOG = b"".join(BATCHES)
Entries = list[tuple[int, int]]


def found(tmp_path: Path, files: dict[str | int, bytes]) -> list[Finding]:
    return findings(detector, write(tmp_path / "input", files), tmp_path / "results")


def offsets(*entries: tuple[int, int], zeros: int = 0) -> dict[str | int, bytes]:
    """An offset index; positions in batches."""
    packed = b"".join(struct.pack(">ii", offset - BASE, position) for offset, position in entries)
    return {BASE: LOG, f"{BASE:020d}.index": packed + bytes(8 * zeros)}


def times(*entries: tuple[int, int]) -> dict[str | int, bytes]:
    """A time index; timestamps count from SOME_TIME_MS."""
    packed = b"".join(struct.pack(">qi", SOME_TIME_MS + time, offset - BASE) for time, offset in entries)
    return {BASE: LOG, f"{BASE:020d}.timeindex": packed}


def aborted(*entries: tuple[int, int, int], log: bytes) -> dict[str | int, bytes]:
    """A transaction index: producer, first and last offset."""
    packed = b"".join(struct.pack(">hqqqq", 0, *entry, entry[2] + 1) for entry in entries)
    return {BASE: log, f"{BASE:020d}.txnindex": packed}


@pytest.mark.wide
@pytest.mark.parametrize(
    "entries",
    [
        [(35, SIZE), (41, 3 * SIZE)],
        [(33, SIZE), (39, 3 * SIZE)],
        [(38, SIZE), (41, 3 * SIZE)],
        [(41, 0)],
        [],
    ],
    ids=[
        "last offset",
        "first offset (up to 1.1)",
        "last of a chunk",
        "one for the whole segment",
        "no entry",
    ],
)
def test_what_brokers_write_is_right(tmp_path: Path, entries: Entries) -> None:
    assert found(tmp_path, offsets(*entries, zeros=50)) == []


@pytest.mark.wide
@pytest.mark.parametrize(
    ("entry", "says", "severity", "last"),
    [
        ((35, 4 * SIZE), "points past the end", "high", 41),
        ((35, 1_000_000), "points past the end", "high", 41),
        ((35, -SIZE), "points past the end", "medium", 41),
        ((35, SIZE + 1), "does not point to the start of a batch", "high", 41),
        ((34, SIZE), "another offset", "medium", 41),
        ((32, SIZE), "another offset", "medium", 41),
        ((50, SIZE), "another offset", "medium", 41),
    ],
)
def test_a_wrong_entry_is_named(
    tmp_path: Path, entry: tuple[int, int], says: str, severity: str, last: int
) -> None:
    [finding] = found(tmp_path, offsets(entry))
    assert (finding.severity, finding.first_offset) == (severity, 30)
    assert finding.last_offset == last
    assert says in finding.title
    assert finding.evidence == [entry[0]]


def test_the_offsets_named_are_those_around_the_wrong_entry(tmp_path: Path) -> None:
    [finding] = found(tmp_path, offsets((32, 0), (35, SIZE + 7), (41, 3 * SIZE)))
    assert (finding.first_offset, finding.last_offset) == (33, 41)
    assert "1 of 3 entries" in finding.title


def test_fetches_that_skip_records_are_named_with_where_they_continue(tmp_path: Path) -> None:
    files = {
        **offsets((35, SIZE), (38, 10 * SIZE), (41, 3 * SIZE)),
        42: batch([Record(b"key", b"value")], 42),
    }
    [finding] = found(tmp_path, files)
    assert finding.severity == "high"
    assert finding.title == (
        "Consumers of journal-0 that fetch at offsets 38-40 continue at offset 42, without an error: in 00000000000000000030.index, "
        "1 of 3 entries points past the end of the segment"
    )
    assert (
        "Fetches at offsets 38-40 continue at offset 42, without an error. They leave out up to 4 readable records."
        in finding.explanation
    )
    assert plain(detector.headline([finding])).startswith(
        "consumers of journal-0 can skip records without an error: "
    )


def test_a_chunk_ends_before_the_next_entry(tmp_path: Path) -> None:
    [finding] = found(tmp_path, offsets((38, SIZE), (38, 2 * SIZE)))
    assert "another offset" in finding.title


def test_entries_that_fit_and_stand_out_of_order_are_found(tmp_path: Path) -> None:
    [finding] = found(tmp_path, offsets((38, 2 * SIZE), (35, SIZE)))
    assert "out of order" in finding.title


def test_the_neighbour_of_a_wrong_entry_is_innocent(tmp_path: Path) -> None:
    [finding] = found(tmp_path, offsets((32, 1_000_000), (38, 2 * SIZE)))
    assert "1 of 2 entries" in finding.title


def test_a_record_that_cleaning_left_of_a_batch_may_be_named(tmp_path: Path) -> None:
    thinned = batch([Record(b"a", b"v"), Record(b"b", b"v", offset_delta=4)], BASE, last_offset_delta=9)
    index = struct.pack(">ii", 4, 0)
    assert found(tmp_path, {BASE: thinned, f"{BASE:020d}.index": index}) == []


@pytest.mark.parametrize("entries", [[(30, 32), (36, 38)], [(30, 31), (39, 41)], [(36, 41)]])
def test_times_with_an_offset_of_their_batch_or_of_their_append_are_right(
    tmp_path: Path, entries: Entries
) -> None:
    assert found(tmp_path, times(*entries)) == []


@pytest.mark.wide
@pytest.mark.parametrize(
    ("entries", "says"),
    [
        ([(31, 35)], "timestamp that no batch"),
        ([(39, 35)], "timestamp that no batch"),
        ([(30, 42)], "no batch of the segment contains"),
        ([(30, 29)], "no batch of the segment contains"),
        ([(36, 38), (30, 32)], "out of order"),
    ],
    ids=["other time", "time of a later batch", "behind the end", "before the begin", "out of order"],
)
def test_a_wrong_time_is_named(tmp_path: Path, entries: Entries, says: str) -> None:
    [finding] = found(tmp_path, times(*entries))
    assert says in finding.title


def transaction(log_producer: int = 7) -> bytes:
    data = batch([Record(b"key", b"value")] * 3, BASE, producer_id=7, producer_epoch=0, transactional=True)
    return data + marker("abort", BASE + 3, producer_id=log_producer, producer_epoch=0)


def test_an_aborted_transaction_with_its_marker_is_right(tmp_path: Path) -> None:
    assert found(tmp_path, aborted((7, 30, 33), log=transaction())) == []


@pytest.mark.wide
@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ((7, 30, 32), "but another record is at that offset"),
        ((8, 30, 33), "but another record is at that offset"),
        ((7, 30, 34), "past the end"),
        ((7, 34, 33), "out of order"),
        ((7, 20, 29), "out of order"),
    ],
)
def test_a_wrong_transaction_is_named(tmp_path: Path, entry: tuple[int, int, int], says: str) -> None:
    [finding] = found(tmp_path, aborted(entry, log=transaction()))
    assert says in finding.title


def test_a_marker_that_is_gone_is_not_the_index_s_fault(tmp_path: Path) -> None:
    log = transaction()[: len(BATCHES[0])]
    data = batch([Record(b"key", b"value")] * 3, BASE, producer_id=7, producer_epoch=0, transactional=True)
    later = batch([Record(b"key", b"value")], BASE + 9)
    assert len(log) <= len(data)
    assert found(tmp_path, aborted((7, 30, 33), log=data + later)) == []


@pytest.mark.parametrize("damage", ["cut", "zeros", "crc"])
def test_behind_damage_the_segment_is_wrong_and_not_its_index(tmp_path: Path, damage: str) -> None:
    logs = {
        "cut": LOG[: 3 * SIZE + 30],
        "zeros": LOG[: 2 * SIZE + 10] + bytes(30) + LOG[2 * SIZE + 40 :],
        "crc": LOG[: 2 * SIZE + 70] + b"\xff" + LOG[2 * SIZE + 71 :],
    }
    files = offsets((35, SIZE), (38, 2 * SIZE), (41, 3 * SIZE))
    assert found(tmp_path, {**files, BASE: logs[damage]}) == []


@pytest.mark.parametrize(
    ("log", "moved"),
    [
        (LOG[: 2 * SIZE] + LOG[SIZE:], []),
        (LOG[: SIZE + 10] + LOG[SIZE + 40 :], [38, 41]),
    ],
    ids=["a batch twice, all of one size", "30 bytes removed"],
)
def test_entries_that_point_into_intact_batches_follow_the_damage(
    tmp_path: Path, log: bytes, moved: list[int]
) -> None:
    files = {**offsets((32, 0), (38, 2 * SIZE), (41, 3 * SIZE)), BASE: log}
    results = found(tmp_path, files)
    assert [finding.evidence for finding in results] == [moved] * bool(moved)
    assert all(
        "The segment changed and its index did not" in finding.explanation and finding.entities
        for finding in results
    )


@pytest.mark.wide
def test_a_log_cut_between_two_batches_shows_in_its_index(tmp_path: Path) -> None:
    [finding] = found(tmp_path, {**offsets((35, SIZE), (41, 3 * SIZE)), BASE: LOG[: 3 * SIZE]})
    assert "past the end" in finding.title


def test_indexes_of_a_misnamed_segment_count_from_its_name(tmp_path: Path) -> None:
    index = struct.pack(">ii", 5, SIZE)
    assert found(tmp_path, {32: LOG, f"{32:020d}.index": index}) == []


def test_an_index_without_its_segment_is_not_judged(tmp_path: Path) -> None:
    assert found(tmp_path, {BASE: LOG, f"{60:020d}.index": struct.pack(">ii", 5, SIZE)}) == []


def test_a_replica_whose_damaged_segment_leaves_such_entries_too_is_named(tmp_path: Path) -> None:
    past_end = offsets((35, SIZE), (41, 9 * SIZE))
    other = {**offsets((35, SIZE), (41, 3 * SIZE)), BASE: LOG[: SIZE + 10] + LOG[2 * SIZE + 40 :]}
    for log, names in ((other, ["b2"]), (offsets((35, SIZE), (41, 3 * SIZE)), [])):
        files = {
            f"{replica}/journal-0/{segment_name(name) if isinstance(name, int) else name}": content
            for replica, folder in (("b1", past_end), ("b2", log))
            for name, content in folder.items()
        }
        [finding] = found(tmp_path / str(len(names)), files)
        assert (finding.replica, finding.is_elsewhere) == ("b1", bool(names))
        says = "Index entries of b2 point past the end of the segment, too: in that replica, the segment itself is damaged."
        assert (says in finding.explanation) == bool(names)
