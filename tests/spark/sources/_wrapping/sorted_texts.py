"""A pasted text sorted out: its prints as texts, its lines set aside as pairs of kind and text."""

from __future__ import annotations

from dataclasses import dataclass

from spark.sources._wrapping import sorted_out
from spark.sources._wrapping.lines import lines_of

BATCH = (
    b"baseOffset: %d lastOffset: %d count: 1 baseSequence: -1 lastSequence: -1 producerId: -1 producerEpoch: -1 "
    b"partitionLeaderEpoch: 0 isTransactional: false isControl: false deleteHorizonMs: OptionalLong.empty position: %d "
    b"CreateTime: 1700000000000 size: 70 magic: 2 compresscodec: none crc: 1 isvalid: true"
)
DUMPING = b"Dumping /data/orders-0/00000000000000000000.log\nLog starting offset: 0"


@dataclass
class Sorted:
    """What came out."""

    prints: list[bytes]
    tools: list[str]
    commands: list[bytes]
    undone: list[set[str]]
    asides: list[tuple[str, bytes]]
    repeated: int


def sorted_text(content: bytes, encoding: str = "utf-8") -> Sorted:
    """The parts of a text."""
    parts, asides = sorted_out(lines_of(content, encoding))
    return Sorted(
        [b"\n".join(line.text for line in part.lines) for part in parts],
        [part.tool for part in parts],
        [part.command for part in parts],
        [part.undone for part in parts],
        [(aside.kind, aside.line.text) for aside in asides],
        sum(aside.records for aside in asides),
    )


def batch(offset: int, key: bytes = b"k", value: bytes = b"v") -> bytes:
    """A batch of one record as kafka-dump-log prints it."""
    record = b"| offset: %d CreateTime: 1700000000000 keySize: %d valueSize: %d sequence: -1 headerKeys: [] key: %s payload: %s"
    head = BATCH % (offset, offset, 70 * offset)
    return head + b"\n" + record % (offset, len(key), len(value), key, value)


def kcat(offset: int, value: str = "v") -> bytes:
    """A line of kcat -J."""
    return (
        b'{"topic":"orders","partition":0,"offset":%d,"tstype":"create","ts":1,"broker":1,"key":"k","payload":"%s"}'
        % (offset, value.encode())
    )
