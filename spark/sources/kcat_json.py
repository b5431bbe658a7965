"""kcat -J (and kafkacat): one envelope a line.

    topic partition offset tstype ts broker headers key payload      headers: [name, value, name, value], if any

Key and payload are the record's bytes, unescaped (so a line need not be valid UTF-8), or base64 (`-S base64`), or
JSON where kcat decoded Avro; null is null. Trimmed envelopes need topic, partition, offset and payload. Journalscope's
own export adds `key_encoding`, `payload_encoding` and `headers_encoding`, utf-8 or base64, so that nothing is guessed.

kafkacat 1.2.0 to 1.3.1 has topic, partition, offset, key and payload only, and prints null as `""`. 1.4.0 added null, `tstype`, `ts`
and `headers`, 1.6.0 `broker`. In a file with `""` and none of these an empty key or value is read as null, and the file lacks the difference.
Source: kcat 1.2.0 to 1.7.1 `json.c`; kcat pull request 206 for base64.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from spark.sources import HEAD_BYTES, Chunk, InputFile, Recognition, Split
from spark.sources._json import headers, scan
from spark.sources._json.layout import Layout
from spark.sources._json.records import Fields, Headers, RecordField
from spark.sources._json.shape import look
from spark.sources._json.spans import Spans, equals, to_text
from spark.sources._json.times import timestamp_types, whole_ms
from spark.sources._split_points import find_behind
from spark.storage.files import read_bytes

NAMES = (
    "offset", "partition", "topic", "tstype", "ts", "headers", "key", "payload",
    "key_encoding", "payload_encoding", "headers_encoding",
)  # fmt: skip
EMPTY = re.compile(rb'(?<!\\)"(?:key|payload)"\s*:\s*""')
SINCE_1_4_0 = re.compile(
    rb'(?<!\\)"(?:(?:key|payload)"\s*:\s*null|(?:tstype|broker|headers|(?:key|payload)_encoding)"\s*:)'
)
NULL_OR_EMPTY = "null-or-empty"
READ_AS_NULL = (
    'kafkacat up to 1.3.1 prints `""` for null and for an empty key or value, and nothing in this file shows a later version. '
    'Each `""` is read as null.'
)


def recognise(file: InputFile, head: bytes) -> Recognition:
    """By its envelope; `tstype` and `broker` are kcat's own."""
    shape = look(head).having("topic", "partition", "offset", "payload")
    if shape.problem:
        return Recognition(False, shape.problem)
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


def fields_without_empty(members: list[Spans]) -> Fields:
    """The same where null and empty are one."""
    parts = fields(members)
    return replace(
        parts, key=RecordField(not_empty(parts.key.text)), value=RecordField(not_empty(parts.value.text))
    )


def not_empty(texts: Spans) -> Spans:
    return texts.masked_by((texts.plain_kinds != scan.STRING) | (texts.ends > texts.starts))


layout = Layout("kcat-json", NAMES, fields)
without_empty = replace(layout, fields=fields_without_empty)


def split(file: InputFile, number: int, topic: str, partition: int, replica: str) -> list[Split]:
    """The layout's splits, with what an early version does not print."""
    splits = layout.split(file, number, topic, partition, replica)
    if not is_early(file.path):
        return splits
    return [replace(split, detail={**split.detail, "lacks": [NULL_OR_EMPTY]}) for split in splits]


def is_early(path: str) -> bool:
    """Whether a file has empty keys or values, and nothing that kafkacat prints since 1.4.0; the head of most shows it."""
    if SINCE_1_4_0.search(read_bytes(path, HEAD_BYTES)):
        return False
    return find_behind(path, EMPTY, 0) is not None and find_behind(path, SINCE_1_4_0, 0) is None


def read(split: Split) -> Iterator[Chunk]:
    if NULL_OR_EMPTY not in split.lacks:
        yield from layout.read(split)
        return
    yield from without_empty.read(split)
    yield Chunk(note=READ_AS_NULL)


source = replace(layout.source("kcat -J", recognise), read=read, cut=split)
