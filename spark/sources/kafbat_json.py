"""Kafbat UI (and UI for Apache Kafka before it), a message saved or copied: one object, indented by tabs.

    Value Offset Key Partition Headers Timestamp      Headers: {name: value}; Timestamp: ISO 8601
    Content in place of Value                         UI for Apache Kafka up to 0.7

Also several of them, one after another or in an array. Key and value are the text Kafbat's serde made of them.
Source: kafbat/kafka-ui `Message.tsx`.
"""

from __future__ import annotations

from spark.sources import InputFile, Recognition
from spark.sources._json import headers
from spark.sources._json.headers import first_present
from spark.sources._json.layout import Layout
from spark.sources._json.records import Fields, RecordField
from spark.sources._json.shape import look
from spark.sources._json.spans import Spans
from spark.sources._json.times import to_times_ms

NAMES = ("Offset", "Partition", "Timestamp", "Headers", "Key", "Value", "Content")
IGNORED = {
    "KeySerde",
    "ValueSerde",
    "KeySize",
    "ValueSize",
    "HeadersSize",
    "TimestampType",
    "KeyFormat",
    "ValueFormat",
    "Topic",
}


def recognise(file: InputFile, head: bytes) -> Recognition:
    """Capitalised names; kafkactl prints them too, but begins with the partition."""
    shape = look(head).having("Offset", "Partition", "Timestamp")
    if shape.problem:
        return Recognition(False, shape.problem)
    if shape.names[0] in ("Partition", "Offset"):
        return Recognition(False, f"begins with `{shape.names[0]}`, as kafkactl prints it")
    unknown = [name for name in shape.names if name not in {*NAMES, *IGNORED}]
    if unknown and not {"Value", "Content"}.intersection(shape.names):
        return Recognition(False, f"neither `Value` nor `Content`, but {unknown[0]}")
    return Recognition(True, f"Value, Offset, Key, Partition, Headers and Timestamp; {shape.form}", 75)


def fields(members: list[Spans]) -> Fields:
    """The message's members; an undefined one is left out."""
    offset, partition, timestamp, pairs, key, value, content = members
    return Fields(
        offset=offset,
        partition=partition,
        timestamps_ms=to_times_ms(timestamp),
        headers=headers.mapped(pairs),
        key=RecordField(key),
        value=RecordField(first_present(value, content)),
    )


layout = Layout("kafbat-json", NAMES, fields)
source = layout.source("Kafbat UI, saved messages", recognise, lacks={"topic", "duplicate-headers"})
