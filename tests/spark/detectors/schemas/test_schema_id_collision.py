"""One id for different schemas: two masters, imports, reuse after a delete, contexts, and the real journals."""

from __future__ import annotations

import pytest

from spark.detectors.schemas.schema_id_collision import detector
from spark.terms.marked import plain
from spark.terms.wording import moment
from tests.generator.segment import SOME_TIME_MS
from tests.spark.schema_journals import (
    NOOP,
    Record,
    by,
    expected,
    found,
    found_in,
    real_cases,
    real_journal,
    schema,
    sequenced,
    tombstone,
)


def test_one_id_for_two_schemas_is_critical() -> None:
    (finding,) = found(detector, schema("a", 1, 7, '"int"'), schema("b", 1, 7, '"long"'))
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("critical", 0, 1)
    assert finding.evidence == [0, 1]
    assert "schema ID 7" in finding.title
    assert {"schema-id:./7", "schema:a/1", "schema:b/1"} <= finding.entities


def test_hosts_that_wrote_it_are_named() -> None:
    one = schema("a", 1, 7, '"int"', headers=by("127.0.0.2"))
    (finding,) = found(detector, one, schema("b", 1, 7, '"long"', headers=by("127.0.0.3")))
    assert "127.0.0.2 and 127.0.0.3" in finding.explanation


def test_the_same_schema_in_several_subjects_is_none() -> None:
    assert found(detector, schema("a", 1, 7), schema("b", 1, 7), schema("a", 2, 7)) == []


def test_the_same_schema_with_its_members_in_another_order_is_none() -> None:
    one, other = '{"type":"fixed","name":"F","size":4}', '{"name":"F","size":4,"type":"fixed"}'
    assert found(detector, schema("a", 1, 7, one), schema("b", 1, 7, other)) == []


def test_another_context_counts_for_itself() -> None:
    assert found(detector, schema("a", 1, 7, '"int"'), schema(":.team:a", 1, 7, '"long"')) == []


def test_an_id_whose_holder_was_deleted_for_good_may_be_given_again() -> None:
    journal = (schema("a", 1, 7, '"int"'), schema("a", 1, 7, '"int"', deleted=True), tombstone("a", 1))
    assert found(detector, *journal, schema("b", 1, 7, '"long"')) == []


def test_a_soft_deleted_holder_still_holds_its_id() -> None:
    journal = (schema("a", 1, 7, '"int"'), schema("a", 1, 7, '"int"', deleted=True))
    (finding,) = found(detector, *journal, schema("b", 1, 7, '"long"'))
    assert finding.evidence == [1, 2]


def test_a_version_that_went_on_to_another_id_holds_the_first_no_more() -> None:
    journal = (schema("a", 1, 7, '"int"'), schema("a", 1, 8, '"long"'), schema("b", 1, 7, '"bytes"'))
    assert [f.first_offset for f in found(detector, *journal)] == []


def test_a_write_that_lost_its_race_does_not_count() -> None:
    journal = (sequenced("a", 1, 0, text='"int"'), sequenced("b", 1, 0, node=2, text='"long"'))
    assert found(detector, *journal, sequenced("b", 1, 2, node=2, id=2, text='"long"')) == []


def test_losers_stay_losers_when_another_kind_of_registry_starts_on_the_topic() -> None:
    journal = (sequenced("a", 1, 0, text='"int"'), sequenced("b", 1, 0, node=2, text='"long"'))
    assert found(detector, *journal, sequenced("b", 1, 2, node=2, id=2, text='"long"'), NOOP) == []


@pytest.mark.wide
@pytest.mark.parametrize("case", real_cases())
def test_real_journals_have_the_collisions_that_are_known(case: str) -> None:
    findings = found_in(detector, real_journal(case))
    wanted = expected(case, detector.id)
    assert len(findings) == len(wanted)
    for finding, (first, last) in zip(findings, wanted, strict=True):
        assert (finding.first_offset or 0) <= last
        assert (finding.last_offset or 0) >= first


def test_the_headline_has_the_right_plural() -> None:
    findings = found(
        detector, schema("a", 1, 7, '"int"', timestamp_ms=-1), schema("b", 1, 7, '"long"', timestamp_ms=-1)
    )
    assert (
        plain(detector.headline(findings))
        == "consumers can read messages with the wrong schema: schema ID 7 was given to a second schema"
    )
    assert (
        plain(detector.headline(findings * 2))
        == "consumers can read messages with the wrong schema: 2 schema IDs were given to a second schema"
    )


def test_the_headline_has_the_time_of_the_second_schema() -> None:
    def pair(number: int, at_ms: int) -> list[Record]:
        first = schema(f"a{number}", 1, number, '"int"', timestamp_ms=at_ms - 1)
        return [first, schema(f"b{number}", 1, number, '"long"', timestamp_ms=at_ms)]

    findings = found(detector, *pair(7, SOME_TIME_MS + 5_000), *pair(8, SOME_TIME_MS))
    assert plain(detector.headline(findings[:1])).endswith(
        f"schema ID 7 was given to a second schema at {moment(SOME_TIME_MS + 5_000)}"
    )
    assert plain(detector.headline(findings)).endswith(
        f"2 schema IDs were given to a second schema, the first at {moment(SOME_TIME_MS)}"
    )


def test_two_texts_of_one_version_are_said_as_such() -> None:
    (finding,) = found(detector, schema("a", 1, 7, '"int"'), schema("a", 1, 7, '"long"'))
    assert "several texts of a version 1 (offsets 0 and 1)" in finding.title


def test_only_the_schemas_that_lost_are_to_be_registered_again_where_the_service_is_proven() -> None:
    one, other = schema("a", 1, 7, '"int"'), schema("b", 1, 7, '"long"')
    (unproven,) = found(detector, one, other)
    assert "register these schemas again: all but one of a version 1 and b version 1." in unproven.remedy
    (confluent,) = found(detector, NOOP, one, other)
    assert "register these schemas again: b version 1 (text at offset 2)." in confluent.remedy
    assert "a message of b version 1 with the schema of a version 1: both have ID 7." in confluent.explanation
    karapace = (schema("a", 1, 7, '"int"', headers=by("h")), schema("b", 1, 7, '"long"', headers=by("h")))
    (last_wins,) = found(detector, *karapace)
    assert "register these schemas again: a version 1 (text at offset" in last_wins.remedy
    assert "a message of a version 1 with the schema of b version 1" in last_wins.explanation
    (texts,) = found(detector, NOOP, one, schema("a", 1, 7, '"long"'))
    assert "register these schemas again: a version 1 (text at offset 2)." in texts.remedy
