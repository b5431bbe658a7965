"""Delete horizons that passed long before a later cleaning."""

from __future__ import annotations

from typing import Any

from spark.detectors.compaction.overdue_tombstone import LATE_MS, detector
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from tests.builders import batches_table, given_tables, other_table

HORIZON_MS = 1_700_000_000_000


def tables(
    newest_ms: int, dirty_from: str = "checkpoint", first_dirty: int = 2, **batch: Any
) -> ResultTables:
    rows = [
        {"base_offset": 0, "delete_horizon_ms": HORIZON_MS, "max_timestamp_ms": 0, **batch},
        {"max_timestamp_ms": newest_ms},
    ]
    cleaning = {
        "first_dirty_offset": first_dirty,
        "dirty_from": dirty_from,
        "topic": "journal",
        "partition": 0,
        "replica": "",
    }
    return given_tables({"batches": batches_table(*rows), "cleanings": other_table("cleanings", cleaning)})


def found(*args: Any, **other: Any) -> list[Finding]:
    return [detector.describe(row) for row in detector.find(tables(*args, **other))]


def test_a_horizon_a_day_before_newer_cleaned_records_is_overdue() -> None:
    (finding,) = found(HORIZON_MS + LATE_MS)
    assert (finding.severity, finding.first_offset, finding.evidence) == ("low", 0, [0])
    assert "tombstones" in finding.title


def test_a_horizon_that_passed_lately_is_not() -> None:
    assert found(HORIZON_MS + LATE_MS - 1) == []


def test_no_cleaning_since_is_innocent() -> None:
    assert found(HORIZON_MS + 5 * LATE_MS, first_dirty=1) == []


def test_an_emptied_batch_is_innocent() -> None:
    assert found(HORIZON_MS + LATE_MS, record_count=0) == []


def test_markers_are_named_as_such() -> None:
    assert "markers" in found(HORIZON_MS + LATE_MS, is_control=True)[0].title


def test_without_a_checkpoint_it_cannot_run() -> None:
    assert "cleaner-offset-checkpoint" in str(detector.absent(tables(0, dirty_from="keys")))
    assert detector.absent(tables(0)) is None
