"""References to what is deleted, soft-deleted, lost or never there; and to what is there after all."""

from __future__ import annotations

import pytest

from spark.detectors.schemas.dangling_reference import HEAD, detector
from tests.spark.schema_journals import (
    NOOP,
    Record,
    by,
    delete_subject,
    expected,
    found,
    found_in,
    real_cases,
    real_journal,
    schema,
    tombstone,
)


def referring(
    subject: str, *targets: tuple[str, int], id: int = 9, type: str = "AVRO", **more: object
) -> Record:
    """A schema made of parts."""
    references = [{"name": name, "subject": name, "version": version} for name, version in targets]
    return schema(
        subject,
        1,
        id,
        '{"type":"fixed","name":"R","size":4}',
        value={"references": references, "schemaType": type},
        **more,
    )  # type: ignore[arg-type]


def test_a_part_that_was_never_there() -> None:
    (finding,) = found(detector, NOOP, referring("order", ("money", 1)))
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("critical", 1, 1)
    assert (
        "order version 1 (offset 1) is unusable: it refers to money version 1, which does not exist"
        in finding.title
    )
    assert HEAD in finding.entities


def test_a_part_that_was_deleted_for_good() -> None:
    (finding,) = found(detector, schema("money", 1), referring("order", ("money", 1)), tombstone("money", 1))
    assert HEAD not in finding.entities
    assert "schema:money/1" in finding.entities


def test_a_part_that_is_soft_deleted() -> None:
    (finding,) = found(
        detector, schema("money", 1), referring("order", ("money", 1)), delete_subject("money")
    )
    assert "is soft-deleted" in finding.title


def test_only_the_parts_that_lack_are_named() -> None:
    (finding,) = found(detector, schema("money", 1), referring("order", ("money", 1), ("tax", 3)))
    assert "tax version 3" in finding.title
    assert "money" not in finding.title


def test_a_part_that_is_there_is_as_it_should_be() -> None:
    assert found(detector, schema("money", 1), referring("order", ("money", 1))) == []


def test_a_part_in_the_context_of_its_user() -> None:
    assert found(detector, schema(":.team:money", 1), referring(":.team:order", ("money", 1))) == []


def test_the_latest_version_is_any_that_lives() -> None:
    journal = (schema("money", 1), referring("order", ("money", -1)))
    assert found(detector, *journal) == []
    assert len(found(detector, *journal, delete_subject("money"))) == 1


def test_a_schema_that_is_deleted_itself_misses_nothing() -> None:
    assert found(detector, referring("order", ("money", 1)), delete_subject("order")) == []
    assert found(detector, referring("order", ("money", 1)), tombstone("order", 1)) == []


def test_karapace_drops_the_schema_and_it_is_found_all_the_same() -> None:
    (finding,) = found(detector, referring("order", ("money", 1), type="PROTOBUF", headers=by("127.0.0.1")))
    assert "rejects the record" in finding.explanation


@pytest.mark.wide
@pytest.mark.parametrize("case", real_cases())
def test_real_journals_have_what_is_known(case: str) -> None:
    findings = found_in(detector, real_journal(case))
    assert [(f.first_offset, f.last_offset) for f in findings] == expected(case, detector.id)
