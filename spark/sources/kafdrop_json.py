"""Kafdrop's API (`/topic/<name>/messages` asked for JSON): one array.

    partition offset message key headers timestamp      headers: {name: value}; timestamp: yyyy-MM-dd'T'HH:mm:ss.SSS'Z'

A null key or value is printed as the text `empty`, like one with this text: both are read as null, and the layout declares
that it does not distinguish them. Kafdrop reads committed records only. Source: obsidiandynamics/kafdrop `MessageVO`,
`KafkaHighLevelConsumer.java`.
"""

from __future__ import annotations

import numpy as np

from spark.sources import InputFile, Recognition
from spark.sources._json import headers
from spark.sources._json.layout import Layout
from spark.sources._json.records import Fields, RecordField
from spark.sources._json.shape import look
from spark.sources._json.spans import Spans, equals, to_text
from spark.sources._json.times import to_times_ms

NAMES = ("offset", "partition", "timestamp", "headers", "key", "message")
NULL_TEXT = "empty"


def recognise(file: InputFile, head: bytes) -> Recognition:
    """`message` next to partition and offset."""
    shape = look(head).having("partition", "offset", "message")
    if shape.problem:
        return Recognition(False, shape.problem)
    if "type" in shape.names and "timestamp" not in shape.names:
        return Recognition(False, "events with a `type`, not records")
    return Recognition(True, f"partition, offset and message; {shape.form}", 70)


def fields(members: list[Spans]) -> Fields:
    offset, partition, timestamp, pairs, key, message = members
    return Fields(
        offset=offset,
        partition=partition,
        timestamps_ms=to_times_ms(timestamp),
        headers=headers.mapped(pairs),
        key=printed(key),
        value=printed(message),
    )


def printed(texts: Spans) -> RecordField:
    """A key or value, null where Kafdrop printed `empty`."""
    is_short = texts.ends - texts.starts == len(NULL_TEXT)
    is_null_text = np.zeros(len(texts), bool)
    is_null_text[is_short] = equals(to_text(texts.only(is_short)), NULL_TEXT)
    return RecordField(texts.masked_by(~is_null_text))


layout = Layout("kafdrop-json", NAMES, fields)
source = layout.source("Kafdrop messages", recognise, lacks={"topic", "null-or-empty", "duplicate-headers"})
