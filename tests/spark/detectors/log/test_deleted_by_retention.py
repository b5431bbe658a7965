"""Heads of logs that something tells were deleted."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from spark.detectors.log.deleted_by_retention import detector
from spark.detectors.log.missing_head import detector as missing_head
from spark.terms.findings import Finding
from spark.terms.marked import plain
from tests.builders import files_table, other_table
from tests.spark.read_journals import findings, schema, typed

ID = "deleted-by-retention"
REFERENCE = [{"name": "money.proto", "subject": "money.proto", "version": 1}]


def folder(topic: str, base: int, **more: Any) -> dict[str, Any]:
    """The row of `files` of a folder's first segment."""
    return {
        "name": f"{topic}-0/{base:020}.log",
        "topic": topic,
        "base_offset": base,
        "kind": "segment",
        **more,
    }


def found(inspect: Any, *rows: dict[str, Any], **tables: pa.Table) -> list[Finding]:
    return inspect(ID, files=files_table(*rows), **tables)


def captured(topic: str, log_start: int | None, policy: str | None = "delete") -> pa.Table:
    return other_table("captures", {"log_start_offset": log_start, "cleanup_policy": policy}, topic=topic)


def settings(topic: str, **values: str) -> pa.Table:
    rows = ({"name": name.replace("_", "."), "value": value, "file": 7} for name, value in values.items())
    return other_table("properties", *rows, topic=topic)


@pytest.mark.parametrize(
    ("policy", "title", "said"),
    [
        (
            "delete",
            ": retention deleted",
            "With cleanup.policy=delete, the broker deletes the oldest segments by age or size",
        ),
        (
            "compact",
            ": DeleteRecords deleted",
            "Possible causes: DeleteRecords, or an earlier policy",
        ),
        (
            None,
            ": retention or DeleteRecords deleted",
            "Retention or DeleteRecords deleted the earlier records",
        ),
    ],
)
def test_of_a_captured_log_the_broker_has_told_where_it_begins(
    inspect: Any, policy: str | None, title: str, said: str
) -> None:
    (finding,) = found(inspect, folder("orders", 9), captures=captured("orders", 5, policy))
    assert (finding.severity, finding.confidence) == ("info", "proven")
    assert (finding.first_offset, finding.last_offset) == (0, 4)
    assert title in finding.title
    assert "offset 5 as the start of its log at the time of the capture" in finding.explanation
    assert said in finding.explanation


def test_a_journal_must_be_whole(inspect: Any) -> None:
    (finding,) = found(inspect, folder("_schemas", 9), captures=captured("_schemas", 9))
    assert finding.severity == "critical"
    assert (
        finding.title
        == "Schema registry cannot rebuild its full state: retention deleted offsets 0-8 of _schemas-0"
    )
    assert plain(detector.headline([finding])) == finding.title


def test_the_broker_s_own_note_tells_it(inspect: Any) -> None:
    starts = other_table("checkpoints", {"topic": "orders", "kind": "log_start", "offset": 9})
    (finding,) = found(inspect, folder("orders", 9), checkpoints=starts)
    assert "log-start-offset-checkpoint contains offset 9" in finding.explanation


def test_what_is_deleted_and_still_in_a_segment_can_be_saved(inspect: Any) -> None:
    starts = other_table(
        "checkpoints", {"kind": "log_start", "offset": 9}, topic="_schemas", partition=0, replica=""
    )
    runs = other_table(
        "runs", {"first_offset": 2, "last_offset": 20}, topic="_schemas", partition=0, replica="", file=0
    )
    (finding,) = found(inspect, folder("_schemas", 0), checkpoints=starts, runs=runs)
    assert (finding.severity, finding.last_offset) == ("critical", 8)
    assert "still contain records of offsets 2-8" in finding.explanation


def test_settings_that_delete_make_it_likely_and_name_the_limits(inspect: Any) -> None:
    told = settings("_schemas", cleanup_policy="compact,delete", retention_ms="604800000")
    (finding,) = found(inspect, folder("_schemas", 9), properties=told)
    assert (finding.severity, finding.confidence) == ("critical", "likely")
    assert "retention.ms 604800000" in finding.explanation


def test_an_index_of_an_older_segment_shows_that_the_copy_left_it_out(inspect: Any) -> None:
    told = settings("_schemas", cleanup_policy="delete")
    for base, count in ((9, 1), (0, 0)):
        index = {**folder("_schemas", base, kind="companion"), "name": f"_schemas-0/{base:020}.index"}
        assert len(found(inspect, folder("_schemas", 9), index, properties=told)) == count


@pytest.mark.parametrize(
    "values",
    [
        {"cleanup_policy": "compact"},
        {"cleanup_policy": "delete", "retention_ms": "-1", "retention_bytes": "-1"},
        {},
    ],
    ids=["compacted", "without limits", "unknown"],
)
def test_a_folder_that_begins_late_for_no_told_reason_is_missing_head_s(
    inspect: Any, values: dict[str, str]
) -> None:
    told = settings("_schemas", **values)
    assert found(inspect, folder("_schemas", 9), properties=told) == []
    assert len(inspect(missing_head.id, files=files_table(folder("_schemas", 9)), properties=told)) == 1


def test_what_is_deleted_is_not_missing_head_s_too(inspect: Any) -> None:
    files = files_table(folder("_schemas", 9))
    assert inspect(missing_head.id, files=files, captures=captured("_schemas", 9)) == []


def test_a_log_that_starts_at_0_is_whole(inspect: Any) -> None:
    starts = other_table(
        "checkpoints", {"kind": "log_start", "offset": 0}, topic="_schemas", partition=0, replica=""
    )
    runs = other_table(
        "runs", {"first_offset": 0, "last_offset": 20}, topic="_schemas", partition=0, replica="", file=0
    )
    assert found(inspect, folder("_schemas", 0), checkpoints=starts, runs=runs) == []
    assert found(inspect, folder("_schemas", 9), captures=captured("_schemas", 0)) == []


def dumped(dialect: str, *records: dict[str, Any], start: int | None, first: int = 9) -> list[Finding]:
    """Of a dump that begins at offset 9, with the start of the log as a tool printed it."""
    files = files_table(
        {"name": "dump.ndjson", "kind": "export", "base_offset": None, "layout": "kcat-json"},
        {
            "name": "offsets.txt",
            "kind": "companion",
            "base_offset": None,
            "layout": "kafka-get-offsets",
            "layout_title": "kafka-get-offsets",
        },
        topic="j",
    )
    place = {"topic": "j", "partition": 0, "replica": ""}
    extra = {
        "files": files,
        "runs": other_table("runs", {**place, "file": 0, "first_offset": first, "last_offset": 20}),
    }
    if start is not None:
        extra["printed"] = other_table(
            "printed", {"topic": "j", "partition": 0, "file": 1, "kind": "log_start", "offset": start}
        )
    head, *rest = records
    return findings(detector, dialect, {**head, "offset": first}, *rest, extra=extra, topic="j")


def test_a_tool_s_print_tells_it_of_a_dump_and_the_references_what_is_lost() -> None:
    records = schema("a", 2, 10), schema("b", 1, 11, references=REFERENCE)
    (finding,) = dumped("schema-registry", *records, start=9)
    assert (finding.severity, finding.confidence) == ("critical", "proven")
    assert finding.title.startswith(
        "Schema registry loses money.proto version 1: retention or DeleteRecords deleted offsets 0-8"
    )
    assert "according to kafka-get-offsets (offsets.txt)" in finding.explanation
    assert "Later records need deleted entries: money.proto version 1." in finding.explanation


def test_rejected_entries_name_what_they_lack() -> None:
    key = {"tenantId": "_", "groupId": "g", "artifactId": "a", "ruleType": "VALIDITY"}
    rule = typed(4, key, {"action": 1, "configuration": "FULL"})
    (finding,) = dumped("apicurio-v2", rule, start=9)
    assert finding.title.startswith("Apicurio Registry 2.x loses artifact _/g/a: ")


def config(key: str, **more: Any) -> dict[str, Any]:
    return {"key": key.encode(), "value": b'{"properties":{"name":"x"}}', **more}


def test_a_connector_is_lost_where_its_tombstone_cannot_have_been_compacted_away() -> None:
    rest = config("connector-b")
    (finding,) = dumped("connect", config("task-a-0"), rest, start=9)
    assert "loses connector a" in finding.title
    assert [(effect.kind, effect.entity_id) for effect in finding.effects] == [("lost", "a")]


@pytest.mark.parametrize(
    "rest",
    [
        [config("connector-b", offset=17)],
        [{"key": b"connector-a", "value": None}],
    ],
    ids=["offsets are missing after it", "its tombstone is there"],
)
def test_tasks_that_a_deleted_connector_left_over_are_not_lost(rest: list[dict[str, Any]]) -> None:
    (finding,) = dumped("connect", config("task-a-0"), *rest, start=9)
    assert finding.effects == []
    assert "cannot rebuild its full state" in finding.title


@pytest.mark.parametrize(
    ("start", "first"), [(0, 9), (None, 9), (12, 9)], ids=["starts at 0", "not told", "older dump"]
)
def test_a_dump_that_has_all_that_the_log_had_is_innocent(start: int | None, first: int) -> None:
    assert dumped("schema-registry", schema("b", 1, 11), start=start, first=first) == []


def test_several_are_counted_by_their_partitions(inspect: Any) -> None:
    every = found(inspect, folder("_schemas", 9), captures=captured("_schemas", 9)) * 2
    every[1].topic = "connect-configs"
    assert detector.headline(every).startswith(
        "services cannot rebuild their full state: retention or DeleteRecords deleted the first"
    )
