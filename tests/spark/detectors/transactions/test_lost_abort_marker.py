"""Aborted data whose marker is gone: found by each trace; silent where data and marker went together."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from spark.detectors.transactions.lost_abort_marker import detector
from spark.tables import TABLES
from spark.terms.typed_text import typed
from tests.generator.segment import Record, batch
from tests.spark.transaction_logs import (
    CORPUS,
    NO_CORPUS,
    START_MS,
    abort,
    commit,
    data,
    emptied,
    findings,
    log,
    plain,
    read_logs,
    snapshot,
    state,
    txnindex,
)  # fmt: skip

CLEANED = data(0, 9, keys=b"xy", last_offset_delta=3, transactional=False)
CLEANED_LATER = data(9, 9, keys=b"x", last_offset_delta=2, transactional=False)


def test_it_names_the_data_the_place_of_the_marker_and_the_commit_that_adopts_it(tmp_path: Path) -> None:
    rows = [CLEANED, data(4, keys=b"b"), data(6), commit(7)]
    (finding,) = findings(detector, read_logs(log(tmp_path, rows, txnindex=txnindex((0, 4, 5)))))
    assert (finding.severity, finding.confidence) == ("critical", "proven")
    assert (finding.first_offset, finding.last_offset) == (4, 5)
    assert finding.evidence == [4, 5, 7]
    assert "The COMMIT at offset 7 of the same producer also covers offset 4" in finding.explanation
    assert ".txnindex contains the ABORT marker at offset 5" in finding.explanation
    assert "Key `b`" in finding.explanation


def test_the_remedy_names_the_last_committed_record_of_the_key(tmp_path: Path) -> None:
    before = [data(0, keys=b"b"), commit(1)]
    rows = [*before, data(4, keys=b"b"), plain(6), CLEANED_LATER]
    (finding,) = findings(detector, read_logs(log(tmp_path / "known", rows, txnindex=txnindex((0, 4, 5)))))
    assert "again (the last committed record of the key is at offset 0). If" in finding.remedy
    rows = [CLEANED, data(4, keys=b"b"), plain(6), CLEANED_LATER]
    (finding,) = findings(detector, read_logs(log(tmp_path / "unknown", rows, txnindex=txnindex((0, 4, 5)))))
    assert "again (from a replica, a backup or its source). If" in finding.remedy
    pause, upgrade, value, resume = map(
        finding.remedy.index, ("--add-config", "upgrade the brokers", "produce its last", "--delete-config")
    )
    assert pause < upgrade < value < resume


@pytest.mark.parametrize(
    ("before", "lost"),
    [
        ([data(0, keys=b"ab"), commit(2)], ["b/1"]),
        ([data(0, keys=b"ab"), abort(2)], []),
        ([plain(0), batch([Record(b"b", None, START_MS)], 1), plain(2)], []),
        ([plain(0), plain(1), plain(2)], []),
    ],
    ids=["committed", "aborted too", "a delete", "no value"],
)
def test_a_committed_value_that_another_replica_contains_is_lost(
    tmp_path: Path, before: list[bytes], lost: list[str]
) -> None:
    kept = [data(3, keys=b"b"), abort(4), plain(5), plain(6)]
    left = [plain(0), plain(2), data(3, keys=b"b"), plain(5), plain(6)]
    log(tmp_path / "before", [*before, *kept], txnindex=txnindex((0, 3, 4)))
    log(tmp_path / "after", left, txnindex=txnindex((0, 3, 4)))
    gap = {
        "topic": "t",
        "partition": 0,
        "replica": "after",
        "first_offset": 1,
        "last_offset": 1,
        "cause": "compaction",
    }
    tables = {**read_logs(tmp_path), "gaps": pa.Table.from_pylist([gap], schema=TABLES["gaps"].schema)}
    (finding,) = findings(detector, tables)
    assert [effect.entity_id for effect in finding.effects if effect.kind == "lost"] == lost
    assert finding.effects[0].entity_type == "partition"
    assert ("Replica before still contains that value." in finding.explanation) == bool(lost)
    steps = [segment for step in typed(finding.marked["remedy"]) for segment in step["segments"]]
    places = [(segment["text"], segment.get("value")) for segment in steps if segment.get("kind") == "offset"]
    assert not lost or places == [("1", "before")]
    assert finding.evidence == [3, 4, *([1] if lost else [])]


def test_several_in_one_copy_are_one_alarm(tmp_path: Path) -> None:
    rows = [CLEANED, data(4), data(6, 1), plain(8)]
    index = txnindex((0, 4, 5), (1, 6, 7))
    (finding,) = findings(detector, read_logs(log(tmp_path, rows, txnindex=index)))
    assert (
        finding.title
        == "Only the .txnindex of t-0 still hides 2 aborted records from read_committed consumers: 2 ABORT markers are missing"
    )
    assert [effect.kind for effect in finding.effects] == ["at_risk"]
    (finding,) = findings(detector, read_logs(log(tmp_path / "rebuilt", [*rows, CLEANED_LATER])))
    assert (
        finding.title == "read_committed consumers of t-0 get 2 aborted records: 2 ABORT markers are missing"
    )
    assert [effect.kind for effect in finding.effects] == ["revived"]
    assert (finding.first_offset, finding.last_offset) == (4, 7)


@pytest.mark.parametrize(
    ("rows", "companions", "says"),
    [
        ([CLEANED, data(4), plain(6), CLEANED_LATER, plain(12)], {}, "never passes an open transaction"),
        ([CLEANED, data(4), plain(6), CLEANED_LATER], {"snapshot_6": snapshot((0, 4, -1))}, "snapshot of offset 6"),
        ([CLEANED, data(4), data(6, epoch=1), commit(7, epoch=1), CLEANED_LATER], {}, "newer producer epoch"),
        ([data(4), emptied(5, control=True), plain(6)], {}, "emptied batch of the marker is still at offset 5"),
    ],
    ids=["cleaned", "snapshot", "epoch", "emptied marker"],
)  # fmt: skip
def test_each_trace_is_proof(
    tmp_path: Path, rows: list[bytes], companions: dict[str, bytes], says: str
) -> None:
    (finding,) = findings(detector, read_logs(log(tmp_path, rows, **companions)))
    assert finding.confidence == "proven"
    assert says in finding.explanation


def test_the_coordinators_word_alone_is_likely(tmp_path: Path) -> None:
    log(tmp_path, [CLEANED, data(4, minutes=1), data(6, minutes=3), commit(7, minutes=4), CLEANED_LATER])
    log(
        tmp_path,
        [state(0, 1, start=1, minutes=1), state(1, 3, start=1, minutes=2)],
        name="__transaction_state-0",
    )
    (finding,) = findings(detector, read_logs(tmp_path))
    assert (finding.confidence, finding.first_offset) == ("likely", 4)
    assert "Its coordinator recorded the abort" in finding.explanation


def test_data_and_marker_both_gone_is_innocent(tmp_path: Path) -> None:
    rows = [CLEANED, plain(6), data(7), commit(8), CLEANED_LATER]
    assert findings(detector, read_logs(log(tmp_path, rows, txnindex=txnindex((0, 4, 5))))) == []


def test_an_emptied_batch_of_the_data_is_innocent(tmp_path: Path) -> None:
    assert findings(detector, read_logs(log(tmp_path, [CLEANED, emptied(4), plain(6), CLEANED_LATER]))) == []


def test_a_marker_in_a_damaged_stretch_is_left_to_the_damage(tmp_path: Path) -> None:
    broken = bytearray(abort(5))
    broken[70] ^= 1
    rows = [CLEANED, data(4), bytes(broken), data(6, epoch=1), commit(7, epoch=1)]
    assert findings(detector, read_logs(log(tmp_path, rows, snapshot_6=snapshot((0, 4, -1))))) == []


def test_a_missing_marker_where_nothing_was_ever_cleaned_is_not_called_aborted(tmp_path: Path) -> None:
    rows = [data(0), plain(2), plain(3)]
    assert findings(detector, read_logs(log(tmp_path, rows, snapshot_2=snapshot((0, 0, -1))))) == []


def test_a_snapshot_of_an_offset_behind_the_log_says_nothing(tmp_path: Path) -> None:
    """The tail of the log is not in the input, the marker may be there."""
    rows = [CLEANED, plain(4), data(5)]
    assert findings(detector, read_logs(log(tmp_path, rows, snapshot_9=snapshot((0, 5, -1))))) == []


def test_healthy_transactions_are_silent(tmp_path: Path) -> None:
    rows = [CLEANED, data(4), abort(5), data(6), commit(7), CLEANED_LATER, plain(12), data(13)]
    index = txnindex((0, 4, 5))
    tables = read_logs(log(tmp_path, rows, txnindex=index, snapshot_8=snapshot((0, 6, -1))))
    assert findings(detector, tables) == []


@pytest.mark.skipif(not CORPUS.is_dir(), reason=NO_CORPUS)
@pytest.mark.parametrize(
    ("folder", "count"),
    [("before", 0), ("after-2.8.1", 1), ("after-2.8.2", 0)],
    ids=["before", "2.8.1", "2.8.2"],
)
def test_both_sides_of_the_version_that_mended_the_cleaner(folder: str, count: int) -> None:
    found = findings(detector, read_logs(CORPUS / "brokers" / "abort-marker-lost-2.8.1" / folder))
    assert [(finding.first_offset, finding.last_offset) for finding in found] == [(6, 7)] * count
