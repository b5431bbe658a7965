"""Orphans in the controllers' journal: unknown topics, transactions without end, a head that no snapshot holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spark.detectors.metadata.metadata_orphan import detector
from tests.generator.segment import Record, batch, segment_name
from tests.spark.controller_records import (
    ABORT,
    BEGIN,
    END,
    NO_OP,
    PAYMENTS,
    broker,
    new_leader,
    partition,
    remove_topic,
    topic,
)
from tests.spark.states import files_of
from tests.spark.transaction_logs import CORPUS, NO_CORPUS
from tests.spark.whole_pipeline import report_of, report_on

START_MS = 1_707_350_400_000


def log(folder: Path, *values: bytes, first: int = 0) -> Path:
    """A log of these records, one batch each."""
    place = folder / "__cluster_metadata-0"
    place.mkdir(parents=True, exist_ok=True)
    batches = [
        batch([Record(None, value, START_MS + n)], first + n, leader_epoch=1)
        for n, value in enumerate(values)
    ]
    (place / segment_name(first)).write_bytes(b"".join(batches))
    return folder


def snapshot(folder: Path, offset: int, *values: bytes) -> None:
    batches = [
        batch([Record(None, value, START_MS)], number, leader_epoch=1) for number, value in enumerate(values)
    ]
    (folder / "__cluster_metadata-0" / f"{offset:020d}-0000000001.checkpoint").write_bytes(b"".join(batches))


def found(folder: Path) -> list[dict[str, Any]]:
    report = report_of(folder, folder.parent / "results")
    return [one for one in report["findings"] if one["detector"] == detector.id]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "input"


def test_a_record_for_a_topic_that_nobody_made_is_found(folder: Path) -> None:
    log(folder, broker(), topic(), partition(), partition(id=PAYMENTS), new_leader(1, id=PAYMENTS))
    (finding,) = found(folder)
    assert (finding["severity"], finding["confidence"], finding["evidence"]) == ("high", "proven", [3, 4])
    assert "topic ID EBESExQVFhcYGRobHB0eHw" in finding["title"]


def test_a_record_after_the_topics_removal_is_found_with_the_removal(folder: Path) -> None:
    log(folder, broker(), topic(), partition(), remove_topic(), new_leader(1))
    (finding,) = found(folder)
    assert finding["evidence"] == [3, 4]
    assert "deleted at offset 3" in finding["explanation"]


def test_a_topic_deleted_and_made_again_is_healthy(folder: Path) -> None:
    log(folder, broker(), topic(), partition(), remove_topic(), topic(id=PAYMENTS), partition(id=PAYMENTS))
    assert found(folder) == []


def test_a_transaction_with_an_end_is_healthy(folder: Path) -> None:
    log(folder, broker(), BEGIN, topic(), END, BEGIN, ABORT, NO_OP)
    assert found(folder) == []


def test_an_open_transaction_at_the_end_is_likely(folder: Path) -> None:
    log(folder, broker(), BEGIN, topic(), NO_OP)
    (finding,) = found(folder)
    assert (finding["first_offset"], finding["last_offset"], finding["confidence"]) == (1, 3, "likely")


def test_one_that_another_follows_is_proven(folder: Path) -> None:
    log(folder, broker(), BEGIN, topic(), BEGIN, END)
    (finding,) = found(folder)
    assert (finding["first_offset"], finding["last_offset"], finding["confidence"]) == (1, 2, "proven")


def test_a_head_cut_off_without_snapshot_is_found_once(folder: Path) -> None:
    log(folder, broker(), partition(), new_leader(1), first=100)
    (finding,) = found(folder)
    assert (finding["first_offset"], finding["last_offset"], finding["confidence"]) == (0, 99, "likely")


@pytest.mark.parametrize(("offset", "count"), [(99, 1), (100, 0), (102, 0)], ids=["too old", "at", "past"])
def test_a_snapshot_covers_from_the_log_start_on(folder: Path, offset: int, count: int) -> None:
    log(folder, broker(), new_leader(1), NO_OP, first=100)
    snapshot(folder, offset, broker(), topic(), partition())
    assert [one["confidence"] for one in found(folder)] == ["proven"] * count


def test_a_topic_that_the_snapshot_lacks_is_found(folder: Path) -> None:
    log(folder, broker(), new_leader(1), new_leader(1, id=PAYMENTS), first=100)
    snapshot(folder, 100, broker(), topic(), partition())
    (finding,) = found(folder)
    assert finding["evidence"] == [102]


@pytest.mark.skipif(not CORPUS.is_dir(), reason=NO_CORPUS)
def test_a_real_journal_has_no_orphans(tmp_path: Path) -> None:
    case = CORPUS / "internal-real" / "cluster-metadata-391"
    report = report_on(files_of(case, ["__cluster_metadata-0"]), tmp_path)
    assert detector.id in report["clean"]


def printed_batches(*batches: tuple[int, str]) -> str:
    """kafka-dump-log --skip-record-metadata: a line for each batch, then the contents of its records; control records have none."""
    line = (
        "baseOffset: %d lastOffset: %d count: 1 baseSequence: -1 lastSequence: -1 producerId: -1 producerEpoch: -1 partitionLeaderEpoch: 1 "
        "isTransactional: false isControl: %s position: %d CreateTime: 1614382631640 size: 89 magic: 2 compresscodec: NONE crc: 1438115474 "
        "isvalid: true\n%s\n"
    )
    return "Dumping /tmp/__cluster_metadata-0/00000000000000000000.log\nStarting offset: 0\n" + "".join(
        line % (offset, offset, "false" if text else "true", offset * 89, f" payload: {text}" if text else "")
        for offset, text in batches
    )


NO_OP_PRINTED = '{"type":"NO_OP_RECORD","version":0,"data":{}}'


@pytest.mark.parametrize(
    ("batches", "titles"),
    [
        (((0, ""), (1, NO_OP_PRINTED)), []),
        (((3, ""), (4, NO_OP_PRINTED)), ["The dump of __cluster_metadata-0 starts at offset 3"]),
    ],
    ids=["from the first batch", "late"],
)
def test_a_control_batch_without_contents_begins_a_print(
    batches: tuple[tuple[int, str], ...], titles: list[str], tmp_path: Path
) -> None:
    (tmp_path / "paste.txt").write_text(printed_batches(*batches))
    report = report_on(files_of(tmp_path, ["paste.txt"]), tmp_path / "results")
    assert [one["title"] for one in report["findings"] if one["detector"] == detector.id] == titles


def test_a_print_that_begins_late_is_a_remark(tmp_path: Path) -> None:
    line = (
        "| offset: %d CreateTime: 1790509878206 keySize: -1 valueSize: %d sequence: -1 headerKeys: [] payload: "
        '{"type":"%s","version":0,"data":%s}\n'
    )
    text = line % (111, 27, "TOPIC_RECORD", '{"name":"orders","topicId":"ywkgJzfISRGP0UN2q1Y88A"}')
    text += line % (112, 4, "NO_OP_RECORD", "{}")
    (tmp_path / "paste.txt").write_text(text)
    report = report_on(files_of(tmp_path, ["paste.txt"]), tmp_path / "results")
    found = [one for one in report["findings"] if one["detector"] == detector.id]
    assert [(one["severity"], one["title"]) for one in found] == [
        ("info", "The dump of __cluster_metadata-0 starts at offset 111")
    ]
    assert report["verdict"]["level"] == "healthy"
