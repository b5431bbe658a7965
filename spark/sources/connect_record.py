"""Records as Kafka Connect's logs show them, among other lines.

    SinkRecord{kafkaOffset=0, timestampType=CreateTime[, originalTopic=t, originalKafkaPartition=0, originalKafkaOffset=0]}
        ConnectRecord{topic='t', kafkaPartition=0, key=k, [keySchema=Schema{STRING},] value=v, [valueSchema=null,] timestamp=1,
        headers=ConnectHeaders(headers=)}
    SourceRecord{sourcePartition={..}, sourceOffset={..}} ConnectRecord{topic='t', kafkaPartition=null, ..}

Keys and values are what the converter made of the record's bytes: a text with `Schema{STRING}` is the bytes, anything else is
an object's text. Source: Kafka `SinkRecord.toString`, `SourceRecord.toString`, `ConnectRecord.toString` (0.10 to 4.1).
Page: docs/sources/connect-record.md
"""

from __future__ import annotations

import re
from collections import Counter

from spark.sources import HEAD_BYTES, InputFile, Split, whole
from spark.sources._grammar.fields import RowReading
from spark.sources._grammar.layout import DeclaredPrint, labelled
from spark.sources._grammar.template import row
from spark.sources._grammar.walk import Walker
from spark.sources._lines.records import TextRecord
from spark.storage.files import read_bytes

SINK = (
    r"SinkRecord\{kafkaOffset={}{offset}, timestampType={clock}[, originalTopic={:name}, originalKafkaPartition={:number}, "
    r"originalKafkaOffset={:number}]\} "
)
SOURCE = r"SourceRecord\{sourcePartition={}{:line}, sourceOffset={:line}\} "
BEGINS = r"ConnectRecord\{[ ]topic='{topic}', kafkaPartition={partition:number}, "
ENDS = r", timestamp={time:number}, headers=ConnectHeaders(headers={:line})\}"
SIDES = (
    "key={key}, keySchema={key_schema:schema}, value={value}, valueSchema={value_schema:schema}",
    "key={key}, value={value}",
)
ROWS = tuple(row(kind + BEGINS + sides + ENDS, kind[:4]) for kind in (SINK, SOURCE) for sides in SIDES)
ADDRESS = re.compile(rb"\[B@[0-9a-f]{1,8}|java\.nio\.HeapByteBuffer\[[^\]]*\]")


def made(reading: RowReading, counted: Counter[str]) -> TextRecord:
    record = labelled(reading)
    record.key, record.key_is_null = side(reading, "key", counted)
    record.value, record.value_is_null = side(reading, "value", counted)
    return record


def side(reading: RowReading, name: str, counted: Counter[str]) -> tuple[bytes | None, bool]:
    """Key or value, and whether it is null."""
    text, schema = reading.fields[name] or b"", reading.fields.get(f"{name}_schema")
    if text == b"null":
        return None, True
    if ADDRESS.fullmatch(text):
        counted["unprinted"] += 1
        return None, False
    counted["differing"] += schema != b"Schema{STRING}"
    return text, False


def split(file: InputFile, number: int, topic: str, partition: int, replica: str) -> list[Split]:
    """One split; records that a source connector hands over have no offset yet."""
    is_source = b"SourceRecord{" in read_bytes(file.path, HEAD_BYTES)
    lacks = ["offset", "partition"] if is_source else []
    return whole(declared.id, file, number, topic, partition, replica, lacks=lacks)


declared = DeclaredPrint(
    id="connect-record",
    title="records in Kafka Connect's logs",
    walker=Walker(ROWS),
    made=made,
    marks=(
        b"SinkRecord{",
        b"SourceRecord{",
    ),
    why="records as Kafka Connect logs them: `SinkRecord{kafkaOffset=..`",
    otherwise="no `SinkRecord{kafkaOffset=..` or `SourceRecord{sourcePartition=..` in it",
    lacks=frozenset({"exact-bytes", "headers"}),
)
source = declared.source(split)
