"""Dumps of journals that begin too late: the entries tell, for compaction takes first records, too."""

from __future__ import annotations

from typing import Any

from spark.detectors.log.missing_head import detector
from spark.terms.findings import Finding
from tests.builders import files_table
from tests.spark.read_journals import call, findings, schema, typed

REFERENCE = [{"name": "money.proto", "subject": "money.proto", "version": 1}]


def found(dialect: str, *records: dict[str, Any], first: int = 9, name: str = "dump.ndjson") -> list[Finding]:
    files = files_table({"name": name, "kind": "export", "base_offset": None, "topic": "j"})
    head, *rest = records
    return findings(detector, dialect, {**head, "offset": first}, *rest, extra={"files": files}, topic="j")


def global_id(number: int) -> dict[str, Any]:
    return typed(8, {"tenantId": "_", "uuid": f"u{number}"}, {"action": 1})


def artifact(number: int) -> dict[str, Any]:
    value = {"action": 1, "globalId": number, "contentHash": "h", "artifactType": "JSON"}
    return typed(3, {"tenantId": "_", "artifactId": f"a{number}", "uuid": f"v{number}"}, value)


def test_a_schema_journal_with_late_ids_and_a_dangling_reference_lost_its_head() -> None:
    (finding,) = found("schema-registry", schema("a", 2, 10), schema("b", 1, 11, references=REFERENCE))
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("critical", 0, 8)
    assert (finding.confidence, finding.evidence) == ("proven", [9, 10])
    assert "money.proto version 1" in finding.explanation


def test_late_ids_and_late_versions_make_it_likely() -> None:
    (finding,) = found("schema-registry", schema("a", 2, 4), schema("b", 1, 5))
    assert finding.confidence == "likely"
    assert found("schema-registry", schema("a", 2, 3), schema("b", 1, 5)) == []
    assert found("schema-registry", schema("a", 1, 4), schema("b", 1, 5)) == []


def test_a_compacted_schema_journal_is_whole() -> None:
    assert found("schema-registry", schema("a", 2, 5), schema("b", 1, 1)) == []
    assert found("schema-registry", schema("b", 1, 1), schema("c", 1, 2, references=REFERENCE)) == []


def test_imported_ids_begin_where_they_like() -> None:
    mode = {"key": b'{"keytype":"MODE","subject":null,"magic":0}', "value": b'{"mode":"IMPORT"}'}
    assert found("schema-registry", mode, schema("a", 7, 9000)) == []


def test_a_3x_journal_must_begin_at_0() -> None:
    (finding,) = found("apicurio-v3", call("CreateGroup1Message", 1, group={"groupId": "g"}))
    assert (finding.severity, finding.confidence) == ("critical", "likely")
    (finding,) = found("apicurio-v3", call("DeleteArtifact2Message", 1, artifactId="a"))
    assert (finding.confidence, finding.evidence) == ("proven", [9, 9])
    assert found("apicurio-v3", call("Bootstrap", 1), first=0) == []


def test_a_3x_journal_with_a_marker_goes_on_from_the_snapshot() -> None:
    marker = call("CreateSnapshot1Message", 2, snapshotId="s", snapshotLocation="/s.sql")
    assert found("apicurio-v3", call("Bootstrap", 1), marker) == []


def test_a_2x_journal_must_hold_as_many_draws_as_its_first_id_says() -> None:
    (finding,) = found("apicurio-v2", global_id(7), artifact(7))
    assert (finding.confidence, finding.evidence) == ("proven", [9, 10])
    assert found("apicurio-v2", *map(global_id, range(7)), artifact(7)) == []


def test_ids_that_were_reset_or_drawn_without_uuid_prove_nothing() -> None:
    reset = typed(8, {"tenantId": "_", "uuid": "r"}, {"action": 6})
    assert found("apicurio-v2", global_id(7), artifact(7), reset) == []
    assert found("apicurio-v2", typed(8, {}, {"action": 1}), artifact(7)) == []


def test_a_folder_is_judged_by_its_segments_alone() -> None:
    folder = "j-0/00000000000000000000.log"
    assert found("apicurio-v3", call("Bootstrap", 1), name=folder) == []
