"""Plain records: objects with an offset, a key and a payload, as people post journals in tickets and blogs.

    [{"offset": 0, "key": "...", "payload": "..."}, ...]      also one a line, or pretty-printed one after another

`value` may replace `payload`; topic, partition, timestamp (or ts) and headers are read if present.
Seen in the Apicurio Registry project's post of 2024-02-08.
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

NAMES = ("offset", "partition", "topic", "timestamp", "ts", "headers", "key", "payload", "value")


def recognise(file: InputFile, head: bytes) -> Recognition:
    """An offset and a payload; any more specific layout takes precedence."""
    shape = look(head)
    if shape.problem and shape.is_array and not shape.objects and head.strip().endswith(b"]"):
        return Recognition(True, "an empty array: it contains no records", 10)
    shape = shape.having("offset")
    name = "value" if "value" in shape.names and "payload" not in shape.names else "payload"
    if no := shape.problem or shape.having(name).problem:
        return Recognition(False, no)
    if not all(_is_number(offset) for offset in shape.values("offset")):
        return Recognition(False, "`offset` is not a whole number")
    return Recognition(True, f"objects with offset and {name}; {shape.form}", 20 if shape.is_clean else 15)


def _is_number(offset: object) -> bool:
    return isinstance(offset, int) or (isinstance(offset, str) and offset.isdecimal())


def fields(members: list[Spans]) -> Fields:
    offset, partition, topic, timestamp, ts, any_headers, key, payload, value = members
    return Fields(
        offset=offset,
        partition=partition,
        topic=topic,
        timestamps_ms=to_times_ms(first_present(timestamp, ts)),
        headers=None if any_headers.is_null.all() else headers.either(any_headers),
        key=RecordField(key),
        value=RecordField(first_present(payload, value)),
    )


layout = Layout("plain-json", NAMES, fields)
source = layout.source("plain JSON records", recognise, lacks={"timestamps", "headers", "partition", "topic"})
