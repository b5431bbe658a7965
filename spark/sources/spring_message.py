"""`GenericMessage [payload=.., headers={kafka_offset=.., ..}]`: what Spring logs of a record, among other lines.

    header    kafka_offset, kafka_receivedPartition (before 3.0 kafka_receivedPartitionId, before 2.0 kafka_partitionId),
              kafka_receivedTopic (kafka_topic), kafka_receivedMessageKey (3.0: kafka_receivedKey, kafka_messageKey),
              kafka_receivedTimestamp, kafka_timestampType; others that no `kafka_` begins are the record's own or Spring's

The headers stand in any order. `byte[15]` is a payload that is not printed. A batch listener's lists are no single record.
Source: Spring Messaging `GenericMessage.toString`, Spring Kafka `KafkaHeaders` (1.0 to 3.3).
Page: docs/sources/spring-message.md
"""

from __future__ import annotations

import re
from collections import Counter

from spark.sources._grammar.fields import RowReading
from spark.sources._grammar.layout import DeclaredPrint, labelled
from spark.sources._grammar.template import row
from spark.sources._grammar.walk import Walker
from spark.sources._lines.records import TextRecord

ROW = row(r"GenericMessage \[payload={}{value}, headers=\{{headers:kafka_headers}\}\]")
MEMBER = re.compile(rb"(?:^|, )(?=[\w.$-]+=)")
NAMES = {
    "offset": (b"kafka_offset",),
    "partition": (b"kafka_receivedPartition", b"kafka_receivedPartitionId", b"kafka_partitionId"),
    "topic": (b"kafka_receivedTopic", b"kafka_topic"),
    "time": (b"kafka_receivedTimestamp",),
    "key": (b"kafka_receivedMessageKey", b"kafka_receivedKey", b"kafka_messageKey"),
    "clock": (b"kafka_timestampType",),
}
CLOCKS = {b"CREATE_TIME": b"CreateTime", b"LOG_APPEND_TIME": b"LogAppendTime"}
ARRAY = re.compile(rb"byte\[(\d{1,9})\]|\[B@[0-9a-f]{1,8}")
NULL = re.compile(rb"null|org\.springframework\.kafka\.support\.KafkaNull@\w+")


def made(reading: RowReading, counted: Counter[str]) -> TextRecord | str:
    printed = dict(pair.partition(b"=")[::2] for pair in MEMBER.split(reading.fields["headers"] or b""))
    fields = {
        role: next((printed[name] for name in names if name in printed), None)
        for role, names in NAMES.items()
    }
    if (fields["offset"] or b"").startswith(b"["):
        return "a batch of records in one message: its lists do not tell where a record ends"
    reading.fields |= fields | {"clock": CLOCKS.get(fields["clock"] or b"")}
    record = labelled(reading)
    if record.offset is None:
        return "a message without kafka_offset"
    if record.timestamp_type is None and record.timestamp_ms is None and reading.number("time") is not None:
        record.timestamp_ms = reading.number("time")
    record.key, record.key_is_null, record.key_size = side(fields["key"], counted)
    record.key_is_null = fields["key"] is None  # Spring leaves out the header of a null key
    record.value, record.value_is_null, record.value_size = side(reading.fields["value"], counted)
    return record


def side(text: bytes | None, counted: Counter[str]) -> tuple[bytes | None, bool, int | None]:
    """Key or value, whether it is null, and the size of what is not printed."""
    if text is None or NULL.fullmatch(text):
        return None, True, None
    if array := ARRAY.fullmatch(text):
        counted["unprinted"] += 1
        return None, False, int(array[1]) if array[1] else None
    return text, False, None


declared = DeclaredPrint(
    id="spring-message",
    title="messages in the logs of Spring",
    walker=Walker((ROW,)),
    made=made,
    marks=(b"GenericMessage",),
    why="records as Spring logs them: `GenericMessage [payload=.., headers={kafka_offset=..`",
    otherwise="no `GenericMessage [payload=..` with `kafka_offset` in it",
    lacks=frozenset({"exact-bytes", "headers"}),
    sentences=("Payloads are printed as text: of an object it is not the bytes of the record.",),
)
source = declared.source()
