"""Checkpoints of MirrorMaker that name an offset of the source cluster, beyond the end of the log in the target."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from spark.detectors.mirror.checkpoint_untranslated import detector
from spark.terms.findings import Finding
from tests.generator.segment import SOME_TIME_MS, Record, segment
from tests.spark.log_folders import tables_of, write

CHECKPOINTS, SYNCS = "us.checkpoints.internal-0", "mm2-offset-syncs.us.internal-0"
MINUTE_MS = 60_000
Files = dict[str | int, bytes]


def text(value: str) -> bytes:
    return struct.pack(">h", len(value)) + value.encode()


def checkpoint(
    partition: int, upstream: int, downstream: int, minute: int = 10, topic: str = "us.orders"
) -> Record:
    key = text("billing") + text(topic) + struct.pack(">i", partition)
    return Record(
        key, struct.pack(">hqq", 0, upstream, downstream) + text(""), SOME_TIME_MS + minute * MINUTE_MS
    )


def sync(partition: int) -> Record:
    return Record(text("orders") + struct.pack(">i", partition), struct.pack(">qq", 900, 4), SOME_TIME_MS)


def log(records: int, minute: int) -> bytes:
    """A log of the target, with records up to this minute."""
    return (
        segment([Record(b"key", b"value", SOME_TIME_MS + minute * MINUTE_MS)] * records) if records else b""
    )


def target(first: bytes, second: bytes) -> Files:
    return {f"us.orders-{number}/{0:020}.log": content for number, content in enumerate((first, second))}


def findings(folder: Path, logs: Files, *checkpoints: Record, **more: bytes) -> list[Finding]:
    journals = {f"{CHECKPOINTS}/{0:020}.log": segment(list(checkpoints)), **more}
    tables = tables_of(write(folder / "input", {**logs, **journals}), folder / "results")
    return [detector.describe(row) for row in detector.find(tables)]


def test_an_offset_of_the_source_in_an_empty_partition_is_found(tmp_path: Path) -> None:
    (finding,) = findings(
        tmp_path, target(log(500, 20), b""), checkpoint(0, 5400, 480), checkpoint(1, 5000, 5000)
    )
    assert (finding.severity, finding.confidence, finding.evidence) == ("medium", "likely", [1, 0])
    assert "MirrorMaker copied its offset 5000 untranslated, and the log ends at offset 0" in finding.title
    assert "offset 5400 of the source is offset 480 of us.orders-0" in finding.explanation
    assert "--group billing --topic us.orders:1 --reset-offsets" in finding.remedy


def test_a_log_with_a_record_that_is_younger_than_the_checkpoint_proves_it(tmp_path: Path) -> None:
    (finding,) = findings(tmp_path, target(log(500, 20), log(3, 20)), checkpoint(1, 5000, 5000))
    assert finding.confidence == "proven"


def test_offset_syncs_without_the_partition_prove_it(tmp_path: Path) -> None:
    syncs = {f"{SYNCS}/{0:020}.log": segment([sync(0)])}
    (finding,) = findings(tmp_path, target(log(500, 5), b""), checkpoint(1, 5000, 5000), **syncs)
    assert finding.confidence == "proven"
    assert "have other partitions of this topic and not this one" in finding.explanation
    both = {f"{SYNCS}/{0:020}.log": segment([sync(0), sync(1)])}
    assert findings(tmp_path / "both", target(log(500, 5), b""), checkpoint(1, 5000, 5000), **both) == []


def test_checkpoints_of_one_topic_are_one_finding(tmp_path: Path) -> None:
    three = (checkpoint(0, 5400, 5400), checkpoint(1, 5000, 5000))
    (finding,) = findings(tmp_path, target(log(3, 20), log(3, 20)), *three)
    assert len(finding.effects) == 2
    assert "1 other checkpoint of this topic" in finding.explanation


def test_a_print_says_where_the_log_ends(tmp_path: Path) -> None:
    said = {
        "offsets.txt": b"$ kafka-get-offsets.sh --bootstrap-server b:9092 --topic us.orders\nus.orders:0:500\nus.orders:1:0\n"
    }
    logs = {name: content for name, content in target(log(500, 20), b"").items() if "orders-0" in str(name)}
    assert len(findings(tmp_path, logs, checkpoint(0, 900, 500), checkpoint(1, 5000, 5000), **said)) == 1


def test_the_log_of_the_target_must_be_there(tmp_path: Path) -> None:
    journals: Files = {f"{CHECKPOINTS}/{0:020}.log": segment([checkpoint(1, 5000, 5000)])}
    tables = tables_of(write(tmp_path / "input", journals), tmp_path / "results")
    assert "not part of the input" in (detector.absent(tables) or "")


@pytest.mark.parametrize(
    ("logs", "checkpoints"),
    [
        (target(log(500, 20), log(300, 20)), [checkpoint(0, 480, 480), checkpoint(1, 300, 300)]),
        (target(log(500, 5), log(300, 5)), [checkpoint(0, 900, 500), checkpoint(1, 310, 310)]),
        (target(log(500, 20), b""), [checkpoint(0, 900, 500), checkpoint(1, 0, 0)]),
        (target(log(500, 20), log(3, 20)), [checkpoint(1, 5000, 5000), checkpoint(1, 5001, 3)]),
        (target(log(500, 20), log(3, 20)), [checkpoint(0, 900, 500), checkpoint(7, 5000, 5000)]),
        (target(b"", b""), [checkpoint(1, 40, 40)]),
    ],
    ids=[
        "a mirror from the start, within its logs",
        "a log that was copied before the checkpoint",
        "a group that has read nothing",
        "a later checkpoint replaced it",
        "a partition that is not in the input",
        "nothing shows when the empty logs were copied",
    ],
)
def test_innocent(tmp_path: Path, logs: Files, checkpoints: list[Record]) -> None:
    assert findings(tmp_path, logs, *checkpoints) == []
