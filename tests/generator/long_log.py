"""Long journals within a minute: records as (key, value) into segments of small batches, as registries produce them.

A registry sends few records at a time, so a journal of millions of records has almost as many batches.
"""

from __future__ import annotations

from itertools import cycle, islice
from typing import TYPE_CHECKING

from tests.generator.segment import SOME_TIME_MS, BatchHeader, segment_name, varint

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    KeyValue = tuple[bytes, bytes | None]

BATCH_RECORDS = (1, 2, 1, 9, 4, 1, 17, 5)  # five a batch
MILLIS_BETWEEN_BATCHES = 2_000
SEGMENT_BYTES = 128 << 20
VARINTS = [varint(number) for number in range(1 << 14)]
NULL, NO_HEADERS = varint(-1), b"\x00"


def write_segments(parent: Path, topic: str, records: Iterator[KeyValue]) -> list[Path]:
    """A partition folder of these records from offset 0 on; gives its segments."""
    folder = parent / f"{topic}-0"
    folder.mkdir(parents=True)
    paths: list[Path] = []
    stream, room_bytes = None, 0
    for base_offset, content in batches(records):
        if stream is None or room_bytes < len(content):
            if stream is not None:
                stream.close()
            paths.append(folder / segment_name(base_offset))
            stream, room_bytes = paths[-1].open("wb", buffering=1 << 20), SEGMENT_BYTES
        stream.write(content)
        room_bytes -= len(content)
    if stream is not None:
        stream.close()
    return paths


def batches(records: Iterator[KeyValue]) -> Iterator[tuple[int, bytes]]:
    """Base offset and bytes of each batch."""
    offset, timestamp_ms = 0, SOME_TIME_MS
    for count in cycle(BATCH_RECORDS):
        chosen = list(islice(records, count))
        if not chosen:
            return
        last = len(chosen) - 1
        header = BatchHeader(offset, last, 0, timestamp_ms, timestamp_ms + last, last + 1)
        encoded = b"".join([record(delta, *pair) for delta, pair in enumerate(chosen)])
        yield offset, header.before(encoded)
        offset += last + 1
        timestamp_ms += MILLIS_BETWEEN_BATCHES


def record(delta: int, key: bytes, value: bytes | None) -> bytes:
    """A record whose offset and time are both `delta` above those of its batch."""
    sized = NULL if value is None else VARINTS[len(value)] + value
    body = b"\x00" + VARINTS[delta] * 2 + VARINTS[len(key)] + key + sized + NO_HEADERS
    return VARINTS[len(body)] + body
