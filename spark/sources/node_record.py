"""Records as Node programs print them with `console.log`, among other lines.

    kafkajs         { topic: 't', partition: 0, message: { magicByte: 2, attributes: 0, timestamp: '1602..', offset: '5', key: <Buffer 6b>,
                    value: <Buffer 76>, headers: { h: <Buffer 31> }, isControlRecord: false, .. }, heartbeat: [AsyncFunction: heartbeat], .. }
    kafka-node      { topic: 't', value: 'v', offset: 5, partition: 0, highWaterOffset: 6, key: null }
    node-rdkafka    { value: <Buffer 76>, size: 1, key: 'k', topic: 't', offset: 5, partition: 0, timestamp: 1602.. }
    own objects     with such members: { partition: 0, offset: '5', value: 'v' }

A `<Buffer ..>` longer than 50 bytes is cut by Node: the record then has only its first bytes, and the report says so.
Source: kafkajs `src/consumer/runner.js`, kafka-node `lib/protocol/protocol.js`, node-rdkafka `src/common.cc`, Node.js `util.inspect`.
Page: docs/sources/node-record.md
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from spark.sources._grammar.fields import RowReading
from spark.sources._grammar.inspected import CutBuffer
from spark.sources._grammar.layout import DeclaredPrint
from spark.sources._grammar.template import row
from spark.sources._grammar.walk import Walker
from spark.sources._lines.named_parts import flattened, time_ms, whole_number
from spark.sources._lines.records import TextRecord

NAMES = "topic|partition|offset|key|value|headers|message|magicByte|timestamp|size|attributes|highWaterOffset"
MARKS = tuple(f"{name}: ".encode() for name in NAMES.split("|"))
ROW = row("{document:node}", begins=rf"\{{\s*(?:{NAMES}): ")


def made(reading: RowReading, counted: Counter[str]) -> TextRecord | str:
    members = reading.read["document"]
    inner = members.get("message")
    flat = flattened({**members, **(inner if isinstance(inner, dict) else {})})
    payload = next((name for name in ("value", "message", "payload", "data") if name in flat), None)
    is_record = "offset" in flat or ("key" in flat and "partition" in flat)
    if payload is None or not is_record:
        return "an object without the members of a record (offset, value)"
    record = TextRecord(reading.start, reading.end, offset=whole_number(flat.get("offset")))
    record.partition, record.timestamp_ms = (
        whole_number(flat.get("partition")),
        time_ms(flat.get("timestamp")),
    )
    record.topic = flat["topic"] if isinstance(flat.get("topic"), str) else None
    record.headers = headers(flat.get("headers"))
    record.key, record.key_is_null, record.key_size = side(flat.get("key"), "key" in flat, counted)
    record.value, record.value_is_null, record.value_size = side(flat[payload], True, counted)
    return record


def side(value: Any, is_printed: bool, counted: Counter[str]) -> tuple[bytes | None, bool, int | None]:
    """Key or value, whether it is null, and its size if it was cut."""
    if value is None:
        return None, is_printed, None
    if isinstance(value, CutBuffer):
        counted["cut"] += 1
        return value.content, False, len(value.content) + value.missing
    if isinstance(value, str | bytes):
        return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value, False, None
    counted["rebuilt"] += 1
    return (
        json.dumps(value, separators=(",", ":"), ensure_ascii=False, default=str).encode("utf-8", "replace"),
        False,
        None,
    )


def headers(printed: Any) -> list[tuple[bytes, bytes | None]] | None:
    """The members of an object, or the objects of a list; None if none were printed."""
    if isinstance(printed, list):
        printed = {
            name: value for header in printed if isinstance(header, dict) for name, value in header.items()
        }
    if not isinstance(printed, dict):
        return None
    return [(name.encode(), side(value, True, Counter())[0]) for name, value in printed.items()]


declared = DeclaredPrint(
    id="node-record",
    title="records that Node programs print",
    walker=Walker((ROW,)),
    made=made,
    marks=MARKS,
    why="records as Node prints them: `{ topic: '..', partition: 0, ..`",
    otherwise="no `{ topic: '..', partition: 0, ..` in it",
    lacks=frozenset({"exact-bytes"}),
)
source = declared.source()
