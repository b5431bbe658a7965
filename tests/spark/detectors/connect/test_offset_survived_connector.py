"""Connectors that are deleted and created again while their offset stays."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest

from spark.detectors.connect.offset_survived_connector import detector
from spark.dialects import dialects
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from tests.builders import given_tables, lifelines_table, records_table

CONFIG = b'{"properties": {"name": "jdbc"}}'
AGAIN = ((10, CONFIG), (50, None), (60, CONFIG))


def tables(configs: tuple[tuple[int, Any], ...], offsets: tuple[tuple[int, Any], ...]) -> ResultTables:
    """Values of the connector's config and of its offset, with their times."""
    key = b'["jdbc", {"table": "t"}]'
    parts = [
        part(configs, b"connector-jdbc", "connect-configs"),
        part(
            tuple((time, None if value is None else json.dumps(value).encode()) for time, value in offsets),
            key,
            "connect-offsets",
        ),
    ]
    interpret = dialects()["connect"].interpret
    assert interpret is not None
    entries = pa.concat_tables(interpret(records) for records, _ in parts if records.num_rows)
    return given_tables(
        {"entries": entries, "lifelines": pa.concat_tables(lifelines for _, lifelines in parts)}
    )


def part(values: tuple[tuple[int, Any], ...], key: bytes, topic: str) -> tuple[pa.Table, pa.Table]:
    records = records_table(*({"key": key, "value": value} for _, value in values), topic=topic)
    lifelines = lifelines_table(
        *({"offset": n, "timestamp_ms": time} for n, (time, _) in enumerate(values)), topic=topic
    )
    return records, lifelines


def found(configs: tuple[tuple[int, Any], ...], *offsets: tuple[int, Any]) -> list[Finding]:
    given = tables(configs, offsets)
    assert detector.absent(given) is None
    return [detector.describe(row) for row in detector.find(given)]


def test_a_connector_that_goes_on_at_the_old_offset_is_found() -> None:
    (finding,) = found(
        AGAIN, (20, {"incrementing": 1480}), (30, {"incrementing": 1490}), (70, {"incrementing": 1500})
    )
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("medium", 1, 2)
    assert "nothing is wrong" in finding.explanation


def test_log_sequence_numbers_have_an_order_too() -> None:
    assert found(AGAIN, (30, {"lsn": "0000002a:01"}), (70, {"lsn": "0000002a:02"}))


@pytest.mark.parametrize("first", [{"incrementing": 10}, {"incrementing": 1600, "snapshot": True}])
def test_one_that_began_at_the_start_is_innocent(first: dict[str, Any]) -> None:
    assert found(AGAIN, (30, {"incrementing": 1490}), (70, first)) == []


def test_an_offset_that_was_deleted_is_innocent() -> None:
    assert found(AGAIN, (30, {"incrementing": 1490}), (55, None), (70, {"incrementing": 1500})) == []


def test_a_changed_config_is_no_new_connector() -> None:
    assert (
        found(((10, CONFIG), (60, CONFIG)), (30, {"incrementing": 1490}), (70, {"incrementing": 1500})) == []
    )


def test_it_needs_both_topics() -> None:
    assert detector.absent(tables(AGAIN, ())) is not None
