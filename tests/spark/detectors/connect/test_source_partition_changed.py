"""Source keys that end while keys with other members begin."""

from __future__ import annotations

import json
from typing import Any

from spark.detectors.connect.source_partition_changed import detector
from spark.dialects import dialects
from spark.terms.findings import Finding
from tests.builders import given_tables, lifelines_table, records_table


def found(*sources: dict[str, str] | tuple[dict[str, str], None], connector: str = "sql") -> list[Finding]:
    """Offsets of a connector, a second apart."""
    rows = [record(connector, source) for source in sources]
    records = records_table(*rows)
    interpret = dialects()["connect"].interpret
    assert interpret is not None
    lifelines = lifelines_table(
        *({"offset": number, "timestamp_ms": 1000 * number} for number in range(len(rows)))
    )
    tables = given_tables({"entries": interpret(records), "lifelines": lifelines})
    return [detector.describe(row) for row in detector.find(tables)]


def record(connector: str, source: Any) -> dict[str, Any]:
    is_deleted = isinstance(source, tuple)
    key = json.dumps([connector, source[0] if is_deleted else source]).encode()
    return {"key": key, "value": None if is_deleted else b'{"lsn": "1"}'}


OLD, NEW = {"server": "s1"}, {"server": "s1", "database": "shop"}


def test_a_member_that_is_added_orphans_the_offset() -> None:
    (finding,) = found(OLD, OLD, OLD, NEW, NEW)
    assert (finding.severity, finding.confidence, finding.first_offset) == ("medium", "likely", 3)
    assert "members database and server instead of server" in finding.title


def test_a_value_that_is_qualified_counts_as_the_same() -> None:
    assert found(*[{"table": "t"}] * 3, {"table": "db.t", "protocol": "1"})
    assert found(*[{"table": "t"}] * 3, {"entity": "t"}), "a member was renamed"


def test_keys_that_both_go_on_are_innocent() -> None:
    assert found(OLD, OLD, OLD, NEW, OLD) == []


def test_tables_that_come_and_go_are_innocent() -> None:
    assert found({"table": "a"}, {"table": "a"}, {"table": "a"}, {"table": "b"}) == []


def test_an_old_key_that_was_deleted_is_innocent() -> None:
    assert found(OLD, OLD, (OLD, None), NEW) == []


def test_another_source_is_innocent() -> None:
    assert found(OLD, OLD, OLD, {"server": "s2", "database": "shop"}) == []


def test_a_changed_topic_prefix_orphans_the_offset() -> None:
    renamed = {"server": "fulfillment"}
    (finding,) = found(OLD, OLD, OLD, renamed, renamed)
    assert finding.title.endswith(
        "the server of its source partition is fulfillment instead of s1"
    ) or finding.title.endswith('the server of its source partition is "fulfillment" instead of "s1"')
    assert "If the connector had to begin again, nothing is wrong." in finding.explanation


def test_servers_that_both_go_on_and_one_that_was_deleted_are_innocent() -> None:
    other = {"server": "s2"}
    assert found(OLD, OLD, OLD, other, OLD, other) == []
    assert found(OLD, OLD, OLD, (OLD, None), other, other) == []


def test_of_a_table_of_another_connector_nothing_is_said() -> None:
    assert found({"table": "a"}, {"table": "a"}, {"table": "a"}, {"table": "b"}) == []
