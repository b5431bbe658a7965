"""Settings of topics as the controllers' journal tells them, where no print does."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from spark.dialects.cluster_metadata import dialect, interpret
from spark.log.cluster_settings import POLICIES
from tests.builders import given_tables, other_table, records_table
from tests.spark.controller_records import config, remove_topic, topic
from tests.spark.replays import replayed

JOURNAL, SNAPSHOT = "__cluster_metadata", "__cluster_metadata snapshot 59-1"
DELETE = ("cleanup.policy", "delete")


def state(*values: bytes, of: str = JOURNAL) -> pa.Table:
    records = records_table(*({"key": None, "value": value} for value in values), topic=of)
    return replayed(dialect, interpret(records))[0]


def of_all(name: str, value: str) -> bytes:
    return config(name, value, of="", kind=4)


def policies(*states: pa.Table, **more: pa.Table) -> dict[str, dict[str, Any]]:
    rows = given_tables({"state": pa.concat_tables(states), **more}).rows(POLICIES)
    return {row["topic"]: {name: value for name, value in row.items() if name != "topic"} for row in rows}


def test_the_settings_in_force_of_a_topic() -> None:
    found = policies(
        state(topic(), config(*DELETE), config("retention.ms", "5"), config("retention.ms", "7"))
    )
    assert found == {
        "orders": {
            "policy": "delete",
            "policy_said_by": "__cluster_metadata (offset 1)",
            "retention_ms": "7",
            "retention_bytes": None,
            "has_limit": True,
        }
    }


def test_a_default_of_all_brokers_holds_where_the_topic_has_none() -> None:
    default = of_all("log.cleanup.policy", "compact")
    found = policies(state(default, topic(), topic("payments", bytes(16)), config(*DELETE)))
    assert {name: row["policy"] for name, row in found.items()} == {"orders": "delete", "payments": "compact"}
    assert found["payments"]["policy_said_by"] == "__cluster_metadata (offset 0, default of all brokers)"


@pytest.mark.parametrize(
    "values",
    [
        [topic()],
        [topic(), config(*DELETE), config("cleanup.policy", None)],
        [topic(), config(*DELETE), remove_topic()],
        [config(*DELETE)],
        [topic(), config("retention.ms", "7", of="1", kind=4)],
    ],
    ids=[
        "no setting",
        "a removed setting",
        "a deleted topic",
        "the creation is not in the journal",
        "a setting of a broker",
    ],
)
def test_where_the_journal_does_not_tell(values: list[bytes]) -> None:
    assert policies(state(*values)) == {}


def test_the_journal_goes_before_its_snapshots_and_a_print_before_both() -> None:
    snapshot = state(topic(), config("cleanup.policy", "compact"), of=SNAPSHOT)
    log = state(topic(), config(*DELETE))
    assert policies(snapshot)["orders"]["policy"] == "compact"
    assert policies(snapshot, log)["orders"]["policy"] == "delete"
    files = other_table("files", {"file": 3, "layout": "kafka-configs-describe", "name": "a.txt"}, topic="?")
    told = other_table("properties", {"file": 3, "name": "retention.ms", "value": "-1"}, topic="orders")
    printed = policies(snapshot, log, files=files, properties=told)["orders"]
    assert (printed["policy"], printed["retention_ms"], printed["has_limit"]) == (None, "-1", False)
