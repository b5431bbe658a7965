"""A broker of today writes transactions and compacts a topic; what Journalscope says of its folder is what happened."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from tests.live.brokers import Broker, Driver
from tests.live.captures import inspected

pytestmark = [pytest.mark.live, pytest.mark.spark]

VERSION = "3.9.1"
UNTIL_CLEANED_S = 120
COMPACTED = ["cleanup.policy=compact", "min.cleanable.dirty.ratio=0", "delete.retention.ms=86400000"]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`before` and `after`: the broker's data before and after a cleaning, with a transaction left open at the end."""
    kept = tmp_path_factory.mktemp("live")
    with Broker(VERSION, kept / "broker") as broker, Driver(broker.address, VERSION) as drive:
        write(drive)
        shutil.copytree(broker.data, kept / "before")
        compact(drive, broker.data)
        shutil.copytree(broker.data, kept / "after")
    return kept


def write(drive: Driver) -> None:
    """Offsets 0-2 committed with COMMIT at 3, 4-5 aborted with ABORT at 6, a tombstone at 7, a key anew at 8, 9 open."""
    drive("topic", "ledger", 1, 1, "cleanup.policy=delete")
    drive("producer", "plain", "enable.idempotence=true")
    for name in ("first", "second"):
        drive("producer", name, f"transactional.id={name}", "transaction.timeout.ms=600000")
    drive("begin", "first")
    send(drive, "first", a=1, b=1, c=1)
    drive("commit", "first")
    drive.until_end("ledger", 0, 4)
    drive("begin", "second")
    send(drive, "second", a=2, d=2)
    drive("abort", "second")
    drive.until_end("ledger", 0, 7)
    send(drive, "plain", b="~", c=2)


def send(drive: Driver, producer: str, **pairs: object) -> None:
    """Keys and values, one batch."""
    for key, value in pairs.items():
        drive("send", producer, "ledger", 0, key, value)
    drive("flush", producer)


def compact(drive: Driver, data: Path) -> None:
    """Close the segment, let the cleaner pass, then leave a transaction open."""
    drive("alter", "ledger", "segment.ms=500")
    time.sleep(1)
    send(drive, "plain", z=1)
    drive("alter", "ledger", "segment.ms=604800000", *COMPACTED)
    checkpoint = data / "cleaner-offset-checkpoint"
    until = time.monotonic() + UNTIL_CLEANED_S
    while not (checkpoint.exists() and "ledger 0 9" in checkpoint.read_text()):
        assert time.monotonic() < until, "the broker did not clean the topic"
        time.sleep(0.3)
    drive("begin", "first")
    send(drive, "first", y=1)


@pytest.fixture(scope="module")
def reports(folders: Path) -> dict[str, dict[str, Any]]:
    """Both reports by name of the folder."""
    found = inspected(folders / "before", folders / "after")
    return dict(zip(("before", "after"), found, strict=True))


def test_every_record_the_broker_took_is_read(reports: dict[str, Any]) -> None:
    assert reports["before"]["coverage"]["records_per_partition"]["ledger-0"] == 7
    # a@0, c@2 give way to nothing and c@8; b@1 to its tombstone; the aborted records go.
    assert reports["after"]["coverage"]["records_per_partition"]["ledger-0"] == 5


def test_a_sound_broker_is_called_healthy(reports: dict[str, Any]) -> None:
    for report in reports.values():
        assert report["verdict"]["level"] == "healthy", report["verdict"]
        assert report["coverage"]["unreadable_bytes"] == 0
        assert {finding["severity"] for finding in report["findings"]} <= {"info", "low"}


def test_the_transaction_left_open_is_named(reports: dict[str, Any]) -> None:
    opened = [
        finding["first_offset"]
        for finding in reports["after"]["findings"]
        if (finding["detector"], finding["topic"]) == ("open-transaction", "ledger")
    ]
    assert opened == [10]
    assert not any(finding["detector"] == "open-transaction" for finding in reports["before"]["findings"])


def test_nothing_is_missing_that_the_cleaner_does_not_explain(reports: dict[str, Any]) -> None:
    assert not reports["after"]["coverage"].get("unexplained_offsets_per_partition")
