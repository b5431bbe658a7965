"""Journals of a group coordinator as the tables that detectors ask: built record by record, replayed by the dialect."""

from __future__ import annotations

import struct

import pyarrow as pa

from spark.detectors import Detector
from spark.dialects.consumer_offsets import dialect
from spark.dialects.consumer_offsets.interpret import interpret
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from tests.builders import given_tables, records_table
from tests.generator.groups import Pair
from tests.spark.replays import replayed

TOPIC = "__consumer_offsets"
SECOND_MS = 1000
START_MS = 1_707_350_400_000
Record = tuple[bytes, bytes | None, int]  # key, value, seconds


def text(value: str) -> bytes:
    return struct.pack(">h", len(value)) + value.encode()


def commit(
    offset: int | None, partition: int = 0, *, group: str = "billing", epoch: int = -1, at: int = 0
) -> Record:
    """A commit for orders-<partition>; None is its tombstone."""
    key = struct.pack(">h", 1) + text(group) + text("orders") + struct.pack(">i", partition)
    time = struct.pack(">q", START_MS + at * SECOND_MS)
    return key, None if offset is None else struct.pack(">hqi", 3, offset, epoch) + text("") + time, at


def group(name: str = "billing", *, deleted: bool = False, at: int = 0) -> Record:
    """A classic group without members, or its tombstone."""
    value = struct.pack(">h", 3) + text("consumer") + struct.pack(">ihhqi", 1, -1, -1, 0, 0)
    return struct.pack(">h", 2) + text(name), None if deleted else value, at


def consumer_group(name: str = "billing", *, deleted: bool = False, at: int = 0) -> Record:
    """A group of the consumer protocol, or its tombstone."""
    return struct.pack(">h", 3) + text(name), None if deleted else b"\x00\x00\x00\x00\x00\x01\x00", at


def tables_of(records: pa.Table, **others: pa.Table) -> ResultTables:
    state, refusals = replayed(dialect, interpret(records))
    return given_tables(
        {"records": records, "entries": interpret(records), "state": state, "refusals": refusals, **others}
    )


def rows_of(*timed: tuple[float, Pair]) -> list[Record]:
    """Records of `tests.generator.groups`, each with its second after the first."""
    return [(key, value, int(at)) for at, (key, value) in timed]


def ms(at: float) -> int:
    """The moment of a second."""
    return START_MS + int(at * SECOND_MS)


def findings(detector: Detector, *records: Record, **others: pa.Table) -> list[Finding]:
    """What the detector finds in a journal of these records, one offset after the other."""
    rows = (
        {"key": key, "value": value, "timestamp_ms": START_MS + at * SECOND_MS} for key, value, at in records
    )
    asked = tables_of(records_table(*rows, topic=TOPIC), **others)
    return [detector.describe(row) for row in detector.find(asked)]
