"""How lines of each tool's output begin. A strong tool's lines are recognised anywhere; a line of JSON only if no record of
another tool continues.

    dump        kafka-dump-log              Source: Kafka `DumpLogSegments.scala`
    console     kafka-console-consumer with labels   `DefaultMessageFormatter`
    formatter   its other formatters        `GroupMetadataManager`, `TransactionLog`, MirrorMaker 2
    ksql        PRINT                       ksqlDB `RecordFormatter`, `TopicStreamWriter`
    consumed    ConsumerRecord(...)         Kafka `ConsumerRecord.toString`
    json        envelopes and exports of kcat, rpk, AKHQ, ..., and values
"""

from __future__ import annotations

import re
from dataclasses import dataclass

DUMP = re.compile(
    rb"(?:Dumping \S|(?:Log )?[Ss]tarting offset: -?\d|Snapshot end offset: |KRaft bootstrap snapshot"
    rb"|baseOffset: -?\d+ lastOffset: -?\d+(?: (?:count: -?\d+ (?:baseSequence: |$)|count: ?$|baseSequence: )| ?$)"
    rb"|[|-] offset: -?\d+ is[vV]alid: \w+ crc: |[|-] offset: -?\d+ \w+: -?\d+(?: key[sS]ize: -?\d+(?: value[sS]ize: -?\d+(?: (?:sequence|is[vV]alid|crc): | ?$)| ?$)| ?$)"
    rb"|\| (?:key|payload): "
    rb"|offset: -?\d+ (?:position|isvalid|CreateTime|LogAppendTime|NoTimestampType|keysize|keySize|payloadsize): "
    rb"|timestamp: -?\d+ offset: -?\d|version: \d+ producerId: |producerId: -?\d+ producerEpoch: -?\d+ ?(?:coordinatorEpoch: |$)| payload: \{\"type\":"
    rb"|Found \d+ invalid bytes|Non-s?e?con?secutive offsets in |Non-secutive offsets in |Mismatches in :"
    rb"|Found timestamp mismatch in :|Found out of order timestamp in :"
    rb"|  ?Index offset: |  ?Index timestamp: |Indexed offset: )"
)
LABEL = rb"(?:(?:CreateTime|LogAppendTime):-?\d{1,19}|NO_TIMESTAMP|Partition:\d{1,10}|Offset:\d{1,19})"
CONSOLE = re.compile(LABEL + rb"(?![\w:]|-\d\d-\d\d[ T])")
FORMATTER = re.compile(
    rb"(?:\[[^\]\n]{1,600},\d{1,10}\]::|[^\s:{}\"][^:\n{}]{0,300}::(?:null|NULL|<DELETE>"
    rb"|\[?(?:OffsetAndMetadata|OffsetMetadata|GroupMetadata|TransactionMetadata)\b)"
    rb"|(?:OffsetSync|Checkpoint|Heartbeat)\{\w+=)"
)
KSQL = re.compile(
    rb"(?:(?:rowtime|ROWTIME): |Key format: |Value format: |Format:[A-Z]+$"
    rb"|\d{1,4}[/-]\d{1,2}[/-]\d{2,4},? [^,\n]{5,30}, (?:key: |[^\s,]+, )"
    rb"|\{\"ROWTIME\":)"
)
CONSUMED = re.compile(rb"[^\n]{0,400}?ConsumerRecord\(topic = ")
JSON = re.compile(rb"(?:data: ?)?(?:\{\s*(?:\"|\}|$)|\[\s*(?:[{\[\"\]]|-?\d[\d.]*\s*[,\]]|null|$))")


@dataclass(frozen=True)
class Tool:
    """`is_strong`: no other text begins like its lines."""

    id: str
    begins: re.Pattern[bytes]
    is_strong: bool = True


TOOLS = (
    Tool("dump", DUMP),
    Tool("console", CONSOLE),
    Tool("ksql", KSQL),
    Tool("json", JSON, is_strong=False),
    Tool("formatter", FORMATTER),
    Tool("consumed", CONSUMED),
)
FIRST_BYTES = {
    "dump": b"DLSKbot|-vpFNMIi ",
    "console": b"CLNPO",
    "ksql": b"rRKVF0123456789{",
    "json": b"{[d",
}


def tool_at(text: bytes, position: int = 0) -> Tool | None:
    """The tool whose line begins exactly here."""
    first = text[position : position + 1]
    if not first:
        return None
    for tool in TOOLS:
        if first in FIRST_BYTES.get(tool.id, first) and tool.begins.match(text, position):
            return tool
    return None
