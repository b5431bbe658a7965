"""Results in suppress buffers: bytes that Kafka wrote, older forms, damage, and who they are not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spark.dialects import dialects
from spark.dialects.streams_suppress import dialect, entity_of, read_record, read_value, sniff
from spark.terms.errors import Unreadable
from tests.builders import records_table
from tests.generator import streams
from tests.generator.segment import Record
from tests.spark.replays import replayed

NAME = "till-app-KTABLE-SUPPRESS-STATE-STORE-0000000005-changelog"
FORM_3 = [{"key": b"v", "value": b"\x03"}]
# What BufferValue.serialize of kafka-streams 4.1.1 made of results of record 41 of payments-3, with two headers of it.
CONTEXT = (
    "0000018d86039c000000000000000029000000087061796d656e7473000000030000000200000005747261636500000002783100000004"
    "6e6f6e65ffffffff"
)
KAFKA_NEW = f"{CONTEXT}ffffffffffffffff0000000234320000018d86039c00"
KAFKA_CHANGED = f"{CONTEXT}0000000234300000000234310000000234320000018d86039c00"
KAFKA_DELETED = f"{CONTEXT}000000023431fffffffeffffffff0000018d86039c00"
HEADERS = [(b"trace", b"x1"), (b"none", None)]


def table(*records: Record) -> Any:
    return records_table(
        *({"key": one.key, "value": one.value, "headers": streams.header_rows(one)} for one in records)
    )


@pytest.mark.parametrize(
    ("written", "sizes"),
    [
        (KAFKA_NEW, {"newSizeBytes": 2}),
        (KAFKA_CHANGED, {"priorSizeBytes": 2, "oldSizeBytes": 2, "newSizeBytes": 2}),
        (KAFKA_DELETED, {"priorSizeBytes": 2, "oldSizeBytes": 2}),
    ],
    ids=["new", "changed", "deleted"],
)
def test_a_result_that_kafka_wrote_is_read_to_its_last_byte(written: str, sizes: dict[str, int]) -> None:
    assert read_value(bytes.fromhex(written)) == {
        "timestampMs": 1707350400000, "sourceTopic": "payments", "sourcePartition": 3, "sourceOffset": 41, "headers": 2,
        "releaseMs": 1707350400000, **sizes,
    }  # fmt: skip


def test_the_generator_writes_what_kafka_writes() -> None:
    made = (
        streams.buffered(headers=HEADERS),
        streams.buffered(headers=HEADERS, prior=b"40", old=b"41"),
        streams.buffered(headers=HEADERS, prior=b"41", old=b"41", new=None),
    )
    assert [(one.value or b"").hex() for one in made] == [KAFKA_NEW, KAFKA_CHANGED, KAFKA_DELETED]


@pytest.mark.parametrize(
    ("record", "entity"),
    [
        (Record(b"till-4", b""), "till-4"),
        (Record((streams.window().key or b"")[:-4], b""), "till-4/2024-02-08T00:00:00Z"),
        (streams.session(), "till-4/2024-02-08T00:00:00Z/2024-02-08T00:01:00Z"),
    ],
    ids=["key", "window", "session"],
)
def test_the_times_of_a_windowed_key_are_words(record: Record, entity: str) -> None:
    assert entity_of(record.key or b"") == entity


def test_what_was_sent_on_leaves_the_buffer() -> None:
    state, rejections = replayed(dialect, dialect.interpret(table(streams.buffered(), streams.sent_on())))
    assert state.column("valid_to_offset").to_pylist() == [1]
    assert rejections.num_rows == 0


def test_any_cut_is_an_error_and_no_flipped_bit_raises() -> None:
    value = bytes.fromhex(KAFKA_CHANGED)
    for size in range(len(value)):
        with pytest.raises(Unreadable):
            read_value(value[:size])
    for bit in range(len(value) * 8):
        flipped = bytearray(value)
        flipped[bit // 8] ^= 1 << bit % 8
        assert len(read_record(b"k", bytes(flipped), FORM_3)) == 6


def test_only_a_value_whose_header_says_form_3_stops_a_restore() -> None:
    cut = bytes.fromhex(KAFKA_NEW)[:20]
    _, action, _, attributes, error, _ = read_record(b"k", cut, FORM_3)
    assert (action, bool(error), json.loads(attributes or "")["effect"]) == (None, True, "fatal")
    for headers in (None, [], [{"key": b"v", "value": b"\x01"}]):
        assert read_record(b"k", cut, headers)[1:5] == ("update", "k", '{"valueSizeBytes":20}', None)


def test_it_is_recognised_by_its_values() -> None:
    rows = table(streams.buffered(), streams.sent_on())
    scores = {name: one.sniff(NAME, rows).score for name, one in dialects().items()}
    assert max(scores, key=lambda name: scores[name]) == "streams-suppress"
    assert sniff("copy", rows).score == 80


@pytest.mark.parametrize(
    "records",
    [
        (),
        (streams.sent_on(),),
        (streams.buffered(), Record(b"k", b"42")),
        (streams.buffered(topic=b"no topic"),),
        (streams.window(),),
    ],
    ids=["nothing", "tombstones only", "another value", "no topic's name", "a window"],
)
def test_other_values_are_not_claimed(records: tuple[Record, ...]) -> None:
    assert sniff(NAME, table(*records)).score == 0
