"""Committed offsets that their log does not have, when the log is in the input."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from spark.detectors.groups.commit_out_of_range import detector
from spark.dialects.consumer_offsets import dialect
from spark.dialects.consumer_offsets.interpret import interpret
from spark.sources import LACKS
from spark.terms.findings import Finding
from spark.terms.marked import plain
from tests.builders import batches_table, given_tables, lifelines_table, other_table, records_table
from tests.spark.detectors.groups.coordinator_logs import START_MS, TOPIC, Record, commit
from tests.spark.replays import replayed

ORDERS = {"topic": "orders", "partition": 0}
NEWEST_MS = START_MS + 100_000


def findings(*commits: Record, last: int = 9, **more: Any) -> list[Finding]:
    """Of commits beside the log of orders-0, whose last record has an offset and is 100 seconds younger than the first commit."""
    rows = ({"key": key, "value": value, "timestamp_ms": START_MS + at * 1000} for key, value, at in commits)
    records = records_table(*rows, topic=TOPIC)
    state, refusals = replayed(dialect, interpret(records))
    log = lifelines_table(*({"offset": offset, "timestamp_ms": NEWEST_MS, **ORDERS} for offset in (0, last)))
    tables: dict[str, pa.Table] = {
        "records": records,
        "state": state,
        "refusals": refusals,
        "lifelines": log,
        **more,
    }
    return [detector.describe(row) for row in detector.find(given_tables(tables))]


def test_an_offset_beyond_the_end_is_found() -> None:
    (finding,) = findings(commit(120))
    assert (finding.severity, finding.evidence) == ("medium", [0])
    assert finding.title == (
        "Group billing cannot continue where it stopped in orders-0: its committed offset 120 is beyond the end of the log (offset 10)"
    )
    assert "--group billing --topic orders:0 --reset-offsets" in finding.remedy
    assert "the topic was deleted and created again" in finding.explanation


def test_who_has_read_everything_is_innocent_and_so_are_markers_after_the_last_record_of_a_dump() -> None:
    assert findings(commit(10)) == []
    assert findings(commit(20)) == []
    assert len(findings(commit(21))) == 1


def test_of_segments_the_end_is_known() -> None:
    batches = batches_table({"base_offset": 0, "last_offset": 11, **ORDERS})
    assert findings(commit(12), batches=batches) == []
    assert len(findings(commit(13), batches=batches)) == 1


def test_a_commit_that_is_younger_than_every_record_says_nothing_about_the_log() -> None:
    assert findings(commit(120, at=101)) == []


def test_an_offset_before_the_start_is_found_where_the_broker_names_the_start() -> None:
    starts = other_table("checkpoints", {"kind": "log_start", "offset": 7, **ORDERS})
    (finding,) = findings(commit(5), checkpoints=starts)
    assert "before the start of the log (offset 7)" in finding.title
    assert "Retention or DeleteRecords" in finding.explanation
    assert findings(commit(7), checkpoints=starts) == []
    assert findings(commit(5)) == []


def test_the_print_of_a_formatter_has_the_times_of_commits_and_no_offsets_of_its_own() -> None:
    key, value, _ = commit(120)
    records = records_table({"key": key, "value": value, "timestamp_ms": None, "file": 0}, topic=TOPIC)
    files = other_table("files", {"file": 0, "cannot_tell": [LACKS["offset"]]})
    runs = other_table("runs", {"file": 0, "topic": TOPIC, "first_offset": 0, "last_offset": 0})
    (finding,) = findings(commit(120), records=records, files=files, runs=runs)
    assert finding.explanation.startswith("At ")
    assert f"of {TOPIC}" not in finding.explanation


def test_a_log_whose_rows_are_numbered_has_no_end() -> None:
    files = other_table("files", {"file": 1, "cannot_tell": [LACKS["offset"]]})
    runs = other_table("runs", {"file": 1, "first_offset": 0, "last_offset": 9, **ORDERS})
    assert findings(commit(120), files=files, runs=runs) == []


def test_a_log_that_starts_after_the_commit_is_another_topic() -> None:
    (finding,) = findings(commit(120))
    assert "created again: its log starts at offset 0 with a record of" in finding.explanation
    assert "--to-earliest" in finding.remedy


def test_leader_epochs_that_start_again_show_another_topic() -> None:
    batches = batches_table({"base_offset": 0, "last_offset": 9, "leader_epoch": 1, **ORDERS})
    log = lifelines_table(
        {"offset": 0, "timestamp_ms": START_MS - 1000, **ORDERS},
        {"offset": 9, "timestamp_ms": NEWEST_MS, **ORDERS},
    )
    (finding,) = findings(commit(120, epoch=7), batches=batches, lifelines=log)
    assert "knows leader epochs up to 1, the commit names 7" in finding.explanation


def test_a_newer_leader_epoch_below_the_commit_shows_a_truncation() -> None:
    batches = batches_table(
        {"base_offset": 50, "last_offset": 79, "leader_epoch": 3, **ORDERS},
        {"base_offset": 80, "last_offset": 90, "leader_epoch": 4, **ORDERS},
    )
    log = lifelines_table(
        *({"offset": offset, "timestamp_ms": NEWEST_MS, **ORDERS} for offset in (50, 90)),
    )
    (finding,) = findings(commit(120, epoch=3), batches=batches, lifelines=log)
    assert "the log was truncated: leader epoch 4 starts below the committed offset" in finding.explanation
    assert "Compare the replicas" in finding.remedy


def test_without_evidence_it_says_what_would_decide() -> None:
    log = lifelines_table(
        {"offset": 0, "timestamp_ms": START_MS - 1000, **ORDERS},
        {"offset": 9, "timestamp_ms": NEWEST_MS, **ORDERS},
    )
    (finding,) = findings(commit(120), lifelines=log)
    assert "The leader epochs of its batches or another replica" in finding.explanation


def test_the_name_of_the_first_segment_is_a_start_too() -> None:
    files = other_table("files", {"kind": "segment", "base_offset": 7, **ORDERS})
    (finding,) = findings(commit(5), files=files)
    assert (finding.confidence, "before the start of the log (offset 7)" in finding.title) == ("likely", True)
    assert findings(commit(7), files=files) == []
    assert (
        findings(commit(5, at=100), files=files) == []
    )  # younger than the first record: older segments can be left out


def test_only_the_commit_in_force_counts() -> None:
    assert findings(commit(120), commit(9, at=1)) == []
    assert findings(commit(120), commit(None, at=1)) == []


def test_a_topic_that_is_not_in_the_input_is_not_judged() -> None:
    assert findings(commit(120, partition=3)) == []


def test_the_headline_has_the_right_plural() -> None:
    every = findings(commit(120), commit(120, group="other"))
    assert (
        plain(detector.headline(every))
        == "2 committed offsets are not in their logs: consumers skip or repeat records, or fail"
    )
