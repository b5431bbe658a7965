"""Deleted under one form of the key, alive under another."""

from __future__ import annotations

import pytest

from spark.detectors.schemas.resurrected_schema import detector
from tests.spark.schema_journals import (
    delete_subject,
    found,
    found_in,
    old_key,
    real_cases,
    real_journal,
    schema,
    sequenced,
    sequenced_tombstone,
    tombstone,
)

VALUE = schema("a", 1)[1]
OLD = old_key("a", 1), VALUE


def test_an_older_form_brings_the_version_back() -> None:
    (finding,) = found(detector, OLD, schema("a", 1, deleted=True), tombstone("a", 1))
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("high", 0, 2)
    assert finding.evidence == [0, 2]
    assert "exist again (state: not deleted)" in finding.explanation.replace("\n", " ")


def test_the_subjects_delete_stays_and_it_comes_back_soft_deleted() -> None:
    (finding,) = found(detector, OLD, delete_subject("a"), tombstone("a", 1))
    assert "soft-deleted" in finding.explanation


def test_a_tombstone_of_its_own_form_removes_it() -> None:
    assert found(detector, OLD, (old_key("a", 1), None), tombstone("a", 1)) == []


def test_a_version_given_again_is_not_deleted() -> None:
    assert found(detector, OLD, tombstone("a", 1), schema("a", 1, 2, '"int"')) == []


def test_a_delete_of_no_bytes_stays_for_ever() -> None:
    assert found(detector, OLD, (schema("a", 1)[0], b"")) == []


def test_an_older_form_that_is_soft_deleted_is_not_alive() -> None:
    soft = old_key("a", 1), schema("a", 1, deleted=True)[1]
    assert found(detector, OLD, soft, tombstone("a", 1)) == []


def test_redpandas_keys_are_another_detectors() -> None:
    assert found(detector, sequenced("a", 1, 0), sequenced("a", 1, 1), sequenced_tombstone("a", 1, 1)) == []


@pytest.mark.wide
@pytest.mark.parametrize("case", real_cases())
def test_in_no_real_journal_a_schema_comes_back(case: str) -> None:
    assert found_in(detector, real_journal(case)) == []
