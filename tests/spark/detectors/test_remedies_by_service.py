"""Remedies follow the service of the topic: what helps one journal harms another."""

from __future__ import annotations

import pytest

from spark.detectors.connect import zombie_worker
from spark.detectors.log import deleted_by_retention, missing_head
from spark.detectors.schemas import schema_id_collision
from spark.detectors.transactions import hanging_transaction
from spark.terms.marked import plain
from tests.spark.remedy_rules import forbidden


@pytest.mark.parametrize(
    "module", [missing_head, deleted_by_retention], ids=["missing-head", "deleted-by-retention"]
)
@pytest.mark.parametrize(
    ("service", "dialect", "tools"),
    [
        ("Debezium connector", "debezium-history", ["snapshot.mode=recovery", "2.6", "schema_only_recovery"]),
        ("ksqlDB server", "ksqldb-commands", ["ksql-restore-command-topic"]),
        ("schema registry", "schema-registry", ["cleanup.policy=compact"]),
    ],
)
def test_a_keyless_journal_is_never_compacted(
    module: object, service: str, dialect: str, tools: list[str]
) -> None:
    remedy = plain(module.remedy({"topic": "history", "service": service}))  # type: ignore[attr-defined]
    assert forbidden(dialect, "history", remedy) == []
    assert [tool for tool in tools if tool not in remedy] == []
    assert ("cleanup.policy=compact" in remedy) == (dialect == "schema-registry")


@pytest.mark.parametrize(
    ("topic", "writes"), [("orders", True), ("__consumer_offsets", False), ("__transaction_state", False)]
)
def test_nothing_is_produced_to_kafkas_own_topics(topic: str, writes: bool) -> None:
    row = {"topic": topic, "partition": 3, "first_stable_offset": 60, "first_offset": 60, "last_offset": 61}
    producer = {"records": 2, "producer_id": 7, "producer_epoch": 0, "coordinator_epoch": 0}
    remedy = plain(hanging_transaction.remedy(row | producer))
    assert ("produce them again" in remedy) == writes
    assert ("Do not write to this topic" in remedy) != writes


def test_a_soft_deleted_holder_of_a_schema_id_is_not_registered_again() -> None:
    records = [
        {"offset": 4, "entity_id": "orders:1", "entry_action": "register"},
        {"offset": 5, "entity_id": "payments:1", "entry_action": "register"},
        {"offset": 6, "entity_id": "payments:1", "entry_action": "soft-delete"},
    ]
    row = {"topic": "_schemas", "doubled_id": 7, "records": records, "cause": None, "service": None}
    mode, not_again, again = plain(schema_id_collision.remedy(row)).split("\n")[2:5]
    assert "42205" in mode
    assert "payments" in not_again
    assert "Do not register" in not_again
    assert "orders" in again
    assert "payments" not in again


def test_a_worker_of_a_second_healthy_cluster_is_not_stopped() -> None:
    remedy = plain(zombie_worker.detector.remedy(workers="a:8083 and b:8083"))
    assert remedy.index("stop neither worker") < remedy.index("stop the worker that is no longer a member")
    assert forbidden("connect", "connect-status", remedy) == []
