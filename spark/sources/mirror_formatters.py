"""kafka-console-consumer with a formatter of MirrorMaker 2: checkpoints, offset syncs, heartbeats by `toString`.

    OffsetSyncFormatter  "OffsetSync{topicPartition=" t "-" p ", upstreamOffset=" o ", downstreamOffset=" o "}"
    CheckpointFormatter  "Checkpoint{consumerGroupId=" g ", topicPartition=" t "-" p ", upstreamOffset=" o ", downstreamOffset=" o
                         ", metatadata=" m "}"                        (Kafka spells it so; `metadata` is read as well)
    HeartbeatFormatter   "Heartbeat{sourceClusterAlias=" a ", targetClusterAlias=" a ", timestamp=" t "}"

Converted back to the bytes of the records; offsets and times of the records are not printed. Source: Kafka
`connect/mirror-client` `OffsetSync`, `Checkpoint`, `Heartbeat`, `connect/mirror/formatters` (2.4 to 4.1).
Page: docs/sources/mirror-formatters.md
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import Any

from spark.codecs.kafka_message.write import Unwritable, write, write_versioned
from spark.codecs.kafka_topics.mirror_maker import KINDS, RecordKind
from spark.sources import EXPORT_LACKS, Chunk, InputFile, Recognition, Source, Split
from spark.sources._lines.lines import TextLine, by_lines, lines
from spark.sources._lines.records import TextRecord, UnreadLine, chunks, record

ID = "mirror-formatters"
CHECKPOINT, SYNC, HEARTBEAT = KINDS
PARTITION = r"topicPartition=(?P<topic>.+)-(?P<partition>\d{1,19})"
OFFSETS = r"upstreamOffset=(?P<upstreamOffset>-?\d{1,19}), downstreamOffset=(?P<downstreamOffset>-?\d{1,19})"
FORMS: tuple[tuple[RecordKind, re.Pattern[str]], ...] = (
    (SYNC, re.compile(rf"OffsetSync\{{{PARTITION}, {OFFSETS}\}}")),
    (
        CHECKPOINT,
        re.compile(
            rf"Checkpoint\{{consumerGroupId=(?P<group>.*), {PARTITION}, {OFFSETS}, meta(?:ta)?data=(?P<metadata>.*)\}}"
        ),
    ),
    (
        HEARTBEAT,
        re.compile(
            r"Heartbeat\{sourceClusterAlias=(?P<sourceClusterAlias>.*), targetClusterAlias=(?P<targetClusterAlias>.*), timestamp=(?P<timestamp>-?\d{1,19})\}"
        ),
    ),
)
NUMBERS = {"partition", "upstreamOffset", "downstreamOffset", "timestamp"}
MESSAGE = re.compile(rb"^(\s*$|Processed a total of \d+ messages|\[\d{4}-\d\d-\d\d )")
VERSION = 0
NOTE = "Keys and values were read back from the formatter's text. It prints no offsets: records are numbered."


def recognise(file: InputFile, head: bytes) -> Recognition:
    """By lines that only these formatters print."""
    own = Recognition(True, "lines of MirrorMaker 2's formatters", 88)
    return by_lines(file, head, match_of, MESSAGE, own, "no lines such as `OffsetSync{topicPartition=..}`")


def match_of(line: bytes) -> tuple[RecordKind, re.Match[str]] | None:
    line_text = line.decode(errors="replace").strip()
    matches = ((kind, form.fullmatch(line_text)) for kind, form in FORMS)
    return next(((kind, match) for kind, match in matches if match), None)


def read_line(line: TextLine) -> TextRecord | UnreadLine:
    kind_and_match = match_of(line.text)
    if kind_and_match is None:
        return UnreadLine.from_line(line, "not a line of the formatter")
    kind, match = kind_and_match
    members = {name: int(text) if name in NUMBERS else text for name, text in match.groupdict().items()}
    try:
        return record(line.start, line.end, *sides(kind, members))
    except (Unwritable, struct.error) as error:
        return UnreadLine(line.start, line.end, f"numbers out of range ({error})", line.text)


def sides(kind: RecordKind, members: dict[str, Any]) -> tuple[bytes, bytes]:
    key, value = (
        {field.name: members[field.name] for field in side.fields} for side in (kind.key, kind.value)
    )
    put = write_versioned if kind.is_versioned else write
    return write(kind.key, VERSION, key), put(kind.value, VERSION, value)


def read(split: Split) -> Iterator[Chunk]:
    rows = (read_line(line) for line in lines(split) if not MESSAGE.match(line.text))
    yield from chunks(split, rows, lambda: NOTE)


source = Source(
    id=ID,
    title="kafka-console-consumer with a formatter of MirrorMaker 2",
    kind="export",
    lacks=EXPORT_LACKS | {"topic", "partition", "offset", "timestamps", "headers"},
    recognise=recognise,
    read=read,
)
