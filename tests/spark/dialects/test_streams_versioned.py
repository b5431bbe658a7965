"""Versions of keys by their timestamps: the newest counts wherever it stands, and compaction may take it."""

from __future__ import annotations

from typing import Any

import pytest

from spark.dialects import dialects
from spark.dialects.streams_versioned import dialect, read_record
from tests.builders import records_table
from tests.spark.replays import replayed

NAME = "shop-prices-changelog"


def rows(*records: tuple[bytes | None, bytes | None, int | None]) -> Any:
    return records_table(
        *({"key": key, "value": value, "timestamp_ms": time_ms} for key, value, time_ms in records)
    )


def alive(*records: tuple[bytes | None, bytes | None, int | None]) -> tuple[dict[str, int], list[str]]:
    """Entity -> offset of the value in force, and the reasons of rejections."""
    state, rejections = replayed(dialect, dialect.interpret(rows(*records)))
    values = {
        row["entity_id"]: row["valid_from_offset"]
        for row in state.to_pylist()
        if row["valid_to_offset"] is None
    }
    return values, [row["reason"] for row in rejections.to_pylist()]


@pytest.mark.parametrize(
    ("records", "offset", "reasons"),
    [
        (((b"a", b"1", 10), (b"a", b"2", 20)), 1, []),
        (((b"a", b"1", 20), (b"a", b"2", 10)), 0, ["older-version"]),
        (((b"a", b"1", 10), (b"a", b"2", 10)), 1, []),
        (((b"a", b"1", 20), (b"a", None, 10)), 0, ["older-version"]),
        (((b"a", b"1", 10), (b"a", None, 20), (b"a", b"3", 15)), None, ["older-version"]),
        (((b"a", None, 20), (b"a", b"2", 30)), 1, []),
        (((b"a", b"1", None), (b"a", b"2", None)), 1, []),
        (((b"a", b"1", 5), (None, b"2", 6)), 0, ["key-missing"]),
    ],
    ids=[
        "in order", "an older one later", "the same time", "an older deletion", "older than a deletion",
        "after a deletion", "no timestamps", "no key",
    ],
)  # fmt: skip
def test_the_value_with_the_newest_timestamp_counts(
    records: tuple[Any, ...], offset: int | None, reasons: list[str]
) -> None:
    assert alive(*records) == ({} if offset is None else {"a": offset}, reasons)


def test_members_are_the_time_and_the_size() -> None:
    assert read_record(b"\0\xff", b"42", 7) == (
        "store-version", "update", "0x00ff", '{"timestampMs":7,"valueSizeBytes":2}', None, "raw",
    )  # fmt: skip


def test_nothing_recognises_it_by_itself() -> None:
    table = rows((b"a", b"1", 10))
    assert dialect.sniff(NAME, table).score == 0
    assert max(dialects().values(), key=lambda one: one.sniff(NAME, table).score).id == "streams-changelog"
