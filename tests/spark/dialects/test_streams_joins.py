"""Records that wait in a left or outer join: bytes that Kafka wrote, what is left of them, and bytes that prove nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spark.dialects import dialects
from spark.dialects.streams_joins import dialect, read_record, sniff
from tests.builders import records_table
from tests.generator import streams
from tests.generator.segment import SOME_TIME_MS, Record
from tests.spark.replays import replayed

NAME = "shop-KSTREAM-OUTERSHARED-0000000006-store-changelog"
# What TimestampedKeyAndJoinSideSerde, LeftOrRightValueSerde and ListSerde of kafka-streams 4.1.1 made of key till-4 at
# 2024-02-08 and the texts 42 (left) and 43 (right).
KAFKA_LEFT, KAFKA_RIGHT = "0000018d86039c000174696c6c2d34", "0000018d86039c000074696c6c2d34"
KAFKA_ONE, KAFKA_TWO = "010000000100000003013432", "01000000020000000301343200000003013432"
DAY = "2024-02-08T00:00:00Z"


def table(*records: Record) -> Any:
    return records_table(
        *({"key": one.key, "value": one.value, "timestamp_ms": one.timestamp_ms} for one in records)
    )


def test_the_generator_writes_what_kafka_writes() -> None:
    one, two, right = (
        streams.waiting(),
        streams.waiting(b"42", b"42"),
        streams.waiting(b"43", side=0),
    )
    assert [(made.key or b"").hex() for made in (one, two, right)] == [KAFKA_LEFT, KAFKA_LEFT, KAFKA_RIGHT]
    assert [(made.value or b"").hex() for made in (one, two)] == [KAFKA_ONE, KAFKA_TWO]
    assert (right.value or b"").hex().endswith("003433")


@pytest.mark.parametrize(
    ("key", "value", "action", "entity"),
    [
        (KAFKA_LEFT, KAFKA_TWO, "update", f"till-4/left/{DAY}"),
        (KAFKA_RIGHT, None, "delete", f"till-4/right/{DAY}"),
    ],
)
def test_a_record_that_kafka_wrote_is_read(key: str, value: str | None, action: str, entity: str) -> None:
    content = None if value is None else bytes.fromhex(value)
    assert read_record(bytes.fromhex(key), content)[:3] == ("store-join", action, entity)


def test_members_count_the_values_and_their_bytes_without_sides() -> None:
    attributes = read_record(bytes.fromhex(KAFKA_LEFT), bytes.fromhex(KAFKA_TWO))[3]
    assert json.loads(attributes or "") == {
        "key": "till-4", "side": "left", "timestampMs": SOME_TIME_MS, "values": 2, "valueSizeBytes": 4,
    }  # fmt: skip


def test_what_is_joined_waits_no_longer() -> None:
    rows = table(streams.waiting(), streams.waiting(side=0), streams.waiting(is_joined=True))
    state, _ = replayed(dialect, dialect.interpret(rows))
    assert [(row["entity_id"], row["valid_to_offset"]) for row in state.to_pylist()] == [
        (f"till-4/left/{DAY}", 2), (f"till-4/right/{DAY}", None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        (b"short", b"42", "5 bytes, fewer than the 9"),
        (bytes.fromhex(KAFKA_LEFT[:16] + "07"), b"42", "names side 7"),
        (bytes.fromhex(KAFKA_LEFT), b"42", "not a list"),
        (bytes.fromhex(KAFKA_RIGHT), bytes.fromhex(KAFKA_ONE), "of the other side"),
        (bytes.fromhex(KAFKA_LEFT), bytes.fromhex(KAFKA_TWO)[:-1], "truncated"),
        (bytes.fromhex(KAFKA_LEFT), bytes.fromhex(KAFKA_TWO[:-14]), "has 1 values and says 2"),
        (bytes.fromhex(KAFKA_LEFT), bytes.fromhex(KAFKA_ONE) + b"\0\0\0", "truncated"),
    ],
)
def test_what_cannot_be_read_stops_a_restore(key: bytes, value: bytes, why: str) -> None:
    entries = dialect.interpret(records_table({"key": key, "value": value}, {"key": None}))
    _, rejections = replayed(dialect, entries)
    assert why in entries.to_pylist()[0]["decode_error"]
    assert [row["reason"] for row in rejections.to_pylist()] == ["unreadable", "key-missing"]


@pytest.mark.parametrize(
    "records",
    [(streams.waiting(),), (streams.waiting(side=0, key=b""), streams.waiting(is_joined=True))],
    ids=["left", "an empty key and a join"],
)
def test_it_is_recognised_by_the_form_of_all_records(records: tuple[Record, ...]) -> None:
    rows = table(*records)
    scores = {name: one.sniff(NAME, rows).score for name, one in dialects().items()}
    assert max(scores, key=lambda name: scores[name]) == "streams-joins"
    assert sniff("orders", rows).score == 0


@pytest.mark.parametrize(
    "records",
    [
        (),
        (streams.waiting(is_joined=True),),
        (streams.waiting(), Record(b"a key of the application", b"42")),
        (streams.waiting(time_ms=5),),
        (streams.waiting(), Record(streams.waiting().key, b"42")),
        (streams.waiting(), Record(streams.waiting().key, b"\1\0\0\0\0")),
        (streams.window(),),
    ],
    ids=["nothing", "joined alone", "a plain key", "a time of 1970", "a plain value", "an empty list", "a window"],
)  # fmt: skip
def test_records_that_prove_nothing_are_not_claimed(records: tuple[Record, ...]) -> None:
    assert sniff(NAME, table(*records)).score == 0
