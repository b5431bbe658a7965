"""Parts of a text export that are no record."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from spark.detectors.bytes.unreadable_lines import detector
from spark.tables import TABLES
from spark.terms.findings import Finding
from spark.terms.marked import plain
from tests.builders import damage_table, files_table, given_tables


def found(*damage: dict[str, Any], kind: str = "export") -> list[Finding]:
    files = files_table({"name": "dump.ndjson", "kind": kind, "layout_title": "kcat -J"})
    tables = given_tables({"files": files, "damage": damage_table(*damage)})
    return [detector.describe(row) for row in detector.find(tables)]


def test_bad_lines_of_one_file_are_one_finding() -> None:
    bad = {"reason": "bad_line", "size_bytes": 40, "detail": "No JSON object."}
    [finding] = found({**bad, "position": 100}, {**bad, "position": 900})
    assert finding.severity == "medium"
    assert "dump.ndjson contains 2 unreadable parts (80 bytes from byte 100)" in finding.title


def test_a_cut_end_is_named_as_such() -> None:
    [finding] = found({"reason": "truncated", "size_bytes": 7, "position": 50, "detail": "It has no end."})
    assert "is truncated within a record" in finding.title


def test_the_headline_counts_parts_and_not_files() -> None:
    bad = {"reason": "bad_line", "size_bytes": 40, "detail": "No JSON object."}
    several = found({**bad, "position": 100}, {**bad, "position": 900})
    assert plain(detector.headline(several)) == "2 unreadable parts in the text"
    cut = found({"reason": "truncated", "size_bytes": 7, "position": 50, "detail": "It has no end."})
    assert plain(detector.headline(cut)) == "1 unreadable part in the text"


def test_damage_of_a_segment_is_not_meant() -> None:
    assert (
        found({"reason": "not_a_batch", "position": 5, "size_bytes": 7, "detail": ""}, kind="segment") == []
    )


def test_a_sound_export_is_innocent() -> None:
    assert found() == []


def test_other_records_are_spoken_of_where_there_are_some() -> None:
    bad = {"reason": "bad_line", "size_bytes": 40, "position": 0, "detail": "No JSON object."}
    [finding] = found(bad)
    assert "No record of the file could be read." in plain(finding.explanation)
    files = files_table({"name": "dump.ndjson", "kind": "export", "layout_title": "kcat -J"})
    runs = pa.Table.from_pylist(
        [{"file": 0, "topic": "t", "partition": 0, "replica": ""}], schema=TABLES["runs"].schema
    )
    tables = given_tables({"files": files, "damage": damage_table(bad), "runs": runs})
    [finding] = [detector.describe(row) for row in detector.find(tables)]
    assert "The other records are shown." in plain(finding.explanation)
