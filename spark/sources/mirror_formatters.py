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
from collections import Counter
from typing import Any

from spark.codecs.kafka_message.write import Unwritable, write, write_versioned
from spark.codecs.kafka_topics.mirror_maker import KINDS, RecordKind
from spark.sources._grammar.fields import RowReading
from spark.sources._grammar.layout import DeclaredPrint
from spark.sources._grammar.template import row
from spark.sources._grammar.walk import Walker
from spark.sources._lines.records import TextRecord, record

PARTITION = "topicPartition={topic}-{partition:digits}, upstreamOffset={upstreamOffset:long}, downstreamOffset={downstreamOffset:long}"
CHECKPOINT = r"Checkpoint\{{}consumerGroupId={group:line}, " + PARTITION
ROWS = (
    row(r"OffsetSync\{{}" + PARTITION + r"\}", "offset-sync"),
    row(CHECKPOINT + r", metadata={metadata:line}\}{:line_end}", "checkpoint"),
    row(CHECKPOINT + r", metatadata={metadata:line}\}{:line_end}", "checkpoint"),
    row(
        r"Heartbeat\{{}sourceClusterAlias={sourceClusterAlias:line}, targetClusterAlias={targetClusterAlias:line}, timestamp={timestamp:long}\}",
        "heartbeat",
    ),
)
KIND_BY_FORM = dict(zip(("checkpoint", "offset-sync", "heartbeat"), KINDS, strict=True))
NUMBERS = {"partition", "upstreamOffset", "downstreamOffset", "timestamp"}
VERSION = 0


def made(reading: RowReading, counted: Counter[str]) -> TextRecord | str:
    members = {
        name: int(text or 0) if name in NUMBERS else (text or b"").decode(errors="replace")
        for name, text in reading.fields.items()
    }
    try:
        return record(reading.start, reading.end, *sides(KIND_BY_FORM[reading.row.form], members))
    except (Unwritable, struct.error):
        return "a number is larger than the field that MirrorMaker writes it to"


def sides(kind: RecordKind, members: dict[str, Any]) -> tuple[bytes, bytes]:
    key, value = (
        {field.name: members[field.name] for field in side.fields} for side in (kind.key, kind.value)
    )
    put = write_versioned if kind.is_versioned else write
    return write(kind.key, VERSION, key), put(kind.value, VERSION, value)


declared = DeclaredPrint(
    id="mirror-formatters",
    title="kafka-console-consumer with a formatter of MirrorMaker 2",
    walker=Walker(ROWS),
    made=made,
    why="lines of MirrorMaker 2's formatters",
    otherwise="no lines such as `OffsetSync{topicPartition=..}`",
    score=88,
    passed_over=re.compile(rb"\s*$|Processed a total of \d+ messages|\[\d{4}-\d\d-\d\d "),
    is_in_log=False,
    lacks=frozenset({"topic", "partition", "offset", "timestamps", "headers"}),
    sentences=(
        "Keys and values were read back from the formatter's text. It prints no offsets: records are numbered.",
    ),
)
source = declared.source()
