"""Markers and snapshots that do not fit together."""

from __future__ import annotations

from typing import Any

from spark.detectors.apicurio_v3.missing_snapshot import detector
from tests.builders import files_table
from tests.spark.read_journals import call, findings_in, tables_of

A, B = "0c2f10c4-7c0e-4f3b-9a55-2b9a5c0ce001", "1c2f10c4-7c0e-4f3b-9a55-2b9a5c0ce002"
BEFORE, AFTER = call("Bootstrap", 0), call("Bootstrap", 99)


def marker(name: str, number: int = 1) -> dict[str, Any]:
    return call("CreateSnapshot1Message", number, snapshotId=name, snapshotLocation=f"/s/{name}.sql")


def snapshot(name: str, path: bytes | None = None) -> dict[str, Any]:
    return {
        "key": name.encode(),
        "value": b"/s/" + name.encode() + b".sql" if path is None else path,
        "headers": [],
    }


def parts(journal: list[Any], snapshots: list[Any]) -> list[Any]:
    return [
        ("apicurio-v3", journal, {"topic": "kafkasql-journal"}),
        ("apicurio-v3", snapshots, {"topic": "kafkasql-snapshots"}),
    ]


def found(journal: list[Any], snapshots: list[Any]) -> list[tuple[str, int | None]]:
    return [(one.topic, one.first_offset) for one in findings_in(detector, parts(journal, snapshots))]


def test_a_pair_is_as_it_should_be() -> None:
    assert found([BEFORE, marker(A), AFTER], [snapshot(A)]) == []


def test_each_half_without_the_other_is_found() -> None:
    both = found([BEFORE, marker(A), AFTER], [snapshot(B)])
    assert both == [("kafkasql-journal", 1), ("kafkasql-snapshots", 0)]


def test_a_record_without_a_path_is_no_snapshot() -> None:
    assert found([BEFORE, marker(A), AFTER], [snapshot(A, b" ")]) == [("kafkasql-journal", 1)]


def test_a_marker_that_is_the_last_record_is_being_written() -> None:
    files = {"files": files_table({"topic": "kafkasql-snapshots"})}
    assert findings_in(detector, parts([BEFORE, marker(A)], [])[:1], files) == []
    assert len(findings_in(detector, parts([BEFORE, marker(A), AFTER], [])[:1], files)) == 1


def test_older_halves_do_not_matter() -> None:
    assert found([BEFORE, marker(A), marker(B, 2), AFTER], [snapshot(B)]) == []
    assert found([BEFORE, marker(B, 2), AFTER], [snapshot(A), snapshot(B)]) == []


def test_without_one_of_the_topics_it_cannot_run() -> None:
    journal, snapshots = parts([BEFORE, marker(A), AFTER], [snapshot(A)])
    assert "snapshots topic" in str(detector.absent(tables_of([journal])))
    assert "journal itself" in str(detector.absent(tables_of([snapshots])))
