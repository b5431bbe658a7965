"""An inspected journal as a repair asks for it: one partition's records and entries, by offset."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import orjson
import pyarrow as pa

from spark.dialects import Dialect, Entity, dialects
from spark.difference.members import Attributes
from spark.repair import Added, Header
from spark.simulation.log import InspectedLog, SimulatedLog
from spark.tables import Manifest
from spark.tables.repair_records import UnfinishedRepair, unfinished_repair
from spark.tables.replica import IN_REPLICA, PartitionReplica
from spark.tables.store import ResultTables

PORTION_ROWS = 20_000
DATA_RECORDS = f"""
    SELECT "offset", timestamp_ms, key, key_is_null, value, value_is_null, headers FROM records
    WHERE {IN_REPLICA} AND control_type IS NULL
"""
RECORDS_AT = f'{DATA_RECORDS} AND "offset" IN (SELECT unnest($offsets))'
RECORDS_AFTER = f'{DATA_RECORDS} AND "offset" > $last ORDER BY "offset" LIMIT {PORTION_ROWS}'
COUNT = f"""SELECT count(DISTINCT "offset") AS n FROM lifelines WHERE {IN_REPLICA} AND kind <> 'control'"""
LIVE_STATE = f"SELECT entity_type, entity_id, attributes FROM live_state WHERE {IN_REPLICA} ORDER BY ALL"


@dataclass(frozen=True)
class StoredRecord:
    """A data record of the journal; `journal`: what a user calls it."""

    journal: str
    offset: int
    timestamp_ms: int | None
    key: bytes | None
    value: bytes | None
    headers: tuple[Header, ...]

    @property
    def source(self) -> str:
        """Where it stands, in words."""
        return f"offset {self.offset} of {self.journal}"

    def added(self, label: str) -> Added:
        """The same record, to be written again."""
        return Added(self.key or b"", self.value, self.headers, self.timestamp_ms, label, self.source)


@dataclass(frozen=True)
class JournalEntry:
    """An entry with its members."""

    offset: int
    type: str
    action: str
    id: str
    members: dict[str, Any]


@dataclass
class PartitionJournal:
    """One partition of an inspection. `name`: what a user calls the input. `applied`: offsets of records of an earlier repair
    that its folder tells, where their headers are lost."""

    manifest: Manifest
    replica: PartitionReplica
    name: str
    dialect: str
    applied: tuple[int, ...] = ()
    tables: ResultTables = field(init=False)

    def __post_init__(self) -> None:
        self.tables = ResultTables.open(self.manifest)

    def rows(self, query: str, **values: Any) -> list[dict[str, Any]]:
        """A question to the tables, which asks for this copy of the partition by IN_REPLICA. `values`: of its other parameters."""
        return self.tables.rows(query, self.replica._asdict() | values)

    @cached_property
    def state(self) -> dict[Entity, Attributes]:
        """What the service that wrote the journal holds at its end."""
        return {
            (row["entity_type"], row["entity_id"]): orjson.loads(row["attributes"])
            for row in self.rows(LIVE_STATE)
        }

    def entries(self, condition: str, **values: Any) -> Iterator[JournalEntry]:
        """Entries that meet a condition, in offset order; those that cannot be read left out."""
        query = f"""
            SELECT "offset", entry_type, coalesce(entry_action, '') AS entry_action, entity_id, attributes FROM entries
            WHERE {IN_REPLICA} AND entry_type IS NOT NULL AND attributes IS NOT NULL AND ({condition}) ORDER BY "offset"
        """
        for row in self.rows(query, **values):
            yield JournalEntry(
                row["offset"],
                row["entry_type"],
                row["entry_action"],
                row["entity_id"],
                orjson.loads(row["attributes"]),
            )

    def records(self, offsets: Iterable[int]) -> dict[int, StoredRecord]:
        """Records by offset; of an offset that is there twice the first."""
        distinct = sorted(set(offsets))
        if not distinct:
            return {}
        records: dict[int, StoredRecord] = {}
        for record in self.stored(
            self.tables.arrow(RECORDS_AT, self.replica._asdict() | {"offsets": distinct})
        ):
            records.setdefault(record.offset, record)
        return records

    def all_records(self, first_offset: int = 0) -> Iterator[StoredRecord]:
        """Every data record from an offset on, in offset order, each offset once."""
        last = first_offset - 1
        while True:
            portion = self.tables.arrow(RECORDS_AFTER, self.replica._asdict() | {"last": last})
            if not portion.num_rows:
                return
            for record in self.stored(portion):
                if record.offset != last:
                    yield record
                last = record.offset

    def stored(self, rows: pa.Table) -> Iterator[StoredRecord]:
        for row in rows.to_pylist():
            yield StoredRecord(
                self.name,
                row["offset"],
                row["timestamp_ms"] if (row["timestamp_ms"] or 0) >= 0 else None,
                None if row["key_is_null"] else row["key"] or b"",
                None if row["value_is_null"] else row["value"] or b"",
                tuple((text(pair["key"]), text(pair["value"])) for pair in row["headers"] or ()),
            )

    @property
    def language(self) -> Dialect:
        return dialects()[self.dialect]

    def log(self) -> SimulatedLog:
        """The same as a log that a service may start on."""
        return SimulatedLog.of(self.inspected_log)

    def edited_log(
        self,
        before: Mapping[int, Sequence[Added]],
        after: Mapping[int, Sequence[Added]],
        left_out: Iterable[int],
    ) -> SimulatedLog:
        """The log of a copy: records put in before and after offsets, others left out."""
        return self.log().edited(before, after, left_out)

    @cached_property
    def inspected_log(self) -> InspectedLog:
        """Its records by number."""
        interpret = self.language.interpret
        assert interpret is not None
        return InspectedLog(self.manifest, self.replica, interpret)

    @cached_property
    def unfinished(self) -> UnfinishedRepair:
        return unfinished_repair(self.tables, self.replica, self.applied)

    def last_record(self) -> StoredRecord | None:
        return next(iter(self.records([self.end_offset() - 1]).values()), None)

    def count(self) -> int:
        """How many data records it has, each offset once."""
        (row,) = self.rows(COUNT)
        return int(row["n"])

    def end_offset(self) -> int:
        """The offset behind the last record."""
        (row,) = self.rows(f'SELECT coalesce(max("offset") + 1, 0) AS n FROM lifelines WHERE {IN_REPLICA}')
        return int(row["n"])


def text(content: bytes | None) -> Any:
    """A header's name or value as text; bytes that are none keep one character each."""
    if content is None:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("latin-1")
