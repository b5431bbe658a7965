"""Ids of schemas that the registry's journal does not have."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spark.detectors.values.unknown_schema_id import detector
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from tests.builders import given_tables, lifelines_table, other_table, records_table
from tests.generator.segment import SOME_TIME_MS


def held(subject: str, id: int, until: int | None = None, at: int = 1) -> dict[str, Any]:
    """A version as the registry holds it, until a tombstone at that offset."""
    return {
        "entity_type": "schema", "entity_id": f"{subject}/{id}", "attributes": json.dumps({"id": id}), "view": "log", "is_own": True,
        "profile": "confluent", "valid_from_offset": at, "valid_to_offset": until, "origin_offset": at,
    }  # fmt: skip


def tables(
    ids: list[int],
    *schemas: dict[str, Any],
    first: int = 0,
    part: str = "value",
    journal_ms: int = 10**6,
    topic: str = "orders",
) -> ResultTables:
    """Records of orders-0 with these ids, and the journal from an offset on."""
    records = [{f"{part}_schema_id": id, f"{part}_form": "framed"} for id in ids]
    journal = [{"offset": first + n, "timestamp_ms": SOME_TIME_MS + journal_ms} for n in range(9)]
    return given_tables(
        {
            "records": records_table(*records, topic=topic),
            "lifelines": lifelines_table(*journal, topic="_schemas"),
            "cleanings": other_table("cleanings", {"compacted": "no"}, topic="_schemas"),
            "state": other_table("state", *schemas, topic="_schemas"),
        }
    )


def found(*arguments: Any, **more: Any) -> list[Finding]:
    """The findings, where the check can run."""
    given = tables(*arguments, **more)
    assert detector.absent(given) is None
    return [detector.describe(row) for row in detector.find(given)]


@pytest.mark.parametrize("part", ["value", "key"])
def test_a_permanently_deleted_schema_is_found(part: str) -> None:
    subject = f"orders-{part}"
    (finding,) = found([2] * 5 + [3] * 5, held(subject, 2, until=8), held(subject, 3), part=part)
    assert (finding.severity, finding.confidence) == ("high", "proven")
    assert (finding.first_offset, finding.last_offset) == (0, 4)
    assert "schema ID 2 is permanently deleted" in finding.title
    assert "offset 1 of _schemas-0" in finding.remedy


def test_an_id_that_was_never_registered_is_found() -> None:
    (finding,) = found([2] * 5 + [3] * 5, held("orders-value", 3), held("other-value", 4))
    assert "not in the schema registry" in finding.title


def test_an_id_above_all_others_is_found_where_the_journal_goes_on_for_an_hour() -> None:
    schemas = held("orders-value", 3), held("other-value", 4)
    assert found([3] * 5 + [112] * 5, *schemas) == []
    (finding,) = found([3] * 5 + [112] * 5, *schemas, journal_ms=2 * 3_600_000)
    assert "although it contains newer records" in finding.explanation


@pytest.mark.parametrize(
    ("subjects", "count"), [(("orders-value", "orders-value"), 1), (("orders-value", "payments-value"), 0)]
)
def test_of_an_export_without_a_name_the_other_ids_must_be_of_one_topic(
    subjects: tuple[str, str], count: int
) -> None:
    schemas = held(subjects[0], 3), held(subjects[1], 4), held("last-value", 9)
    findings = found([3] * 5 + [4] * 5 + [7] * 5, *schemas, topic="?")
    assert [finding.confidence for finding in findings] == ["likely"] * count


def test_under_other_subject_names_a_deleted_one_is_likely() -> None:
    (finding,) = found([2] * 5 + [3] * 5, held("com.acme.Order", 2, until=8), held("com.acme.Order", 3))
    assert finding.confidence == "likely"


@pytest.mark.parametrize(
    "schemas",
    [
        [held("orders-value", 2), held("orders-value", 3)],
        [held("orders-value", 2, until=4), held("other-value", 2, at=5), held("orders-value", 3)],
        [held("other-value", 1)],
        [held("orders-value", 3), held("other-value", 1)],
        [held(":.staging:other-value", 2), held("orders-value", 3)],
    ],
    ids=["held", "held by another subject", "another registry", "newer than the journal", "another context"],
)
def test_innocent(schemas: list[dict[str, Any]]) -> None:
    ids = [5] * 5 + [3] * 5 if len(schemas) > 1 and schemas[1]["entity_id"] == "other-value/1" else [2] * 5
    assert found(ids, *schemas) == []


def test_a_journal_without_its_start_says_nothing_of_ids_that_it_never_had() -> None:
    assert found([2] * 5 + [3] * 5, held("orders-value", 3), held("other-value", 4), first=7) == []


def test_without_the_registry_or_without_ids_it_does_not_run() -> None:
    assert "_schemas" in str(detector.absent(tables([2] * 5)))
    without = records_table({"value": b"{}", "value_form": "object"}, topic="orders")
    assert "no key or value" in str(detector.absent(given_tables({"records": without})))
