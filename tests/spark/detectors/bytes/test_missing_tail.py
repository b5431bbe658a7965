"""Ends of logs that something knows and the records do not reach."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from spark.detectors.bytes.missing_tail import detector
from spark.terms.findings import Finding
from tests.generator.segment import Record, batch
from tests.spark.log_folders import findings, write

Files = dict[str | int, bytes]
T0_MS = 1_700_000_000_000
CLEAN_STOP: Files = {"./.kafka_cleanshutdown": b""}


def log(records: int, apart_ms: int = 1_000, first: int = 0) -> bytes:
    """One record a batch, so many milliseconds apart."""
    return b"".join(
        batch([Record(b"key-%d" % n, b"value", timestamp_ms=T0_MS + apart_ms * n)], n)
        for n in range(first, first + records)
    )


def checkpoint(name: str, offset: int) -> Files:
    return {f"./{name}-checkpoint": b"0\n1\njournal 0 %d\n" % offset}


def found(tmp_path: Path, *parts: Files) -> list[Finding]:
    files = {name: content for part in parts for name, content in part.items()}
    return findings(detector, write(tmp_path / "input", files), tmp_path / "results")


@pytest.mark.parametrize("name", ["replication-offset", "recovery-point-offset"])
def test_a_checkpoint_beyond_the_last_record_is_a_missing_end(tmp_path: Path, name: str) -> None:
    [finding] = found(tmp_path, {0: log(10)}, checkpoint(name, 30), CLEAN_STOP)
    assert (finding.severity, finding.confidence) == ("high", "proven")
    assert (finding.first_offset, finding.last_offset, finding.evidence) == (10, 29, [9])
    assert "journal-0 ends at offset 9" in finding.title
    assert f"{name}-checkpoint" in finding.explanation


def test_an_emptied_log_is_one_whatever_it_took_in_five_seconds(tmp_path: Path) -> None:
    [finding] = found(tmp_path, {0: b""}, checkpoint("replication-offset", 1))
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("high", 0, 0)
    assert "contains no record" in finding.title


@pytest.mark.parametrize(
    "witness",
    [
        {"00000000000000000030.snapshot": b"\0" * 10},
        {"00000000000000000030.index": b""},
        {"00000000000000000000.index": struct.pack(">ii", 29, 900)},
        {"00000000000000000000.timeindex": struct.pack(">qi", T0_MS + 29, 29)},
    ],
    ids=["snapshot", "index of a later segment", "entry of the index", "entry of the time index"],
)
def test_companions_know_the_end(tmp_path: Path, witness: Files) -> None:
    [finding] = found(tmp_path, {0: log(10)}, witness, CLEAN_STOP)
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("high", 10, 29)


def test_the_copy_of_a_running_broker_may_lack_what_five_seconds_brought(tmp_path: Path) -> None:
    [finding] = found(tmp_path, {0: log(100)}, checkpoint("replication-offset", 105))
    assert finding.severity == "info"
    assert "copied while the broker was running" in finding.explanation
    [finding] = found(tmp_path / "more", {0: log(100)}, checkpoint("replication-offset", 107))
    assert finding.severity == "high"
    [finding] = found(tmp_path / "stopped", {0: log(100)}, checkpoint("replication-offset", 105), CLEAN_STOP)
    assert finding.severity == "high"


@pytest.mark.parametrize(
    "files",
    [
        {0: log(10), **checkpoint("replication-offset", 10)},
        {0: log(10), **checkpoint("replication-offset", 7)},
        {
            0: log(10),
            **checkpoint("log-start-offset", 30),
            "./replication-offset-checkpoint": b"0\n1\njournal 0 30\n",
        },
        {30: b"", **checkpoint("replication-offset", 30)},
        {0: b"", **checkpoint("replication-offset", 0)},
        {0: log(10), "00000000000000000000.index": bytes(800)},
    ],
    ids=["reached", "behind", "records deleted", "retention", "never written", "preallocated index"],
)
def test_what_is_innocent(tmp_path: Path, files: Files) -> None:
    assert found(tmp_path, files) == []


def test_a_cut_end_is_told_once(tmp_path: Path) -> None:
    files: Files = {0: log(11)[:-5], "00000000000000000030.snapshot": b"\0" * 10}
    assert found(tmp_path, files, checkpoint("replication-offset", 30), CLEAN_STOP) == []
    [finding] = found(tmp_path / "more", files, checkpoint("replication-offset", 40), CLEAN_STOP)
    assert (finding.first_offset, finding.last_offset) == (30, 39)


def test_a_copy_on_another_broker_that_is_longer_is_a_remark(tmp_path: Path) -> None:
    files: Files = {
        "broker-1/journal-0/00000000000000000000.log": log(10),
        "broker-2/journal-0/00000000000000000000.log": log(14),
    }
    [finding] = found(tmp_path, files)
    assert (finding.severity, finding.replica, finding.first_offset, finding.last_offset) == (
        "info",
        "broker-1",
        10,
        13,
    )


def dump(records: int) -> bytes:
    line = b'{"topic":"journal","partition":0,"offset":%d,"tstype":"create","ts":1,"headers":[],"key":"%d","payload":"b"}\n'
    return b"".join(line % (n, n) for n in range(records))


def printed(end: int) -> Files:
    return {
        "./ends.txt": b"$ kafka-get-offsets.sh --bootstrap-server b:9092 --topic journal --time -1\njournal:0:%d\n"
        % end
    }


def test_a_dump_that_ends_before_the_printed_end_is_incomplete(tmp_path: Path) -> None:
    [finding] = found(tmp_path, {"./dump.json": dump(2)}, printed(23))
    assert (finding.severity, finding.confidence) == ("medium", "likely")
    assert (finding.first_offset, finding.last_offset) == (2, 22)


def test_a_dump_shows_no_control_records_at_the_end(tmp_path: Path) -> None:
    assert found(tmp_path, {"./dump.json": dump(2)}, printed(5)) == []


def test_a_commit_beyond_the_end_in_its_own_row_is_no_end(tmp_path: Path) -> None:
    group = b"""GROUP    TOPIC    PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG    CONSUMER-ID  HOST  CLIENT-ID
billing  journal  0          5000            2               -4998  -            -     -
"""
    assert found(tmp_path, {"./dump.json": dump(2), "./group.txt": group}) == []


def test_an_offset_that_mirrormaker_copied_from_another_cluster_is_no_end(tmp_path: Path) -> None:
    group = b"""$ kafka-consumer-groups.sh --bootstrap-server b:9092 --describe --group billing

GROUP           TOPIC           PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG             CONSUMER-ID     HOST            CLIENT-ID
billing         journal         0          5000            -               -               -               -               -
"""
    checkpoint = b"Checkpoint{consumerGroupId=billing, topicPartition=journal-0, upstreamOffset=5000, downstreamOffset=%d, metadata=}\n"
    [finding] = found(tmp_path / "1", {"./dump.json": dump(2), "./group.txt": group})
    assert "5000" in finding.explanation
    files: Files = {"./dump.json": dump(2), "./group.txt": group}
    assert len(found(tmp_path / "2", files, {"./checkpoints.txt": checkpoint % 4000})) == 1
    assert found(tmp_path / "3", files, {"./checkpoints.txt": checkpoint % 5000}) == []
