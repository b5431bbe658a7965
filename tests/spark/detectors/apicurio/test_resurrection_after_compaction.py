"""What the next compaction brings back or undoes, kind by kind."""

from __future__ import annotations

from typing import Any

import pytest

from spark.detectors.apicurio.resurrection_after_compaction import detector
from spark.terms.findings import Finding
from spark.terms.marked import plain
from tests.builders import other_table
from tests.generator.apicurio import healthy, incident
from tests.spark.apicurio_journals import generated, json_record, real_journal
from tests.spark.apicurio_views import Parts, artifact, content, found, global_rule, group, version, views

TWO_VERSIONS = [content(1), content(2), artifact("a", 1), artifact("a", 2, 2)]


def test_a_deleted_version() -> None:
    (finding,) = found(detector, *TWO_VERSIONS, version("a", "2", 3), version("a", "2", None))
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("high", 4, 5)
    assert "Version default/a/2 reappears" in finding.title
    assert (
        "append a tombstone for the key of each Artifact record that created version default/a/2"
        in finding.remedy
    )
    assert "--delete-config min.compaction.lag.ms" in finding.remedy


def test_a_version_whose_deletion_has_no_null_behind_it_stays_away() -> None:
    assert found(detector, *TWO_VERSIONS, version("a", "2", 3)) == []


@pytest.mark.parametrize("again", [[], [group("g", 1)]], ids=["gone for good", "made again"])
def test_the_artifacts_of_a_deleted_group(again: list[Parts]) -> None:
    records = [group("g", 1), content(1), artifact("a", 1, group="g"), group("g", 3), *again]
    (finding,) = found(detector, *records)
    assert finding.first_offset == 3
    assert "Artifact g/a reappears" in finding.title


def test_a_deleted_group_without_artifacts_is_innocent() -> None:
    assert found(detector, group("g", 1), group("g", 3)) == []


def test_a_rule_updated_after_its_creation() -> None:
    (finding,) = found(detector, global_rule(1), global_rule(2, "NONE"))
    assert finding.first_offset == 1
    assert "Delete global rule VALIDITY through the API. Then create it again" in finding.remedy


def test_an_import_over_a_rule_that_exists() -> None:
    (finding,) = found(detector, global_rule(1, "FULL"), global_rule(5, "NONE"))
    assert (
        "Global rule VALIDITY changes at the next compaction: offset 1 supersedes offset 0" in finding.title
    )
    assert "now present (config FULL), after compaction present (config NONE)" in finding.explanation


def changed_since(older: dict[str, Any], *records: Parts, offsets: list[int]) -> list[Finding]:
    """Beside an older dump that had COMPATIBILITY at BACKWARD, and reaches to an artifact at offset 9."""
    entities = [
        {
            "entity_type": "global-rule",
            "entity_id": "COMPATIBILITY",
            "attributes": '{"config":"BACKWARD"}',
            **older,
        },
        {"entity_type": "artifact", "entity_id": "default/a", "attributes": "{}", "origin_offset": 9},
    ]
    place = {
        "topic": "kafkasql-journal",
        "partition": 0,
        "replica": "",
        "dump": "older.json",
        "dumped_at_ms": 1,
    }
    return found(
        detector, *records, offsets=offsets, older_entities=other_table("older_entities", *entities, **place)
    )


def test_a_rule_that_a_compaction_has_changed_since_an_older_dump() -> None:
    imported = global_rule(5, "FULL", "COMPATIBILITY")
    (finding,) = changed_since({"origin_offset": 3}, imported, offsets=[7])
    assert finding.title == (
        "Global rule COMPATIBILITY changes from BACKWARD to FULL, after the next restart at the latest: compaction removed offset 3"
    )
    assert [(one.kind, one.entity_type, one.entity_id, one.when) for one in finding.effects] == [
        ("changed", "global-rule", "COMPATIBILITY", "already")
    ]
    assert "If it must be BACKWARD, delete global rule COMPATIBILITY through the API." in finding.remedy
    assert plain(detector.headline([finding])) == (
        "global rule COMPATIBILITY changes, after the next restart at the latest"
    )


def test_a_rule_that_was_set_after_the_older_dump_is_no_finding() -> None:
    assert changed_since({"origin_offset": 3}, global_rule(1, "FULL", "COMPATIBILITY"), offsets=[10]) == []
    assert changed_since({"origin_offset": 3}, global_rule(1, "BACKWARD", "COMPATIBILITY"), offsets=[7]) == []


def test_log_levels_share_one_key() -> None:
    def level(logger: str) -> Parts:
        config = {"logger": logger, "logLevel": "DEBUG"}
        return json_record(7, {"tenantId": "_"}), json_record(7, {"action": 2, "config": config})

    (finding,) = found(detector, level("io.apicurio"), level("org.apache"))
    assert "Log level io.apicurio is lost" in finding.title


def test_a_content_replaced_by_nothing_is_not_its_matter() -> None:
    assert found(detector, content(1), artifact("a", 1), content(1, 2, b"")) == []
    assert list(detector.find(views(generated(incident(3))))) == []


def test_healthy_journals_keep_what_they_say() -> None:
    assert list(detector.find(views(generated(healthy(5))))) == []
    assert list(detector.find(views(real_journal("healthy-c")))) == []


def test_a_real_journal_with_all_of_them() -> None:
    findings = [
        detector.describe(row) for row in detector.find(views(real_journal("latent-a-before-compaction")))
    ]
    assert [finding.first_offset for finding in findings] == [9, 20, 27, 29]


def test_the_headline_names_entities_without_what_belongs_to_them() -> None:
    two = [content(1), content(2), artifact("a", 1, group="g"), artifact("b", 2, group="g")]
    findings = found(detector, group("g", 1), *two, group("g", 3), global_rule(1), global_rule(2, "NONE"))
    assert plain(detector.headline(findings)) == (
        "artifact g/a and artifact g/b reappear, global rule VALIDITY is lost at the next compaction"
    )
