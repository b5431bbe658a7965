"""Values of no bytes in a compacted log."""

from __future__ import annotations

from typing import Any

import pytest

from spark.detectors.compaction.empty_value_not_tombstone import detector
from spark.terms.findings import Finding
from spark.terms.marked import plain
from tests.builders import given_tables, lifelines_table, other_table
from tests.spark import schema_journals as journals
from tests.spark.schema_journals import by, schema, schema_key


def found(*rows: dict[str, Any], compacted: str = "proven") -> list[Finding]:
    cleaning = {"topic": "journal", "partition": 0, "replica": "", "compacted": compacted, "why": "it is so"}
    tables = {"lifelines": lifelines_table(*rows), "cleanings": other_table("cleanings", cleaning)}
    return [detector.describe(row) for row in detector.find(given_tables(tables))]


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


class TestDeletesInTheJournalOfASchemaRegistry:
    """Karapace's deletes, and who reads them."""

    written = schema("a", 1, headers=by("127.0.0.1")), (schema_key("a", 1), b"", {"headers": by("127.0.0.1")})

    def test_karapace_alone_reads_them_as_deletes(self) -> None:
        (finding,) = journals.found(detector, *self.written)
        assert (finding.severity, finding.first_offset, finding.evidence) == ("low", 1, [1])
        assert finding.entities == {"schema:a/1"}

    def test_a_confluent_registry_has_the_deleted_again(self) -> None:
        (finding,) = journals.found(detector, *self.written, journals.NOOP)
        assert finding.severity == "high"
        assert "remain soft-deleted" in finding.explanation
        assert plain(detector.headline([finding])).startswith(
            "1 schema journal contains deletes with an empty value"
        )

    def test_tombstones_are_deletes_for_all(self) -> None:
        assert journals.found(detector, self.written[0], journals.tombstone("a", 1), journals.NOOP) == []

    @pytest.mark.wide
    @pytest.mark.parametrize("case", journals.real_cases())
    def test_real_journals_have_the_deletes_that_are_known(self, case: str) -> None:
        findings = journals.found_in(detector, journals.real_journal(case))
        wanted = sorted(first for first, _ in journals.expected(case, detector.id))
        assert [offset for finding in findings for offset in finding.evidence] == wanted
