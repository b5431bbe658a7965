"""Values of no bytes in a compacted log."""

from __future__ import annotations

from typing import Any

import pytest

from spark.detectors import Tables
from spark.detectors.compaction.empty_value_not_tombstone import detector
from spark.findings import Finding
from tests.builders import lifelines_table, other_table


def found(*rows: dict[str, Any], compacted: str = "proven") -> list[Finding]:
    cleaning = {"topic": "journal", "partition": 0, "replica": "", "compacted": compacted, "why": "it is so"}
    tables = {"lifelines": lifelines_table(*rows), "cleanings": other_table("cleanings", cleaning)}
    return [detector.describe(row) for row in detector.find(Tables.of(tables))]


def test_empty_values_are_one_low_finding() -> None:
    (finding,) = found({"value_size_bytes": 0}, {}, {"value_size_bytes": 0, "previous_offset": 0})
    assert (finding.severity, finding.first_offset, finding.last_offset, finding.evidence) == (
        "low",
        0,
        2,
        [0, 2],
    )


@pytest.mark.parametrize(("compacted", "confidence"), [("proven", "proven"), ("likely", "likely")])
def test_it_is_as_sure_as_the_compaction(compacted: str, confidence: str) -> None:
    assert found({"value_size_bytes": 0}, compacted=compacted)[0].confidence == confidence


def test_a_log_that_is_not_compacted_may_hold_them() -> None:
    assert found({"value_size_bytes": 0}, compacted="no") == []


@pytest.mark.parametrize("kind", ["tombstone", "restart", "control"])
def test_null_by_nature_is_not_empty(kind: str) -> None:
    assert found({"value_size_bytes": 0, "kind": kind}) == []


def test_a_value_of_one_byte_is_a_value() -> None:
    assert found({"value_size_bytes": 1}) == []
