"""Value times: outputs whose rows print no time of the record, and whose values contain one, as Kafka's own topics do.

    commit   commitTimestamp      group    currentStateTimestamp      transaction   lastUpdateTimestamp      heartbeat   timestamp

A row without such a time (a tombstone) takes that of the row of its key before it. Outputs are of one log if they have a row with its
time in common, and if no key's times run back where the outputs follow each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from spark.codecs.kafka_message import read_versioned
from spark.codecs.kafka_message.schema import MessageSchema
from spark.codecs.kafka_topics import consumer_offsets, mirror_maker, transaction_state
from spark.terms.errors import Unreadable

OFFSETS, TRANSACTIONS = "__consumer_offsets", "__transaction_state"
HEARTBEAT = mirror_maker.TABLES["HeartbeatValue"]
HEARTBEAT_BYTES = 10  # a version and a time
OF_THE_COORDINATOR = {  # by the version of the key
    0: (consumer_offsets.VALUES["OffsetCommitValue"], "commitTimestamp"),
    1: (consumer_offsets.VALUES["OffsetCommitValue"], "commitTimestamp"),
    2: (consumer_offsets.VALUES["GroupMetadataValue"], "currentStateTimestamp"),
}
Times = list[int | None]


def with_value_times(source: str, rows: pa.Table) -> pa.Table:
    """The rows with the times of their values in `timestamp_ms`, where they have none."""
    index = rows.schema.get_field_index("timestamp_ms")
    return rows.set_column(index, "timestamp_ms", pa.array(times_of(source, rows), pa.int64()))


def times_of(source: str, rows: pa.Table) -> Times:
    latest: dict[tuple[Any, ...], int | None] = {}
    times: Times = []
    for topic, key, value, printed in columns(rows, "topic", "key", "value", "timestamp_ms"):
        time_ms = printed if printed is not None else value_time(source, topic, key, value)
        latest[topic, key] = latest.get((topic, key)) if time_ms is None else time_ms
        times.append(latest[topic, key])
    return times


def value_time(source: str, topic: str, key: bytes | None, value: bytes | None) -> int | None:
    """The time in a value, if it has one."""
    form = form_of(source, topic, key, value)
    if form is None or value is None:
        return None
    try:
        time_ms = read_versioned(form[0], value, "value").get(form[1])
    except Unreadable:
        return None
    return time_ms if isinstance(time_ms, int) and time_ms > 0 else None


def form_of(
    source: str, topic: str, key: bytes | None, value: bytes | None
) -> tuple[MessageSchema, str] | None:
    """The value's form and the member with its time."""
    if topic == OFFSETS and key:
        return OF_THE_COORDINATOR.get(int.from_bytes(key[:2], "big"))
    if topic == TRANSACTIONS:
        return transaction_state.VALUE, "lastUpdateTimestamp"
    if source == "mirror-formatters" and value and len(value) == HEARTBEAT_BYTES:
        return HEARTBEAT, "timestamp"
    return None


def overlapping(tables: Sequence[pa.Table]) -> list[int]:
    """Numbers of the outputs that share a row with its time with another."""
    rows = [
        {row for row in columns(table, "topic", "key", "value", "timestamp_ms") if None not in row[2:]}
        for table in tables
    ]
    return [
        number
        for number, own in enumerate(rows)
        if any(other is not own and not own.isdisjoint(other) for other in rows)
    ]


def orders(tables: Sequence[pa.Table], numbers: Sequence[int]) -> Iterator[list[int]]:
    """The outputs in the orders that come into question: by their first times, by their latest."""
    printed = {
        number: [time for (time,) in columns(tables[number], "timestamp_ms") if time] for number in numbers
    }
    yield sorted(numbers, key=lambda number: printed[number][0])
    yield sorted(numbers, key=lambda number: max(printed[number]))


def runs_back(tables: Sequence[pa.Table], repeats: Mapping[int, Sequence[int]]) -> bool:
    """Whether a key's times run back from one output to the next, or a row that may be of any time follows."""
    latest: dict[tuple[Any, ...], int | None] = {}
    for number, table in enumerate(tables):
        dropped = set(repeats.get(number, ()))
        own: dict[tuple[Any, ...], Times] = {}
        for row, (topic, key, time_ms) in enumerate(columns(table, "topic", "key", "timestamp_ms")):
            if row not in dropped:
                own.setdefault((topic, key), []).append(time_ms)
        for topic_key, times in own.items():
            printed = [time_ms for time_ms in times if time_ms is not None]
            before = latest.get(topic_key, 0)
            if topic_key in latest and (before is None or len(printed) < len(times) or min(printed) < before):
                return True
            latest[topic_key] = max([before or 0, *printed]) if len(printed) == len(times) else None
    return False


def columns(rows: pa.Table, *names: str) -> Iterator[tuple[Any, ...]]:
    return zip(*(rows[name].to_pylist() for name in names), strict=True)
