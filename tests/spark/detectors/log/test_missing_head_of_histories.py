"""Histories of Debezium and ksqlDB and configs of Connect that begin too late."""

from __future__ import annotations

import json
from typing import Any

from spark.detectors.log.missing_head import detector
from spark.terms.findings import Finding
from tests.builders import files_table, other_table
from tests.spark.read_journals import findings


def found(dialect: str, *records: dict[str, Any], first: int = 4, command: str = "") -> list[Finding]:
    extra = {
        "files": files_table({"name": "dump.ndjson", "kind": "export", "base_offset": None, "topic": "j"}),
        "runs": other_table("runs", {"first_offset": first, "last_offset": first + 5}, topic="j"),
        "set_aside": other_table("set_aside", {"kind": "command", "text": command}),
    }
    head, *rest = records
    return findings(detector, dialect, {**head, "offset": first}, *rest, extra=extra, topic="j")


def change(
    kind: str, table: str, previous: str | None = None, ddl: str = "", server: str = "shop"
) -> dict[str, Any]:
    changes: list[dict[str, Any]] = (
        [{"type": kind, "id": table, "previousId": previous, "table": {}}] if table else []
    )
    value = {
        "source": {"server": server},
        "position": {"pos": 1},
        "databaseName": "shop",
        "ddl": ddl,
        "tableChanges": changes,
    }
    return {"key": None, "value": json.dumps(value).encode()}


def command(key: str, statement: str) -> dict[str, Any]:
    return {"key": json.dumps(key).encode(), "value": json.dumps({"statement": statement}).encode()}


def config(key: str, **value: Any) -> dict[str, Any]:
    return {"key": key.encode(), "value": json.dumps(value).encode() if value else None}


CONNECTOR = config("connector-b", properties={"name": "b"})
TASK = config("task-a-0", properties={"name": "a"})


def test_a_table_that_is_altered_and_never_created_shows_a_missing_head() -> None:
    (finding,) = found("debezium-history", change("ALTER", "shop.orders"))
    assert (finding.severity, finding.confidence) == ("critical", "proven")
    assert (finding.first_offset, finding.last_offset, finding.evidence) == (0, 3, [4, 4])
    assert "table shop.orders, which no earlier record creates" in finding.explanation
    assert "cleanup.policy=delete,retention.ms=-1" in finding.remedy


def test_statements_alone_show_it_as_well() -> None:
    assert found("debezium-history", change("", "", ddl="ALTER TABLE `orders` ADD COLUMN x INT"))
    both = [
        change("", "", ddl="CREATE TABLE IF NOT EXISTS shop.orders (id INT)"),
        change("", "", ddl="ALTER TABLE orders ADD x INT"),
    ]
    assert found("debezium-history", *both) == []


def test_a_history_that_creates_what_it_alters_is_whole() -> None:
    assert found("debezium-history", change("CREATE", "shop.orders"), change("ALTER", "shop.orders")) == []
    renamed = change("ALTER", "shop.bills", previous="shop.orders")
    assert found("debezium-history", change("CREATE", "shop.orders"), renamed) == []
    assert found("debezium-history", change("DROP", "shop.orders"), change("CREATE", "shop.orders")) == []


def test_each_source_has_its_own_tables() -> None:
    records = change("CREATE", "shop.orders"), change("ALTER", "shop.orders", server="other")
    assert found("debezium-history", *records)


def test_a_history_from_0_and_a_print_that_begins_later_are_innocent() -> None:
    assert found("debezium-history", change("ALTER", "shop.orders"), first=0) == []
    assert (
        found("debezium-history", change("ALTER", "shop.orders"), command="kcat -b b:9092 -C -t j -o 4 -J")
        == []
    )
    assert found(
        "debezium-history", change("ALTER", "shop.orders"), command="kcat -b b:9092 -C -t j -o beginning"
    )


def test_statements_over_what_no_command_creates_show_a_missing_head() -> None:
    (finding,) = found(
        "ksqldb-commands",
        command("stream/`BIG`/create", "CREATE STREAM BIG AS SELECT * FROM orders o JOIN `x` ON 1;"),
    )
    assert "stream or table ORDERS" in finding.explanation
    assert found("ksqldb-commands", command("stream/`A`/drop", "DROP STREAM A;"))


def test_commands_that_create_what_they_need_are_whole() -> None:
    create = command(
        "stream/`ORDERS`/create", "CREATE STREAM ORDERS (V INT) WITH (KAFKA_TOPIC='from nowhere');"
    )
    query = command("stream/`BIG`/create", "CREATE STREAM BIG AS SELECT 'from x' FROM ORDERS;")
    assert found("ksqldb-commands", create, query) == []
    assert found("ksqldb-commands", command("stream/`A`/drop", "DROP STREAM IF EXISTS A;")) == []


def test_a_target_state_or_a_task_without_a_connector_shows_a_missing_head() -> None:
    (finding,) = found("connect", config("target-state-a", state="PAUSED"), CONNECTOR)
    assert "connector a, whose config the dump does not contain" in finding.explanation
    assert found("connect", TASK, CONNECTOR)


def test_what_a_deleted_connector_left_over_is_innocent() -> None:
    assert found("connect", TASK, {**CONNECTOR, "offset": 9}) == [], "its tombstone may be compacted away"
    assert found("connect", TASK, config("connector-a")) == []
    assert found("connect", config("target-state-a"), CONNECTOR) == []
