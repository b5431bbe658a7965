"""Producers of a snapshot whose transaction is open."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from spark.detectors.transactions.snapshot_open_transaction import detector
from spark.terms.findings import Finding
from tests.builders import batches_table, given_tables, other_table

PRODUCER = {
    "topic": "orders", "partition": 0, "replica": "", "file": 0, "snapshot_offset": 700, "producer_id": 9, "producer_epoch": 1,
    "last_offset": 620, "timestamp_ms": 1_655_761_267_833, "current_txn_first_offset": 610,
}  # fmt: skip


def found(*producers: dict[str, Any], batches: pa.Table | None = None) -> list[Finding]:
    tables = {"producer_states": other_table("producer_states", *producers)}
    if batches is not None:
        tables["batches"] = batches
    return [detector.describe(row) for row in detector.find(given_tables(tables))]


def test_an_open_transaction_is_a_remark() -> None:
    [finding] = found(PRODUCER)
    assert (finding.severity, finding.first_offset) == ("info", 610)
    assert "Producer 9 of orders-0 has an open transaction since offset 610" in finding.title


def test_a_producer_without_one_is_innocent() -> None:
    assert found({**PRODUCER, "current_txn_first_offset": None}) == []


def test_the_newest_snapshot_speaks() -> None:
    assert found(PRODUCER, {**PRODUCER, "snapshot_offset": 800, "current_txn_first_offset": None}) == []
    newer = {**PRODUCER, "snapshot_offset": 800, "producer_id": 10}
    assert [finding.entity for finding in found(PRODUCER, newer)] == ["producer 10"]


def test_where_the_log_is_there_it_speaks_itself() -> None:
    log = batches_table(
        {"topic": "orders", "partition": 0, "replica": "", "base_offset": 600, "last_offset": 640}
    )
    assert found(PRODUCER, batches=log) == []
    before = batches_table(
        {"topic": "orders", "partition": 0, "replica": "", "base_offset": 500, "last_offset": 600}
    )
    assert len(found(PRODUCER, batches=before)) == 1
