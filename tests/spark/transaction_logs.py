"""Logs of transactions as tables: read by the real sources from folders, real or made, and related by the real stage."""

from __future__ import annotations

import re
import struct
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import crc32c
import pyarrow as pa

from spark.detectors import Detector
from spark.dialects.transaction_state import TOPIC, dialect
from spark.log.transactions import TRANSACTIONS
from spark.sources import InputFile, companion, log_segment
from spark.tables import TABLES
from spark.tables.key_hash import hash_keys
from spark.terms.findings import Finding
from tests.builders import given_tables
from tests.generator.segment import Record, batch, marker, segment_name

CORPUS = Path(__file__).parents[2].parent / "shared" / "corpus"
NO_CORPUS = "no corpus beside the repository"
HASHED = ("key_hash_1", "key_hash_2")


def read_logs(folder: Path) -> dict[str, pa.Table]:
    """The tables that decoding and the stage of transactions give; folders above a partition's are replicas."""
    rows: dict[str, list[Any]] = defaultdict(list)
    for number, path in enumerate(sorted(path for path in folder.rglob("*") if path.is_file())):
        read_file(path, path.relative_to(folder), number, rows)
    found = {name: pa.Table.from_pylist(kept, schema=TABLES[name].schema) for name, kept in rows.items()}
    return with_transactions(found)


def read_file(path: Path, name: Path, number: int, rows: dict[str, list[Any]]) -> None:
    """Add the rows of one file."""
    source = log_segment.source if path.suffix == ".log" else companion.source
    place = re.match(r"^(.+)-(\d+)$", path.parent.name)
    topic, partition = (place[1], int(place[2])) if place else ("?", 0)
    replica = name.parts[0] if len(name.parts) > 2 else ""
    file = InputFile(str(name), str(path), path.stat().st_size)
    rows["files"].append(
        {
            "file": number, "name": file.name, "kind": source.kind, "topic": topic, "partition": partition,
            "replica": replica, "base_offset": int(path.stem) if path.stem.isdigit() and int(path.stem) < 1 << 63 else None,
        }
    )  # fmt: skip
    for split in source.split(file, number, topic, partition, replica):
        for chunk in source.read(split):
            for table in ("batches", "damage"):
                if (read := getattr(chunk, table)) is not None:
                    rows[table] += read.to_pylist()
            for table, others in chunk.others.items():
                rows[table] += others.to_pylist()
            if chunk.records is not None:
                add_records(chunk.records, rows)


def add_records(records: pa.Table, rows: dict[str, list[Any]]) -> None:
    """Add records with the hashes of their keys, and what the coordinator's dialect reads in them."""
    hashes = hash_keys(records.column("key").combine_chunks())
    hashed = [dict(zip(HASHED, pair, strict=True)) for pair in zip(*hashes, strict=True)]
    rows["records"] += [{**row, **halves} for row, halves in zip(records.to_pylist(), hashed, strict=True)]
    if records.num_rows and records.column("topic")[0].as_py() == TOPIC:
        rows["entries"] += dialect.interpret(records).to_pylist()


def with_transactions(tables: dict[str, pa.Table]) -> dict[str, pa.Table]:
    """The same tables and what the stage makes of them."""
    found = given_tables(tables).arrow(TRANSACTIONS).cast(TABLES["transactions"].schema)
    return {**tables, "transactions": found}


def findings(detector: Detector, tables: dict[str, pa.Table]) -> list[Finding]:
    """What one detector finds; nothing where it cannot run."""
    asked = given_tables(tables)
    if detector.absent(asked):
        return []
    found = [detector.describe(row) for row in detector.find(asked)]
    return sorted(
        found, key=lambda finding: (finding.topic, finding.partition or 0, finding.first_offset or 0)
    )


MINUTE_MS = 60_000
START_MS = 1_707_350_400_000


def data(
    offset: int,
    producer: int = 0,
    *,
    epoch: int = 0,
    keys: bytes = b"a",
    minutes: float = 0,
    sequence: int = -1,
    **other: Any,
) -> bytes:
    """A batch of a transaction: one record for each letter of `keys`."""
    at = START_MS + int(minutes * MINUTE_MS)
    records = [Record(bytes([key]), b"value", at) for key in keys]
    given = {"transactional": True, **other}
    return batch(records, offset, producer_id=producer, producer_epoch=epoch, base_sequence=sequence, **given)


def commit(offset: int, producer: int = 0, epoch: int = 0, coordinator: int = 0, minutes: float = 0) -> bytes:
    """A COMMIT."""
    return marker("commit", offset, producer, epoch, coordinator, START_MS + int(minutes * MINUTE_MS))


def abort(offset: int, producer: int = 0, epoch: int = 0, coordinator: int = 0, minutes: float = 0) -> bytes:
    """An ABORT."""
    return marker("abort", offset, producer, epoch, coordinator, START_MS + int(minutes * MINUTE_MS))


def plain(offset: int, minutes: float = 0) -> bytes:
    """A record of nobody's transaction."""
    return batch([Record(b"plain", b"value", START_MS + int(minutes * MINUTE_MS))], offset)


def emptied(offset: int, producer: int = 0, *, control: bool = False) -> bytes:
    """What the cleaner keeps of a producer's last batch."""
    return batch([], offset, producer_id=producer, producer_epoch=0, transactional=True, control=control)


def snapshot(*producers: tuple[int, int, int]) -> bytes:
    """A producer snapshot: producer id, last offset, first offset of the open transaction or -1."""
    rows = b"".join(
        struct.pack(">qhiqiqiq", producer, 0, 0, last, 0, START_MS, 0, first)
        for producer, last, first in producers
    )
    checked = struct.pack(">i", len(producers)) + rows
    return struct.pack(">hI", 1, crc32c.crc32c(checked)) + checked


def txnindex(*transactions: tuple[int, int, int]) -> bytes:
    """An index of aborted transactions: producer id, first and last offset."""
    return b"".join(
        struct.pack(">hqqqq", 0, *transaction, transaction[2] + 1) for transaction in transactions
    )


def state(offset: int, status: int, *, producer: int = 0, epoch: int = 0, minutes: float = 0, name: bytes = b"till",
          start: float = 0, partitions: tuple[bytes, ...] = (b"t",), timeout_ms: int = MINUTE_MS) -> bytes:  # fmt: skip
    """A record of `__transaction_state`; status None is a tombstone."""
    at = START_MS + int(minutes * MINUTE_MS)
    topics = b"".join(
        struct.pack(">h", len(topic)) + topic + struct.pack(">ii", 1, 0) for topic in partitions
    )
    value = struct.pack(">hqhibi", 0, producer, epoch, timeout_ms, status, len(partitions)) + topics
    value += struct.pack(">qq", at, START_MS + int(start * MINUTE_MS))
    key = struct.pack(">hh", 0, len(name)) + name
    return batch([Record(key, value if status >= 0 else None, at)], offset)


def log(folder: Path, batches: Sequence[bytes], *, name: str = "t-0", **companions: bytes) -> Path:
    """Write a partition's folder of one segment; companions by their suffix, or `snapshot_9` for offset 9."""
    place = folder / name
    place.mkdir(parents=True, exist_ok=True)
    (place / segment_name(0)).write_bytes(b"".join(batches))
    for suffix, content in companions.items():
        kind, _, offset = suffix.partition("_")
        (place / f"{int(offset or 0):020d}.{kind}").write_bytes(content)
    return folder


def outcomes(tables: dict[str, pa.Table]) -> list[tuple[Any, ...]]:
    """Producer, first and last offset, marker and outcome of each transaction."""
    columns = ("producer_id", "first_offset", "last_offset", "marker_offset", "outcome", "ended_as")
    return [tuple(row[column] for column in columns) for row in tables["transactions"].to_pylist()]
