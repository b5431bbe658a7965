"""Registries of several kinds on one topic."""

from __future__ import annotations

import pytest

from spark.detectors.schemas.readers_disagree import detector
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
    schema_key,
    sequenced,
)

LOST = sequenced("a", 1, 0), sequenced("b", 1, 0, node=2, id=2, text='"int"')
MAY = {"confluent-765-foreign-seq-node"}


def test_a_loser_counts_for_a_registry_that_knows_no_seq() -> None:
    (finding,) = found(detector, *LOST, NOOP)
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("medium", 1, 1)
    assert "Confluent and Redpanda" in finding.title
    assert "schema:b/1" in finding.entities
    assert "differ: b/1" in finding.explanation
    assert "Compare the registries" in finding.remedy


def test_the_headline_names_the_kinds_and_the_journal() -> None:
    findings = found(detector, *LOST, NOOP)
    assert (
        plain(detector.headline(findings)) == "Confluent and Redpanda registries read _schemas-0 differently"
    )
    assert (
        plain(detector.headline(findings * 2)) == "registries of different kinds read 2 journals differently"
    )


def test_what_agrees_again_at_the_end_is_said_to() -> None:
    retried = sequenced("b", 1, 2, node=2, id=2, text='"int"')
    (finding,) = found(detector, *LOST, retried, NOOP)
    assert "At the end of the log they have the same versions and configs." in finding.explanation
    assert "Compare the registries" not in finding.remedy


def test_one_kind_of_registry_agrees_with_itself() -> None:
    assert found(detector, *LOST) == []


def test_kinds_that_make_the_same_of_it_agree() -> None:
    assert found(detector, sequenced("a", 1, 0), sequenced("b", 1, 1, id=2, text='"int"'), NOOP) == []


def test_one_id_for_two_schemas_is_read_differently() -> None:
    karapace = schema("b", 1, 1, '"int"', headers=by("127.0.0.1"))
    (finding,) = found(detector, NOOP, schema("a", 1), karapace)
    assert "Confluent and Karapace" in finding.title


def test_deletes_of_no_bytes_have_a_finding_of_their_own() -> None:
    journal = (schema("a", 1, headers=by("127.0.0.1")), delete_subject("a"), (schema_key("a", 1), b""), NOOP)
    assert found(detector, *journal) == []


@pytest.mark.parametrize("case", [case for case in real_cases() if case not in MAY])
def test_real_journals_have_what_is_known(case: str) -> None:
    findings = found_in(detector, real_journal(case))
    wanted = expected(case, detector.id)
    assert len(findings) == len(wanted)
    for finding, (first, last) in zip(findings, wanted, strict=True):
        assert first <= (finding.first_offset or 0) <= (finding.last_offset or 0) <= last
