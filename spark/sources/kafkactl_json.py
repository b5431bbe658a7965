"""kafkactl consume -o json: objects indented by tabs one after another; with `-o json-raw` one a line.

    Partition Offset Headers keySchema keySchemaId Key valueSchema valueSchemaId Value Timestamp      Headers: {name: value}

Headers, Key and Timestamp are there only when asked for (`--print-headers`, `--keys`, `--timestamps`, `--all`) and not
null; Value is null for a tombstone. Key and value are text, or base64 or hex when asked for.
Source: deviceinsight/kafkactl `MessagePrinter.go`.
"""

from __future__ import annotations

from spark.sources import InputFile, Recognition
from spark.sources._json import headers
from spark.sources._json.layout import Layout
from spark.sources._json.records import Fields, RecordField
from spark.sources._json.shape import look
from spark.sources._json.spans import Spans
from spark.sources._json.times import to_times_ms

NAMES = ("Offset", "Partition", "Timestamp", "Headers", "Key", "Value")


def recognise(file: InputFile, head: bytes) -> Recognition:
    """Capitalised names; Kafbat's saved messages have them too, but begin with the value."""
    shape = look(head).having("Partition", "Offset")
    if shape.problem:
        return Recognition(False, shape.problem)
    if shape.names[0] not in ("Partition", "Offset"):
        return Recognition(False, f"begins with `{shape.names[0]}`, where kafkactl prints the partition")
    no_keys = "" if "Key" in shape.names else "; no keys seen: kafkactl prints them with --keys only"
    return Recognition(True, f"Partition, Offset and Value; {shape.form}{no_keys}", 75)


def fields(members: list[Spans]) -> Fields:
    offset, partition, timestamp, pairs, key, value = members
    return Fields(
        offset=offset,
        partition=partition,
        timestamps_ms=to_times_ms(timestamp),
        headers=None if pairs.is_null.all() else headers.mapped(pairs),
        key=RecordField(key),
        value=RecordField(value),
    )


layout = Layout("kafkactl-json", NAMES, fields)
source = layout.source("kafkactl consume (JSON)", recognise, lacks={"topic", "duplicate-headers"})
