"""Log folders without their beginning."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from spark.terms.findings import Finding
from tests.builders import entries_table, files_table, other_table, records_table

ID = "missing-head"


def folder(topic: str, *bases: int, suffix: str = "log") -> list[dict[str, Any]]:
    """Rows of `files` of one folder."""
    return [
        {
            "name": f"{topic}-0/{base:020}.{suffix}",
            "topic": topic,
            "base_offset": base,
            "kind": "segment" if suffix == "log" else "companion",
        }
        for base in bases
    ]


def found(inspect: Any, *rows: dict[str, Any], **tables: pa.Table) -> list[Finding]:
    return inspect(ID, files=files_table(*rows), **tables)


@pytest.mark.parametrize(
    "topic",
    [
        "_schemas", "kafkasql-journal", "prod.kafkasql-journal", "connect-configs", "my-connect-cluster-offsets",
        "connect_status", "_confluent-ksql-default__command_topic", "schema-changes.inventory", "dbhistory.orders",
        "schemahistory.fulfillment",
    ],
)  # fmt: skip
def test_a_journal_without_its_head_is_critical(inspect: Any, topic: str) -> None:
    (finding,) = found(inspect, *folder(topic, 9, 13))
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("critical", 0, 8)
    assert "00000000000000000009.log" in finding.explanation


@pytest.mark.parametrize(
    "topic", ["orders", "avro-schemas", "connections", "__consumer_offsets", "connected-cars"]
)
def test_an_ordinary_topic_is_a_remark(inspect: Any, topic: str) -> None:
    (finding,) = found(inspect, *folder(topic, 9))
    assert finding.severity == "info"


def test_entries_make_a_journal_of_any_name(inspect: Any) -> None:
    (finding,) = found(inspect, *folder("registry", 9), entries=entries_table({}, topic="registry"))
    assert finding.severity == "critical"


def test_a_first_segment_named_0_is_whole_whatever_it_holds(inspect: Any) -> None:
    assert found(inspect, *folder("_schemas", 0, 40), records=records_table({"offset": 30})) == []


def test_an_empty_segment_is_all_that_is_left(inspect: Any) -> None:
    (row,) = folder("_schemas", 120)
    (finding,) = found(inspect, {**row, "size_bytes": 0})
    assert finding.last_offset == 119


def test_a_left_index_shows_that_the_segment_was_there(inspect: Any) -> None:
    (finding,) = found(inspect, *folder("_schemas", 9), *folder("_schemas", 0, 9, suffix="index"))
    assert "index of the segment at offset 0" in finding.explanation


@pytest.mark.parametrize(("message", "count"), [(b"CreateSnapshot1Message", 0), (b"CreateGroup1Message", 1)])
def test_a_snapshot_marker_stands_for_what_lay_before(inspect: Any, message: bytes, count: int) -> None:
    headers = [{"key": b"req", "value": b"1"}, {"key": b"mt", "value": message}]
    records = records_table({"offset": 12, "headers": headers}, topic="kafkasql-journal")
    assert len(found(inspect, *folder("kafkasql-journal", 9), records=records)) == count


def test_files_of_unknown_topics_and_snapshots_are_no_head(inspect: Any) -> None:
    loose = {**folder("x", 9)[0], "topic": "?"}
    assert found(inspect, loose) == []
    assert found(inspect, *folder("_schemas", 0), *folder("_schemas", 9, suffix="snapshot")) == []


def captured(topic: str, log_start: int | None, policy: str | None = "delete") -> pa.Table:
    return other_table("captures", {"log_start_offset": log_start, "cleanup_policy": policy}, topic=topic)


def test_a_capture_that_was_asked_to_begin_later_has_lost_nothing(inspect: Any) -> None:
    assert found(inspect, *folder("_schemas", 9), captures=captured("_schemas", 0)) == []


def test_where_the_capture_does_not_tell_the_files_do(inspect: Any) -> None:
    (finding,) = found(inspect, *folder("orders", 9), captures=captured("orders", None))
    assert (finding.first_offset, finding.last_offset) == (0, 8)
    assert "00000000000000000009.log" in finding.explanation
