"""Keys of window and session stores: bytes that Kafka wrote, times that prove themselves, and keys that prove nothing."""

from __future__ import annotations

import json
import struct
from typing import Any

import pytest

from spark.dialects import dialects
from spark.dialects.streams_windows import dialect, read_record, sniff
from tests.builders import records_table
from tests.generator import streams
from tests.generator.segment import SOME_TIME_MS, Record
from tests.spark.replays import replayed

NAME = "till-app-KSTREAM-AGGREGATE-STATE-STORE-0000000003-changelog"
# What WindowKeySchema and SessionKeySchema of kafka-streams 4.1.1 made of key till-4, start 2024-02-08 and an end a minute later.
KAFKA_WINDOW = "74696c6c2d340000018d86039c0000000000"
KAFKA_DUPLICATE = "74696c6c2d340000018d86039c0000000007"
KAFKA_SESSION = "74696c6c2d340000018d860486600000018d86039c00"


def table(*records: Record) -> Any:
    return records_table(
        *({"key": one.key, "value": one.value, "timestamp_ms": one.timestamp_ms} for one in records)
    )


@pytest.mark.parametrize(
    ("written", "kind", "entity"),
    [
        (KAFKA_WINDOW, "store-window", "till-4/2024-02-08T00:00:00Z"),
        (KAFKA_DUPLICATE, "store-window", "till-4/2024-02-08T00:00:00Z/7"),
        (KAFKA_SESSION, "store-session", "till-4/2024-02-08T00:00:00Z/2024-02-08T00:01:00Z"),
    ],
    ids=["window", "duplicate", "session"],
)
def test_a_key_that_kafka_wrote_is_read(written: str, kind: str, entity: str) -> None:
    assert read_record(bytes.fromhex(written), b"42")[:3] == (kind, "update", entity)
    assert read_record(bytes.fromhex(written), None)[:3] == (kind, "delete", entity)


def test_the_generator_writes_what_kafka_writes() -> None:
    made = (streams.window(), streams.window(sequence=7), streams.session())
    assert [(one.key or b"").hex() for one in made] == [KAFKA_WINDOW, KAFKA_DUPLICATE, KAFKA_SESSION]


def test_members_have_the_times_as_numbers_and_a_binary_key_in_hexadecimal() -> None:
    _, _, entity, attributes, _, _ = read_record(streams.window(b"\0\xff", SOME_TIME_MS + 5).key, b"42")
    assert entity == "0x00ff/2024-02-08T00:00:00.005Z"
    assert json.loads(attributes or "") == {
        "key": "0x00ff", "windowStartMs": SOME_TIME_MS + 5, "sequence": 0, "valueSizeBytes": 2,
    }  # fmt: skip


def test_a_key_that_is_too_short_stops_a_restore_and_null_is_skipped() -> None:
    entries = dialect.interpret(
        records_table({"key": b"short"}, {"key": None}, {"key": streams.window().key})
    )
    state, rejections = replayed(dialect, entries)
    assert [row["reason"] for row in rejections.to_pylist()] == ["unreadable", "key-missing"]
    assert json.loads(entries.to_pylist()[0]["attributes"])["effect"] == "fatal"
    assert state.num_rows == 1


def test_the_newest_value_of_a_window_is_restored() -> None:
    rows = table(
        streams.window(), streams.window(value=b"43"), streams.session(), streams.session(value=None)
    )
    state, _ = replayed(dialect, dialect.interpret(rows))
    assert [(row["entity_type"], row["valid_to_offset"]) for row in state.to_pylist()] == [
        ("store-window", 1), ("store-session", 3), ("store-window", None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "records",
    [(streams.window(), streams.window(b"till-5")), (streams.session(),), (streams.window(sequence=3),)],
    ids=["windows", "a session", "a duplicate"],
)
def test_it_is_recognised_by_times_in_every_key(records: tuple[Record, ...]) -> None:
    rows = table(*records)
    scores = {name: one.sniff(NAME, rows).score for name, one in dialects().items()}
    assert max(scores, key=lambda name: scores[name]) == "streams-windows"
    assert sniff("orders", rows).score == 0


@pytest.mark.parametrize(
    "records",
    [
        (),
        (Record(b"till-4", b"42"),),
        (streams.window(), Record(b"a key of the application", b"42")),
        (streams.window(), streams.session()),
        (streams.window(start_ms=5),),
        (streams.window(timestamp_ms=SOME_TIME_MS - 1),),
        (streams.window(b""),),
        (Record(None, b"42"),),
        (Record(struct.pack(">qq", SOME_TIME_MS, 7), b"42"),),
    ],
    ids=[
        "nothing", "a plain key", "one plain key", "a window and a session", "a start in 1970", "a start after the record",
        "a time without a key", "no key", "two numbers",
    ],
)  # fmt: skip
def test_keys_that_prove_nothing_stay_plain(records: tuple[Record, ...]) -> None:
    assert sniff(NAME, table(*records)).score == 0
