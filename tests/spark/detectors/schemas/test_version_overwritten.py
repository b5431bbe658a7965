"""A version given twice: alive or deleted before, refused, taken back, lost."""

from __future__ import annotations

import pytest

from spark.detectors.schemas.version_overwritten import detector
from spark.terms.marked import plain
from tests.spark.schema_journals import (
    NOOP,
    by,
    delete_subject,
    expected,
    found,
    found_in,
    real_cases,
    real_journal,
    schema,
    sequenced,
    tombstone,
)

FIRST, SECOND = schema("a", 1, 7, '"int"'), schema("a", 1, 8, '"long"')


def test_a_live_version_given_again_is_critical() -> None:
    (finding,) = found(detector, FIRST, SECOND)
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("critical", 0, 1)
    assert "a version 1" in finding.title
    assert "schema IDs 7 and 8" in finding.explanation


def test_a_third_schema_belongs_to_the_same_finding() -> None:
    (finding,) = found(detector, FIRST, SECOND, schema("a", 1, 9, '"bytes"'))
    assert finding.evidence == [0, 1, 2]


@pytest.mark.parametrize(
    "delete",
    [schema("a", 1, 7, '"int"', deleted=True), delete_subject("a"), tombstone("a", 1)],
    ids=["soft", "subject", "hard"],
)
def test_a_deleted_version_may_be_given_again(delete: object) -> None:
    assert found(detector, FIRST, delete, SECOND) == []  # type: ignore[arg-type]


def test_another_subjects_delete_is_no_excuse() -> None:
    assert len(found(detector, FIRST, delete_subject("b"), SECOND)) == 1


def test_a_write_that_the_registry_refuses_overwrites_nothing() -> None:
    refused = schema("a", 1, 7, '"long"')
    assert found(detector, NOOP, FIRST, refused, (*FIRST[:2], {})) == []


def test_karapace_refuses_nothing() -> None:
    second = schema("a", 1, 7, '"long"', headers=by("127.0.0.3"))
    (finding,) = found(detector, (*FIRST[:2], {"headers": by("127.0.0.2")}), second)
    assert "127.0.0.2 and 127.0.0.3" in finding.explanation


def test_a_write_that_lost_its_race_overwrites_nothing() -> None:
    assert found(detector, sequenced("a", 1, 0), sequenced("a", 1, 0, node=2, id=2, text='"int"')) == []


def test_a_winner_does() -> None:
    assert len(found(detector, sequenced("a", 1, 0), sequenced("a", 1, 1, node=2, id=2, text='"int"'))) == 1


@pytest.mark.wide
@pytest.mark.parametrize("case", real_cases())
def test_real_journals_have_the_overwritten_versions_that_are_known(case: str) -> None:
    findings = found_in(detector, real_journal(case))
    assert [f.last_offset for f in findings] == [last for _, last in expected(case, detector.id)]


def test_one_schema_id_for_both_is_said_once() -> None:
    second = schema("a", 1, 7, '"long"', headers=by("127.0.0.3"))
    (finding,) = found(detector, (*FIRST[:2], {"headers": by("127.0.0.2")}), second)
    assert "both with schema ID 7" in finding.explanation


def test_the_headline_names_a_single_version() -> None:
    findings = found(detector, FIRST, SECOND)
    assert plain(detector.headline(findings)) == "version 1 of a was overwritten with another schema"
    assert plain(detector.headline(findings * 2)) == "2 versions were overwritten with another schema"
