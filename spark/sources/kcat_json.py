"""kcat -J (and kafkacat): one envelope a line.

    topic partition offset tstype ts broker headers key payload      headers: [name, value, name, value], if any

Key and payload are the record's bytes, unescaped (so a line need not be valid UTF-8), or base64 (`-S base64`), or
JSON where kcat decoded Avro; null is null. Trimmed envelopes need topic, partition, offset and payload. Journalscope's
own export adds `key_encoding`, `payload_encoding` and `headers_encoding`, utf-8 or base64, so that nothing is guessed.
Source: kcat 1.7.1 `json.c`; kcat pull request 206 for base64.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from spark.sources import InputFile, Recognition
from spark.sources._json import headers
from spark.sources._json.layout import Layout
from spark.sources._json.records import Fields, Headers, RecordField
from spark.sources._json.shape import look
from spark.sources._json.spans import Spans, equals, to_text
from spark.sources._json.times import timestamp_types, whole_ms

NAMES = (
    "offset", "partition", "topic", "tstype", "ts", "headers", "key", "payload",
    "key_encoding", "payload_encoding", "headers_encoding",
)  # fmt: skip


def recognise(file: InputFile, head: bytes) -> Recognition:
    """By its envelope; `tstype` and `broker` are kcat's own."""
    shape = look(head)
    if no := shape.problem or shape.lacking("topic", "partition", "offset", "payload"):
        return Recognition(False, no)
    own = [name for name in ("tstype", "broker") if name in shape.names]
    has = f", with {' and '.join(own)}" if own else ""
    score = (90 if own else 70) - (0 if shape.is_clean else 10)
    return Recognition(
        True, f"envelopes of topic, partition, offset, key and payload{has}; {shape.form}", score
    )


def fields(members: list[Spans]) -> Fields:
    offset, partition, topic, tstype, ts, flat_headers, key, payload, *encodings = members
    of_key, of_payload, of_headers = encodings
    times, has_time = whole_ms(ts)
    types = to_text(tstype)
    return Fields(
        offset=offset,
        partition=partition,
        topic=topic,
        timestamps_ms=(times, has_time & ~equals(types, "unknown")),
        timestamp_type=timestamp_types(types, "create", "logappend"),
        headers=_as_told(headers.either(flat_headers), of_headers),
        key=field_of(key, of_key),
        value=field_of(payload, of_payload),
    )


def field_of(text: Spans, encoding: Spans) -> RecordField:
    """A key or value whose encoding is stated; otherwise the sample decides."""
    if encoding.is_null.all():
        return RecordField(text)
    return RecordField(
        text, text.masked_by(equals(to_text(encoding), "base64")), is_null=text.is_null, is_told=True
    )


def _as_told(headers: Headers, encoding: Spans) -> Headers:
    """If a record's headers are base64, this applies to the values; names are text."""
    if encoding.is_null.all():
        return headers
    is_base64 = np.repeat(equals(to_text(encoding), "base64"), headers.counts)
    values = headers.values.text
    return replace(
        headers, values=RecordField(values, values.masked_by(is_base64), is_null=values.is_null, is_told=True)
    )


layout = Layout("kcat-json", NAMES, fields)
source = layout.source("kcat -J", recognise)
