"""Tombstones without an earlier value: one remark per partition, never an alarm."""

from __future__ import annotations

from typing import Any

from spark.detectors.compaction.tombstone_without_value import detector
from spark.terms.findings import Finding
from tests.builders import given_tables, lifelines_table


def found(*rows: dict[str, Any]) -> list[Finding]:
    """The findings in these lifelines."""
    tables = given_tables({"lifelines": lifelines_table(*rows)})
    return [detector.describe(row) for row in detector.find(tables)]


def test_many_of_them_are_one_remark() -> None:
    rows = [{"offset": 10 * n, "kind": "tombstone"} for n in range(1, 21)]
    (finding,) = found(*rows)
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("info", 10, 200)
    assert finding.evidence == [10 * n for n in range(1, 11)]
    assert "20 tombstones" in finding.title


def test_a_tombstone_behind_its_value_is_none() -> None:
    assert found({"offset": 0}, {"offset": 1, "kind": "tombstone", "previous_offset": 0}) == []


def test_records_that_are_null_by_design_are_not_counted() -> None:
    assert found({"offset": 0, "kind": "restart"}) == []


def test_a_record_without_key_and_value_deletes_nothing() -> None:
    keyless = {"key_size_bytes": 0, "key_hash_1": 0, "key_hash_2": 0}
    assert found({"offset": 0, "kind": "tombstone", **keyless}) == []


def test_each_partition_has_its_own() -> None:
    rows = [{"offset": 0, "kind": "tombstone", "partition": partition} for partition in (0, 1)]
    assert sorted(finding.partition or 0 for finding in found(*rows)) == [0, 1]
