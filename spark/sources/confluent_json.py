"""Confluent Control Center and Confluent Cloud, downloaded messages: one JSON array.

    topic partition offset timestamp timestampType headers key value __confluent_index
    headers: [{"key": name, "stringValue": value}]

`timestamp` is milliseconds. Key and value are strings, or JSON if the console decoded them: then their original bytes
are unknown. Source: samples that users of both published.
"""

from __future__ import annotations

import re

import pyarrow.compute as pc

from spark.sources import InputFile, Recognition
from spark.sources._json import headers
from spark.sources._json.layout import Layout
from spark.sources._json.records import Fields, RecordField
from spark.sources._json.shape import look
from spark.sources._json.spans import Spans, to_text
from spark.sources._json.times import timestamp_types, to_times_ms
from spark.sources.lambda_event import SOURCES

NAMES = ("offset", "partition", "topic", "timestamp", "timestampType", "headers", "key", "value")

OF_LAMBDA = re.compile(rf'"eventSource"\s*:\s*"(?:{"|".join(SOURCES)})"'.encode())


def recognise(file: InputFile, head: bytes) -> Recognition:
    """`__confluent_index` identifies it; without it, `timestampType` next to the topic."""
    shape = look(head).having("topic", "partition", "offset", "timestamp")
    if shape.problem:
        return Recognition(False, shape.problem)
    if "__confluent_index" in shape.names:
        return Recognition(True, f"records with `__confluent_index`; {shape.form}", 85)
    if OF_LAMBDA.search(head):
        return Recognition(False, "an event of AWS Lambda")
    shape = shape.having("timestampType")
    if shape.problem:
        return Recognition(False, shape.problem)
    return Recognition(True, f"records with topic and timestampType; {shape.form}", 70)


def fields(members: list[Spans]) -> Fields:
    offset, partition, topic, timestamp, types, pairs, key, value = members
    # In any case, with or without `_`.
    type_words = pc.replace_substring(pc.utf8_upper(to_text(types)), "_", "")
    return Fields(
        offset=offset,
        partition=partition,
        topic=topic,
        timestamps_ms=to_times_ms(timestamp),
        timestamp_type=timestamp_types(type_words, "CREATETIME", "LOGAPPENDTIME"),
        headers=headers.named(pairs),
        key=RecordField(key),
        value=RecordField(value),
    )


layout = Layout("confluent-json", NAMES, fields)
source = layout.source("Confluent Control Center or Cloud download", recognise)
