"""Ids that begin again, both sides of each threshold, and what looks like it."""

from __future__ import annotations

import pytest

from spark.detectors.schemas.schema_id_restart import FAR, RUN, detector
from tests.spark.schema_journals import (
    NOOP,
    Record,
    found,
    found_in,
    real_cases,
    real_journal,
    schema,
    setting,
)


def ids(*given: int, start: int = 0) -> list[Record]:
    """A new schema under each id."""
    return [
        schema(f"s{start + n}", 1, id, f'{{"type":"fixed","name":"F{start + n}","size":4}}')
        for n, id in enumerate(given)
    ]


def test_ids_that_begin_again_are_critical() -> None:
    (finding,) = found(detector, *ids(1, 2, 1922), NOOP, *ids(3, 4, 5, start=3), *ids(1923, start=6))
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("critical", 4, 6)
    assert finding.evidence == [3, 4, 5, 6]
    assert "restarted at 3 after 1922" in finding.title


@pytest.mark.parametrize(("count", "findings"), [(RUN - 1, 0), (RUN, 1)])
def test_a_run_has_a_least_length(count: int, findings: int) -> None:
    assert len(found(detector, *ids(100), *ids(*range(count), start=1))) == findings


@pytest.mark.parametrize(("highest", "findings"), [(FAR + 1, 0), (FAR + 2, 1)])
def test_far_below_is_a_number_of_ids(highest: int, findings: int) -> None:
    assert len(found(detector, *ids(highest), *ids(0, 1, 2, start=1))) == findings


def test_no_more_than_half_the_highest() -> None:
    assert found(detector, *ids(100), *ids(51, 52, 53, start=1)) == []
    assert len(found(detector, *ids(100), *ids(48, 49, 50, start=1))) == 1


def test_a_schema_that_gets_another_id_is_one_of_the_run() -> None:
    again = [(key, value.replace(b'"id":1,', b'"id":6,'), more) for key, value, more in ids(1)]
    (finding,) = found(detector, *ids(1, 2, 100), *ids(3, 4, 5, start=3), *again)
    assert "schema-id:./6" in finding.entities


def test_old_schemas_in_new_subjects_keep_their_ids() -> None:
    first = ids(1, 2, 3, 100)
    again = [(key.replace(b'"s', b'"copy'), value, more) for key, value, more in first[:3]]
    assert found(detector, *first, *again) == []


@pytest.mark.parametrize("subject", ["s2", None])
def test_imported_ids_are_innocent(subject: str | None) -> None:
    mode = setting("MODE", subject, mode="IMPORT")
    assert found(detector, *ids(1, 100), mode, *ids(3, 4, 5, start=2)) == []


def test_another_subjects_mode_is_no_excuse() -> None:
    mode = setting("MODE", "elsewhere", mode="IMPORT")
    assert len(found(detector, *ids(1, 100), mode, *ids(3, 4, 5, start=2))) == 1


def test_where_compaction_has_been_only_ids_that_collide_prove_it() -> None:
    thinned = [(key, value, {"offset": 50}) for key, value, _ in ids(100)]
    assert found(detector, *thinned, *ids(3, 4, 5, start=1)) == []
    holder = [(key, value, {"offset": 20}) for key, value, _ in ids(4, start=9)]
    assert len(found(detector, *holder, *thinned, *ids(3, 4, 5, start=1))) == 1


def test_its_ids_are_shared_with_the_collisions_that_follow() -> None:
    (finding,) = found(detector, *ids(100), *ids(0, 1, 2, start=1))
    assert finding.entities == {"schema-id:./0", "schema-id:./1", "schema-id:./2"}


@pytest.mark.wide
@pytest.mark.parametrize("case", real_cases())
def test_no_real_journal_begins_again(case: str) -> None:
    assert found_in(detector, real_journal(case)) == []
