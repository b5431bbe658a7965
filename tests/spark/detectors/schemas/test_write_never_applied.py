"""Writes that lost their race for good; retries, and holes where a retry may have stood."""

from __future__ import annotations

import pytest

from spark.detectors.schemas._writes import RACE_REACH
from spark.detectors.schemas.write_never_applied import RETRIES, detector
from tests.spark.schema_journals import Record, expected, found, found_in, real_cases, real_journal, sequenced

WON = sequenced("a", 1, 0)
LOST = sequenced("b", 1, 0, node=2, id=2, text='"int"')


def winners(count: int, first: int = 2, step: int = 1) -> list[Record]:
    """Records that count, of other subjects."""
    return [
        sequenced(f"w{n}", 1, n, id=n + 9, text=f'{{"type":"fixed","name":"W{n}","size":4}}', offset=n)
        for n in range(first, first + count * step, step)
    ]


def test_a_schema_that_nobody_wrote_again() -> None:
    (finding,) = found(detector, WON, LOST, *winners(RACE_REACH + 1))
    assert (finding.severity, finding.confidence) == ("medium", "proven")
    assert (finding.first_offset, finding.last_offset, finding.evidence) == (1, 1, [0, 1])
    assert "b version 1" in finding.title
    assert [effect.entity_id for effect in finding.effects] == ["b/1"]


@pytest.mark.parametrize(("count", "confidence"), [(RACE_REACH - 1, "likely"), (RACE_REACH, "proven")])
def test_near_the_end_the_retry_may_still_come(count: int, confidence: str) -> None:
    (finding,) = found(detector, WON, LOST, *winners(count))
    assert finding.confidence == confidence


@pytest.mark.parametrize(("count", "severity"), [(RETRIES - 1, "low"), (RETRIES, "medium")])
def test_at_the_very_end_it_is_no_alarm(count: int, severity: str) -> None:
    (finding,) = found(detector, WON, LOST, *winners(count))
    assert finding.severity == severity


def test_a_retry_that_loses_as_well_belongs_to_it() -> None:
    (finding,) = found(detector, WON, LOST, sequenced("b", 1, 1, node=2, id=2, text='"int"'))
    assert finding.evidence == [0, 1, 2]


def test_a_retry_that_counts_mends_it_under_any_version() -> None:
    assert found(detector, WON, LOST, sequenced("b", 2, 2, node=2, id=5, text='"int"')) == []


def test_another_node_that_wrote_the_same_makes_it_needless() -> None:
    assert found(detector, WON, sequenced("a", 1, 0, node=2)) == []


def test_a_retry_of_another_schema_does_not_mend_it() -> None:
    assert len(found(detector, WON, LOST, sequenced("b", 1, 2, node=2, id=2, text='"long"'))) == 1


@pytest.mark.parametrize(("missing", "findings"), [(50, 0), (RACE_REACH + 20, 1)])
def test_a_hole_nearby_may_have_held_the_retry(missing: int, findings: int) -> None:
    journal = [record for record in winners(RACE_REACH + 60) if record[2]["offset"] != missing]
    assert len(found(detector, WON, LOST, *journal)) == findings


@pytest.mark.wide
@pytest.mark.parametrize("case", real_cases())
def test_real_journals_have_what_is_known(case: str) -> None:
    findings = found_in(detector, real_journal(case))
    assert [(f.first_offset, f.last_offset) for f in findings] == expected(case, detector.id)
