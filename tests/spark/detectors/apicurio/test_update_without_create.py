"""Updates of what no record creates."""

from __future__ import annotations

from spark.detectors.apicurio.update_without_create import detector
from tests.generator.apicurio import healthy
from tests.spark.apicurio_journals import generated, json_record, real_journal
from tests.spark.apicurio_views import found, global_rule, group, views


def test_a_rule_that_is_only_updated_is_gone() -> None:
    (finding,) = found(detector, global_rule(2, "SYNTAX_ONLY"))
    assert (finding.severity, finding.first_offset) == ("high", 0)
    assert "Global rule VALIDITY is not in force" in finding.title
    assert "Create it again through the API with SYNTAX_ONLY" in finding.remedy


def test_so_are_roles_and_groups() -> None:
    key = json_record(10, {"tenantId": "_", "principalId": "ada"})
    role = key, json_record(10, {"action": 2, "role": "ADMIN"})
    assert [finding.title.split(" is ")[0] for finding in found(detector, role, group("g", 2))] == [
        "Role of ada",
        "Group g",
    ]


def test_of_several_updates_the_last_one_is_named() -> None:
    (finding,) = found(detector, global_rule(2), global_rule(2))
    assert finding.first_offset == 1


def test_a_later_record_of_the_key_decides() -> None:
    assert found(detector, global_rule(2), global_rule(1)) == []
    assert found(detector, global_rule(2), global_rule(3)) == []


def test_an_update_behind_its_creation_is_fine() -> None:
    assert found(detector, global_rule(1), global_rule(2)) == []


def test_a_deletion_of_what_is_not_there_is_fine() -> None:
    assert found(detector, global_rule(3), group("g", 3)) == []


def test_healthy_journals_have_none() -> None:
    assert list(detector.find(views(generated(healthy(2))))) == []


def test_a_real_compacted_journal() -> None:
    rows = detector.find(views(real_journal("latent-a-after-compaction")))
    assert [row["offset"] for row in rows] == [27, 29]
