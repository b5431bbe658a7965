"""AKHQ, "Download query result": one JSON array, often on a single line, without its end if the stream broke.

    partition offset timestamp keySchemaId valueSchemaId headers key value      headers: [{"key", "value"}]

`timestamp` is decimal seconds (Jackson's default), ISO 8601 or milliseconds. Key and value are strings or null.
Source: AKHQ `TopicController`, `Record`.
"""

from __future__ import annotations

from spark.sources import InputFile, Recognition
from spark.sources._json import headers
from spark.sources._json.layout import Layout
from spark.sources._json.records import Fields, RecordField
from spark.sources._json.shape import look
from spark.sources._json.spans import Spans
from spark.sources._json.times import to_times_ms

NAMES = ("offset", "partition", "timestamp", "headers", "key", "value")


def recognise(file: InputFile, head: bytes) -> Recognition:
    """`keySchemaId` and `valueSchemaId` are its own."""
    shape = look(head).having("partition", "offset", "keySchemaId", "valueSchemaId", "value")
    if shape.problem:
        return Recognition(False, shape.problem)
    return Recognition(True, f"keySchemaId, valueSchemaId, partition and offset; {shape.form}", 80)


def fields(members: list[Spans]) -> Fields:
    offset, partition, timestamp, pairs, key, value = members
    return Fields(
        offset=offset,
        partition=partition,
        timestamps_ms=to_times_ms(timestamp),
        headers=headers.named(pairs),
        key=RecordField(key),
        value=RecordField(value),
    )


layout = Layout("akhq-json", NAMES, fields)
source = layout.source("AKHQ download", recognise, lacks={"topic"})
