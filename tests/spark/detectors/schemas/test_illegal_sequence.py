"""Records ahead of the log, one by one."""

from __future__ import annotations

import pytest

from spark.detectors.schemas.illegal_sequence import detector
from tests.spark.schema_journals import (
    NOOP,
    compact,
    expected,
    found,
    found_in,
    real_cases,
    real_journal,
    schema,
    sequenced,
    sequenced_tombstone,
)


def test_a_seq_above_the_offset_is_critical() -> None:
    (finding,) = found(detector, sequenced("a", 1, 0), sequenced("b", 1, 40, id=2))
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("critical", 1, 1)
    assert "seq 40" in finding.title


def test_a_config_ahead_of_the_log_counts_too() -> None:
    key = compact({"keytype": "CONFIG", "subject": "a", "magic": 0, "seq": 9, "node": 1})
    (finding,) = found(detector, sequenced("a", 1, 0), (key, b'{"compatibilityLevel":"FULL"}'))
    assert finding.title.startswith("The registry ignores CONFIG of a")


def test_a_seq_below_the_offset_is_a_race() -> None:
    assert found(detector, sequenced("a", 1, 0), sequenced("b", 1, 0, node=2)) == []


def test_a_seq_at_the_offset_is_as_it_should_be() -> None:
    assert found(detector, sequenced("a", 1, 0), sequenced("b", 1, 1)) == []


def test_tombstones_carry_the_seq_of_another_record() -> None:
    assert found(detector, sequenced("a", 1, 0), sequenced_tombstone("b", 1, 40)) == []


def test_a_record_without_seq_is_another_registrys() -> None:
    assert found(detector, sequenced("a", 1, 0), schema("b", 1)) == []


def test_a_registry_that_knows_no_seq_does_not_mind() -> None:
    assert found(detector, schema("a", 1), schema("b", 1), sequenced("c", 1, 40), NOOP, schema("d", 1)) == []


def test_a_copy_is_one_finding_of_another_kind() -> None:
    assert found(detector, *(sequenced(f"s{n}", 1, n + 5) for n in range(5))) == []


@pytest.mark.wide
@pytest.mark.parametrize("case", real_cases())
def test_real_journals_have_what_is_known(case: str) -> None:
    findings = found_in(detector, real_journal(case))
    assert [(f.first_offset, f.last_offset) for f in findings] == expected(case, detector.id)
