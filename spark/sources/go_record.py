"""Records as Go programs print them with `%+v`, among other lines.

    sarama        &{Headers:[] Timestamp:2023-01-01 10:00:00.5 +0000 UTC BlockTimestamp:.. Key:[107] Value:[118] Topic:t Partition:0 Offset:5}
                  &{Key:[107] Value:[118] Topic:t Partition:0 Offset:5 Timestamp:.. BlockTimestamp:.. Headers:[]}            up to 1.19
    kafka-go      {Topic:t Partition:0 Offset:5 HighWaterMark:6 Key:[107] Value:[118] Headers:[{Key:h Value:[49]}] WriterData:<nil> Time:..}
    franz-go      {Key:[107] Value:[118] Headers:[] Timestamp:.. Topic:t Partition:0 Attrs:{..} ProducerEpoch:0 ProducerID:1 LeaderEpoch:0 Offset:5 ..}
    confluent     {TopicPartition:t[0]@5 Value:[118] Key:[107] Timestamp:.. TimestampType:CreateTime Opaque:<nil> Headers:[]}

Bytes are decimal numbers, so that they are exact; a nil slice and an empty one both print `[]`.
Source: sarama `consumer.go` (1.10 to 1.45), segmentio kafka-go `message.go` (0.1 to 0.4), franz-go `pkg/kgo/record_and_fetch.go`
(1.0 to 1.18), confluent-kafka-go `kafka/message.go` (1.0 to 2.6). Page: docs/sources/go-record.md
"""

from __future__ import annotations

import re
from collections import Counter

from spark.sources._grammar.fields import RowReading
from spark.sources._grammar.forms import decimals
from spark.sources._grammar.layout import DeclaredPrint, labelled
from spark.sources._grammar.template import row
from spark.sources._grammar.walk import Walker
from spark.sources._iso_time import iso_ms
from spark.sources._lines.records import TextRecord

BYTES = "Key:{key:decimals} Value:{value:decimals}"
PLACE = "Topic:{topic} Partition:{partition}"
TIMES = "Timestamp:{time:gotime} BlockTimestamp:{:gotime}"
KEY = r"\{Key:\["  # not `{Key:h`, which is a header
HEADERS = r"Headers:\[{headers:list}\]"
ROWS = (
    row(
        rf"\{{Headers:\[{{headers:list}}\] Timestamp:{{}}{TIMES.removeprefix('Timestamp:')} {BYTES} {PLACE} Offset:{{offset}}\}}"
    ),
    row(rf"\{{{BYTES} {PLACE} Offset:{{offset}}[ {TIMES}][ {HEADERS}]\}}", begins=KEY),
    row(
        rf"\{{Topic:{{}}{PLACE.removeprefix('Topic:')} Offset:{{offset}}[ HighWaterMark:{{:long}}] {BYTES}[ {HEADERS}][ WriterData:{{:go}}] "
        rf"Time:{{time:gotime}}\}}"
    ),
    row(
        rf"\{{{BYTES} {HEADERS} Timestamp:{{time:gotime}} {PLACE} Attrs:\{{{{:list}}\}} "
        rf"ProducerEpoch:{{:long}} ProducerID:{{:long}} LeaderEpoch:{{:long}} Offset:{{offset}}",
        begins=KEY,
    ),
    row(
        r"\{TopicPartition:{}{topic}\[{partition}\]@{offset}[({:line})] Value:{value:decimals} Key:{key:decimals} Timestamp:{time:gotime} "
        rf"TimestampType:{{clock}} Opaque:{{:go}}[ {HEADERS}][ LeaderEpoch:{{:go}}]\}}"
    ),
)
HEADER = re.compile(rb"\{Key:(.*?) Value:(\[[\d ]*\])\}", re.S)
NO_TIME = b"0001-01-01"


def made(reading: RowReading, counted: Counter[str]) -> TextRecord:
    time, reading.fields["time"] = reading.fields.get("time"), None
    record = labelled(reading)
    if time and not time.startswith(NO_TIME):
        record.timestamp_ms = go_time_ms(time.decode(errors="replace"))
    record.headers = headers(reading.fields.get("headers"))
    record.key, record.value = decimals(reading.fields["key"]), decimals(reading.fields["value"])
    record.key_is_null = record.value_is_null = False
    counted["nulls_unknown"] += (record.key == b"") + (record.value == b"")
    return record


def go_time_ms(text: str) -> int | None:
    """`2023-01-01 10:00:00.5 +0000 UTC` in milliseconds."""
    date, time, zone, *_ = text.split()
    return iso_ms(f"{date}T{time}{zone[:3]}:{zone[3:5]}")


def headers(text: bytes | None) -> list[tuple[bytes, bytes | None]] | None:
    """`{Key:h Value:[49]}`; None where only addresses of headers are printed."""
    if text is None or text.strip().startswith(b"0x"):
        return None
    return [(name, decimals(value)) for name, value in HEADER.findall(text)]


declared = DeclaredPrint(
    id="go-record",
    title="records that Go programs print",
    walker=Walker(ROWS),
    made=made,
    marks=(b"{Headers:[", b"{Key:[", b"{Topic:", b"{TopicPartition:"),
    why="records as Go programs print them: `{.. Key:[107] Value:[118] ..}`",
    otherwise="no `Key:[..] Value:[..]` with `Topic:`, `Partition:` and `Offset:` in it",
    lacks=frozenset({"null-or-empty"}),
)
source = declared.source()
