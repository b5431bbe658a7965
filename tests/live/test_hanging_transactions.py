"""A transaction that really hangs, beside one that is only long: a report of the capture says what `kafka-transactions` does."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.live.brokers import Broker, Driver
from tests.live.captures import captured, inspected
from tests.live.hanging import Producer, append_late
from tests.live.jars import command
from workers.capture import CaptureManifest

pytestmark = [pytest.mark.live, pytest.mark.spark]

VERSIONS = ("4.1.1", "3.9.1")
HOUR_MS = 3_600_000
COLUMNS = ("topic", "partition", "producer_id", "producer_epoch", "coordinator_epoch", "first_offset")


@dataclass(frozen=True)
class Hung:
    """What Kafka's own tool and our report say of one broker."""

    tool: list[dict[str, str]]
    report: dict[str, Any]
    manifest: CaptureManifest
    late_offset: int
    open_offset: int


@pytest.fixture(scope="module", params=VERSIONS)
def hung(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hung]:
    """Producer `one` has a record behind its COMMIT; `two` is in a long transaction that its coordinator knows."""
    folder = tmp_path_factory.mktemp("hung")
    unverified = {"transaction.partition.verification.enable": "false"}
    with (
        Broker(request.param, folder / "broker", **unverified) as broker,
        Driver(broker.address) as drive,
    ):
        drive("topic", "ledger", 1, 1)
        for name in ("one", "two"):
            drive("producer", name, f"transactional.id={name}", "transaction.timeout.ms=900000")
        drive("begin", "one")
        drive("fill", "one", "ledger", 0, 0, 5, "value ")
        drive("commit", "one")
        drive.until_end("ledger", 0, 6)
        (known,) = captured(broker, "ledger", folder / "before").partitions[0].producers or []
        last = Producer("one", known["producer_id"], known["producer_epoch"], known["last_sequence"] + 1)
        late = append_late(broker, "ledger", 0, last, int(time.time() * 1000) - HOUR_MS)
        drive("begin", "two")
        drive("fill", "two", "ledger", 0, 0, 1, "value ")
        manifest = captured(broker, "ledger", folder / "capture")
        (report,) = inspected(folder / "capture")
        yield Hung(find_hanging(broker), report, manifest, late, late + 1)


def find_hanging(broker: Broker) -> list[dict[str, str]]:
    """`kafka-transactions find-hanging`, row by row."""
    main = "org.apache.kafka.tools.TransactionsCommand"
    asked = ("--bootstrap-server", broker.address, "find-hanging", "--broker-id", "1")
    run = subprocess.run(
        command(broker.version, main, *asked), capture_output=True, text=True, timeout=120, check=True
    )
    rows = [line.split() for line in run.stdout.splitlines()]
    assert rows, run.stderr[-2000:]
    heading = next(number for number, row in enumerate(rows) if row[:2] == ["Topic", "Partition"])
    return [dict(zip(COLUMNS, row, strict=False)) for row in rows[heading + 1 :]]


def test_the_same_transaction_hangs(hung: Hung) -> None:
    theirs = [(row["topic"], int(row["partition"]), int(row["first_offset"])) for row in hung.tool]
    assert theirs == [("ledger", 0, hung.late_offset)]
    ours = [finding for finding in hung.report["findings"] if finding["detector"] == "hanging-transaction"]
    assert [(one["topic"], one["partition"], one["first_offset"]) for one in ours] == theirs
    assert ours[0]["entity"] == f"producer:{hung.tool[0]['producer_id']}"
    assert ours[0]["confidence"] == "proven"


def test_a_transaction_that_its_coordinator_knows_does_not_hang(hung: Hung) -> None:
    transactional_ids = {one["transactional_id"]: one["state"] for one in hung.manifest.transactions or []}
    assert transactional_ids["two"] == "Ongoing"
    hanging = {
        finding["first_offset"]
        for finding in hung.report["findings"]
        if finding["detector"] == "hanging-transaction"
    }
    assert hung.open_offset not in hanging


def test_the_last_stable_offset_stays_there(hung: Hung) -> None:
    assert hung.manifest.partitions[0].last_stable_offset == hung.late_offset
