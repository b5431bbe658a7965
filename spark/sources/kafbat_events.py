"""Kafbat UI's message stream (`messages/v2`), as curl or the browser saves it: server-sent events, one a line.

    data:{"type": "MESSAGE", "message": M}      M = partition offset timestamp timestampType key headers value
    data:{"type": "PHASE" | "CONSUMING" | "DONE" ...}                             keySize valueSize headersSize keySerde ...

Events of other types are progress, not records. Older versions say `content` for `value`. `headers` is a map, so
duplicates are lost; the sizes are those of the record's bytes. Source: kafbat/kafka-ui `TopicMessageEvent`, `TopicMessage`.
"""

from __future__ import annotations

from spark.sources import InputFile, Recognition
from spark.sources._json import headers, scan
from spark.sources._json.headers import first_present
from spark.sources._json.layout import Layout
from spark.sources._json.records import Fields, RecordField
from spark.sources._json.shape import CUT, look
from spark.sources._json.spans import Spans, equals, members, to_text, to_whole_numbers
from spark.sources._json.times import timestamp_types, to_times_ms

NAMES = ("type", "message")
MEMBERS = ("offset", "partition", "timestamp", "timestampType", "headers", "key", "value", "content")
SIZES = ("keySize", "valueSize")


def recognise(file: InputFile, head: bytes) -> Recognition:
    """Events with a type, one of them a message."""
    shape = look(head).having("type", "message")
    if shape.problem:
        return Recognition(False, shape.problem)
    messages = [message for message in shape.values("message") if message is not None]
    if not any(message is CUT or (isinstance(message, dict) and "offset" in message) for message in messages):
        return Recognition(False, "no `message` member is an object with an `offset`")
    return Recognition(True, "events of type and message", 80)


def fields(columns: list[Spans]) -> Fields:
    """The members of the messages; other events are not records."""
    events, messages = columns
    offset, partition, timestamp, types, pairs, key, value, content = members(messages, *MEMBERS)
    key_size, value_size = (to_whole_numbers(sizes) for sizes in members(messages, *SIZES))
    return Fields(
        offset=offset,
        partition=partition,
        timestamps_ms=to_times_ms(timestamp),
        timestamp_type=timestamp_types(to_text(types)),
        headers=headers.mapped(pairs),
        key=RecordField(key, sizes=key_size),
        value=RecordField(first_present(value, content), sizes=value_size),
        is_record=equals(to_text(events), "MESSAGE") | (messages.plain_kinds == scan.OBJECT),
    )


layout = Layout("kafbat-events", NAMES, fields, offset_name="offset")
source = layout.source("Kafbat UI, stream of messages", recognise, lacks={"topic", "duplicate-headers"})
