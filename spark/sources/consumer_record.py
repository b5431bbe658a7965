"""`ConsumerRecord(topic = .., ..)`: what Java clients log of a record, one on a line, among other lines.

    ConsumerRecord(topic = t, partition = 1, leaderEpoch = 0, offset = 16, CreateTime = 1594970489649,
        [deliveryCount = n,] [checksum = n,] serialized key size = -1, serialized value size = 54,
        headers = RecordHeaders(headers = [RecordHeader(key = h, value = [104, 105])], isReadOnly = false), key = null, value = data)

Key and value are printed by their `toString`: if the sizes match the text, it shows the bytes; `[B@1f32e575` is a byte array
whose contents are not printed. Source: Kafka `ConsumerRecord.toString` (0.9 to 4.1).
Page: docs/sources/consumer-record.md
"""

from __future__ import annotations

import re
from collections import Counter

from spark.sources._grammar.fields import RowReading
from spark.sources._grammar.layout import DeclaredPrint, java_headers, labelled
from spark.sources._grammar.template import row
from spark.sources._grammar.walk import Walker
from spark.sources._lines.records import TextRecord

ARRAY = re.compile(rb"\[B@[0-9a-f]{1,8}")
ROW = row(
    r"ConsumerRecord(topic = {}{topic}, partition = {partition}, [leaderEpoch = {:number}, ]offset = {offset}"
    r"[, {clock} = {time}][, deliveryCount = {:word}][, checksum = {:number}]"
    r"[, serialized key size = {key_size}, serialized value size = {value_size}]"
    r"[, headers = RecordHeaders(headers = \[{headers}\], isReadOnly = {:word})], key = {key}, value = {value})"
)


def made(reading: RowReading, counted: Counter[str]) -> TextRecord:
    record = labelled(reading)
    record.headers = java_headers(reading.fields["headers"])
    record.key, record.key_is_null, record.key_size = side(reading, "key", counted)
    record.value, record.value_is_null, record.value_size = side(reading, "value", counted)
    return record


def side(reading: RowReading, name: str, counted: Counter[str]) -> tuple[bytes | None, bool, int | None]:
    """Key or value: its bytes, whether it is null, its printed size."""
    text, size = reading.fields[name] or b"", reading.number(f"{name}_size")
    if text == b"null" and size in (None, -1):
        return None, True, None
    if ARRAY.fullmatch(text):
        counted["unprinted"] += 1
        return None, False, size
    counted["differing"] += size is not None and size != len(text)
    return text, False, size if size is not None and size >= 0 else None


declared = DeclaredPrint(
    id="consumer-record",
    title="ConsumerRecord lines of Java clients",
    walker=Walker((ROW,)),
    made=made,
    marks=(b"ConsumerRecord(topic",),
    why="records as Java clients log them: `ConsumerRecord(topic = ..)`",
    otherwise="no `ConsumerRecord(topic = ..` in it",
    lacks=frozenset({"exact-bytes"}),
)
source = declared.source()
