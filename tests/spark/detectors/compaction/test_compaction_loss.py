"""What cleaning changes: found with the record that causes it, one finding for each such record."""

from __future__ import annotations

import pyarrow as pa
import pytest

from spark.detectors.compaction import _differences
from spark.detectors.compaction.compaction_loss import detector
from spark.log.cleanings import NOTHING_SHOWN
from spark.tables import CLEANINGS
from tests.builders import given_tables
from tests.generator.apicurio import healthy, incident
from tests.spark.apicurio_journals import generated, records_of
from tests.spark.apicurio_views import artifact, content, draw, found, global_rule, group, version, views


def test_an_update_that_loses_its_creation() -> None:
    (finding,) = found(detector, global_rule(1), global_rule(2, "NONE"))
    assert (finding.severity, finding.evidence) == ("high", [0, 1])
    assert (
        finding.title == "Global rule VALIDITY is lost at the next compaction: offset 1 supersedes offset 0"
    )
    assert "now present (config NONE), after compaction absent" in finding.explanation


def test_a_content_replaced_by_nothing_takes_all_that_needs_it_in_one_finding() -> None:
    first, second = artifact("a", 1), artifact("a", 2, 2, contentHash="hash-1")
    (finding,) = found(detector, content(1), first, second, content(1, 2, b""))
    assert finding.evidence == [0, 3, 1, 2]
    assert (
        "Artifact default/a and content 1 are lost at the next compaction: offset 3 supersedes offset 0"
        in finding.title
    )
    assert "content:_/hash-1" in finding.entities


def test_a_state_of_many_rows_is_held_against_the_next_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    records = [content(1), artifact("a", 1), global_rule(1), content(1, 2, b""), global_rule(2, "NONE")]
    whole = found(detector, *records)
    monkeypatch.setattr(_differences, "MAX_STATES", 2)
    assert found(detector, *records) == whole
    assert len(whole) == 2


def test_a_content_that_stands_again_too_late() -> None:
    again = content(2, content_hash="hash-1")
    (finding,) = found(detector, content(1), artifact("a", 1), content(1, 2, b""), again)
    assert "Artifact default/a" in finding.title
    assert {0, 2} <= set(finding.evidence)


def test_contents_that_go_once_no_version_is_left_hang_on_what_took_the_last() -> None:
    records = [
        content(1),
        content(2),
        artifact("a", 1),
        artifact("b", 2),
        artifact("b", 3, 3),
        content(1, 2, b""),
    ]
    (finding,) = found(detector, *records)
    assert "content 2" in finding.explanation


def test_later_versions_that_fall_with_the_first_hang_on_the_same_record() -> None:
    records = [content(1), artifact("a", 1), content(2), artifact("a", 2, 2), content(1, 2, b"")]
    (finding,) = found(detector, *records)
    assert "version default/a/2" in finding.explanation


@pytest.mark.parametrize(
    ("compacted", "why", "is_found"),
    [("no", "cleanup.policy was delete", False), ("no", NOTHING_SHOWN, True), ("proven", "a checkpoint names it", True)],
)  # fmt: skip
def test_a_topic_that_is_known_not_to_be_compacted_is_innocent(
    compacted: str, why: str, is_found: bool
) -> None:
    tables = views(records_of([(0, *global_rule(1)), (1, *global_rule(2))]))
    row = {"topic": "kafkasql-journal", "partition": 0, "replica": "", "compacted": compacted, "why": why}
    known = pa.Table.from_pylist([row], schema=CLEANINGS.schema)
    names = ("entries", "lifelines", "state", "refusals")
    told = given_tables({"cleanings": known, **{name: tables.arrow(f"FROM {name}") for name in names}})
    assert bool(list(detector.find(told))) is is_found


def test_two_causes_are_two_findings() -> None:
    rules = [
        global_rule(1),
        global_rule(2),
        global_rule(1, rule="COMPATIBILITY"),
        global_rule(2, rule="COMPATIBILITY"),
    ]
    assert [finding.first_offset for finding in found(detector, *rules)] == [0, 2]


def test_what_comes_back_is_named_by_the_record_that_deleted_it() -> None:
    records = [
        content(1),
        content(2),
        artifact("a", 1),
        artifact("a", 2, 2),
        version("a", "2", 3),
        version("a", "2", None),
    ]
    (finding,) = found(detector, *records)
    assert (
        "Version default/a/2 reappears at the next compaction: offset 5 supersedes offset 4" in finding.title
    )


def test_a_deletion_under_a_key_of_its_own_is_kept() -> None:
    records = [content(1), artifact("a", 1), artifact("a", 1, 3), version("a", "1", None)]
    assert found(detector, *records) == []


def test_a_rule_created_again_is_kept() -> None:
    assert found(detector, global_rule(1), global_rule(3), global_rule(1, "NONE")) == []


def test_sequences_are_left_out() -> None:
    assert found(detector, draw(9, None), draw(9, None), content(2), draw(9, None)) == []


def test_a_group_written_twice_at_once_is_the_same_group() -> None:
    assert found(detector, group("g", 1), group("g", 1), content(1), artifact("a", 1, group="g")) == []


@pytest.mark.parametrize("seed", range(3))
def test_healthy_journals_lose_nothing(seed: int) -> None:
    assert [detector.describe(row) for row in detector.find(views(generated(healthy(seed))))] == []


@pytest.mark.parametrize("seed", range(3))
def test_a_journal_at_risk_loses_what_it_should(seed: int) -> None:
    journal = incident(seed, affected_count=2)
    findings = [detector.describe(row) for row in detector.find(views(generated(journal)))]
    held = {update.content_offset for update in journal.empty_updates}
    assert {finding.first_offset for finding in findings} == held


def test_nothing_to_compare_is_nothing_lost() -> None:
    assert list(detector.find(views(generated(healthy(1)).slice(0, 0)))) == []
