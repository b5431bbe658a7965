"""Redpanda Console, "Save messages" as JSON (`messages.json`): one pretty-printed array.

    partitionID offset timestamp compression isTransactional headers key value      headers: [{"key": name, "value": P}]
    P = payload rawPayload encoding isPayloadNull schemaId size

`payload` is what the console decoded, any JSON; `rawPayload` is base64 of the record's bytes and only there when raw
content was included. `timestamp` is milliseconds. Source: redpanda-data/console `save-messages-dialog`.
"""

from __future__ import annotations

import numpy as np

from spark.sources import InputFile, Recognition
from spark.sources._json import scan
from spark.sources._json.layout import Layout
from spark.sources._json.records import Fields, Headers, RecordField
from spark.sources._json.shape import CUT, look
from spark.sources._json.spans import Mask, Spans, items, members, to_whole_numbers
from spark.sources._json.times import to_times_ms

NAMES = ("offset", "partitionID", "timestamp", "headers", "key", "value")
PAYLOAD_NAMES = {"payload", "rawPayload", "isPayloadNull", "encoding"}


def recognise(file: InputFile, head: bytes) -> Recognition:
    """`partitionID`, and a key or value that is an object with a payload."""
    shape = look(head).having("partitionID", "offset")
    if shape.problem:
        return Recognition(False, shape.problem)
    sides = [side for side in shape.values("key") + shape.values("value") if side is not None]
    if not any(side is CUT or (isinstance(side, dict) and PAYLOAD_NAMES & side.keys()) for side in sides):
        return Recognition(False, "neither `key` nor `value` is an object with a `payload`")
    return Recognition(True, f"partitionID, and payloads with their encoding; {shape.form}", 80)


def fields(columns: list[Spans]) -> Fields:
    offset, partition, timestamp, pairs, key, value = columns
    counts, header_objects = items(pairs)
    names, header_values = members(header_objects, "key", "value")
    return Fields(
        offset=offset,
        partition=partition,
        timestamps_ms=to_times_ms(timestamp),
        headers=Headers(counts, names, payload(header_values)),
        key=payload(key),
        value=payload(value),
    )


def payload(objects: Spans) -> RecordField:
    """A key or value: its raw bytes if included, otherwise what the console decoded."""
    decoded, raw, null, size = members(objects, "payload", "rawPayload", "isPayloadNull", "size")
    is_null = _is_true(null) | (decoded.is_null & raw.is_null)
    raw = raw.masked_by(~is_null & (raw.plain_kinds == scan.STRING))
    return RecordField(decoded.masked_by(~is_null), raw, is_null, to_whole_numbers(size))


def _is_true(literals: Spans) -> Mask:
    return np.asarray(
        (literals.plain_kinds == scan.LITERAL) & (literals.buffer[literals.starts] == ord("t")), bool
    )


layout = Layout("redpanda-console-json", NAMES, fields)
source = layout.source("Redpanda Console, saved messages", recognise, lacks={"topic"})
