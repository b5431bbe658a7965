"""Records as lines that tools produce from.

    topicdump  kcat's envelope with key and payload in base64, one object a line: what Apicurio's own import tool reads
               (kafkasql-topic-import; it produces to `topic` and `partition` and gives `ts` as the timestamp, which is a
               time or null, never -1)
    ndjson     {"topic", "partition", "timestamp", "key", "value", "headers"}: key, value and headers' values in base64,
               null where the record's is null; what ApplyRepair.java and scripts of one's own read

A null timestamp is the time at which the record is produced.
Source: Envelope.java of examples/tools/kafkasql-topic-import, tag 2.6.13.Final; kcat `json.c`.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from spark.repair import Added, Plan
from spark.repair.journal import PartitionJournal, StoredRecord

Line = StoredRecord | Added
RECORD_OVERHEAD_BYTES = 100  # of a batch with one record, about


@dataclass(frozen=True)
class Written:
    """The file for scripts: its name, its records, its SHA-256, what its largest record takes in a batch of its own,
    and what all of them take."""

    name: str
    records: int
    sha256: str
    largest_record_bytes: int
    size_bytes: int


def topicdump(record: Line, topic: str, partition: int, offset: int, stamp: int | None = None) -> str:
    """A record as a line of a topicdump."""
    envelope: dict[str, object] = {
        "topic": topic,
        "partition": partition,
        "offset": offset,
        "tstype": "create",
        "ts": stamp if record.timestamp_ms is None else record.timestamp_ms,
        "broker": -1,
    }
    if record.headers:
        envelope["headers"] = [text for pair in record.headers for text in pair]
    envelope |= {"key": base64_of(record.key), "payload": base64_of(record.value)}
    return json.dumps(envelope, ensure_ascii=False, separators=(",", ":"))


def ndjson(record: Line, topic: str, partition: int) -> str:
    """A record as a line for scripts."""
    headers = [
        {"key": name, "value": None if value is None else base64_of(value.encode())}
        for name, value in record.headers
    ]
    line = {
        "topic": topic, "partition": partition, "timestamp": record.timestamp_ms,
        "key": base64_of(record.key), "value": base64_of(record.value), "headers": headers,
    }  # fmt: skip
    return json.dumps(line, ensure_ascii=False, separators=(",", ":"))


def base64_of(content: bytes | None) -> str | None:
    """Bytes in base64; null stays null."""
    return None if content is None else base64.b64encode(content).decode()


def repaired(journal: PartitionJournal, plan: Plan) -> Iterator[Line]:
    """The journal with the plan carried out, in the order of a new topic."""
    for record in journal.all_records():
        yield from plan.before.get(record.offset, ())
        if record.offset not in plan.left_out:
            yield record
        yield from plan.after.get(record.offset, ())


def appended(journal: PartitionJournal, plan: Plan) -> Iterator[Line]:
    """The journal with the plan's records appended."""
    yield from journal.all_records()
    yield from plan.appended


def write(
    folder: Path,
    name: str,
    lines: Iterable[Line],
    topic: str,
    partition: int,
    first_offset: int = 0,
    stamp: int | None = None,
    keeps_offsets: bool = False,
) -> Written:
    """Both layouts of the same records as `name`.topicdump and `name`.ndjson.

    Offsets are those that the records get when they are produced in this order from `first_offset` on; `keeps_offsets`: those
    of the journal's records stay, as in the topic that they are in. `stamp`: what a
    topicdump says for a record without a timestamp.
    """
    folder.mkdir(parents=True, exist_ok=True)
    count = largest = total = 0
    offset = first_offset - 1
    digest = hashlib.sha256()
    with whole(folder / f"{name}.topicdump") as dump, whole(folder / f"{name}.ndjson") as script:
        for record in lines:
            count += 1
            offset = record.offset if keeps_offsets and isinstance(record, StoredRecord) else offset + 1
            dump.write(topicdump(record, topic, partition, offset, stamp) + "\n")
            line = ndjson(record, topic, partition) + "\n"
            script.write(line)
            digest.update(line.encode("utf-8", "surrogateescape"))
            size_bytes = size_of(record)
            largest, total = max(largest, size_bytes), total + size_bytes
    return Written(f"{name}.ndjson", count, digest.hexdigest(), largest, total)


def size_of(record: Line) -> int:
    """What a record takes in a batch of its own, about: never less."""
    headers = sum(len(name.encode()) + len((value or "").encode()) for name, value in record.headers)
    return len(record.key or b"") + len(record.value or b"") + headers + RECORD_OVERHEAD_BYTES


def whole(path: Path) -> IO[str]:
    """A text file to write, in UTF-8 and with line feeds."""
    return path.open("w", encoding="utf-8", errors="surrogateescape", newline="\n")
