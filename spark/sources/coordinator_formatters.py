"""kafka-console-consumer with a formatter for Kafka's own topics: text of 0.8 to 3.x, JSON of 3.9 and 4.x.

    print = (line LF)*                                  `[g,t,0]::OffsetAndMetadata(..)`, `tx::TransactionMetadata(..)`
          | ({"key":{"type":1,"data":{..}},"value":{"version":3,"data":{..}} | null})*

Converted back to the bytes of the records (`spark.sources._decoders`). The formatters print neither offsets nor partitions
nor times of records. Source: Kafka `GroupMetadataManager$OffsetsMessageFormatter`,
`$GroupMetadataMessageFormatter`, `TransactionLog$TransactionLogMessageFormatter` (0.8 to 3.x), `tools/consumer`
`ApiMessageFormatter`, `CoordinatorRecordMessageFormatter`, `ShareGroupStateMessageFormatter` (3.9 to 4.1).
Page: docs/sources/coordinator-formatters.md
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from spark.sources import HEAD_BYTES, Chunk, InputFile, Split, whole
from spark.sources._decoders import NotDecoded, Pair
from spark.sources._decoders import to_string as text
from spark.sources._decoders.json_forms import SHARE_TOPIC, coordinator_pair, is_key, is_share_key
from spark.sources._grammar.fields import RowReading
from spark.sources._grammar.layout import DeclaredPrint, DeclaredReader
from spark.sources._grammar.template import row
from spark.sources._grammar.walk import chained
from spark.sources._lines.records import TextRecord, chunks, record
from spark.storage.files import read_bytes
from spark.terms.wording import listed

TOPICS = {
    text.OFFSETS: "__consumer_offsets",
    text.GROUPS: "__consumer_offsets",
    text.TRANSACTIONS: "__transaction_state",
}
STOPS = rb"Processed a total of \d+ messages|\[\d{4}-\d\d-\d\d |%|\^C|\.\.\.$"
JSON = r'[ \t]*\{\s*"key"\s*:\s*\{\s*"(?:type|version)"'
ROWS = (
    *text.ROWS,
    row("{document:json}", "json", begins=JSON),
)  # 4.x prints no line feeds behind its objects


def made(other: str, reading: RowReading, counted: Counter[str]) -> TextRecord | str:
    """A row's record; `other`: the topic of tombstones `x::NULL`."""
    try:
        if reading.row.form == "json":
            return of_object(reading, counted)
        kind = other if reading.row.form == text.NOTHING else reading.row.form
        return of_pair(reading, text.pair(reading, other), TOPICS[kind], counted)
    except NotDecoded as error:
        return f"the record cannot be rebuilt from the formatter's text ({error})"


def of_object(reading: RowReading, counted: Counter[str]) -> TextRecord | str:
    members = reading.read["document"]
    is_record = isinstance(members, dict) and isinstance(members.get("key"), dict) and "value" in members
    if not is_record or not is_key(members["key"]):
        return "not an object of the formatter"
    return of_pair(
        reading, coordinator_pair(members["key"], members["value"]), topic_of(members["key"]["data"]), counted
    )


def of_pair(reading: RowReading, pair: Pair, topic: str, counted: Counter[str]) -> TextRecord:
    """The record, and what the output does not show of it."""
    counted[pair.missing] += 1
    return record(reading.start, reading.end, pair.key, pair.value, topic=topic)


def topic_of(key: dict[str, Any]) -> str:
    if is_share_key(key):
        return SHARE_TOPIC
    return TOPICS[text.TRANSACTIONS if "transactionalId" in key else text.OFFSETS]


def split(file: InputFile, number: int, topic: str, partition: int, replica: str) -> list[Split]:
    """One split; the other rows decide the topic of `x::NULL`."""
    rows = declared.walker.walk(read_bytes(file.path, HEAD_BYTES))
    kinds = Counter(piece.row.form for piece in rows if isinstance(piece, RowReading))
    other = text.TRANSACTIONS if kinds[text.TRANSACTIONS] > kinds[text.GROUPS] else text.GROUPS
    return whole(declared.id, file, number, topic, partition, replica, other=other)


def read(split: Split) -> Iterator[Chunk]:
    reader = DeclaredReader(replace(declared, made=partial(made, str(split.detail["other"]))))

    def note() -> str:
        missing = [name for name in reader.counted if name in MISSING]
        return f"{reader.note()} It does not print {listed(missing)}." if missing else reader.note()

    yield from chunks(split, reader.read(split), note)


MISSING = (text.GROUP_MISSING, text.OLD_GROUP_MISSING)
declared = DeclaredPrint(
    id="coordinator-formatters",
    title="kafka-console-consumer with a formatter",
    walker=chained(ROWS, STOPS, between=rb"\s*"),
    made=partial(made, text.GROUPS),
    why="lines of kafka-console-consumer's formatters for Kafka's own topics",
    otherwise='no lines such as `[group,topic,0]::OffsetAndMetadata(..)` or `{"key":{"type":..}}`',
    score=88,
    passed_over=re.compile(rb"\s*$|" + STOPS),
    is_in_log=False,
    lacks=frozenset({"partition", "offset", "timestamps", "headers"}),
    sentences=(
        "Keys and values are rebuilt from the formatter's text. The output contains no offsets. The records are numbered.",
    ),
)
source = replace(declared.source(split), read=read)
