"""An inspected journal as a repair asks for it: one partition's records and entries, by offset."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import orjson
import pyarrow as pa

from spark.dialects import Dialect, dialects
from spark.repair import Added, Header
from spark.simulation.log import InspectedLog, SimulatedLog
from spark.tables import Manifest
from spark.tables.repair_records import UnfinishedRepair, unfinished_repair
from spark.tables.replica import PartitionReplica, is_of
from spark.tables.store import ResultTables

PORTION_ROWS = 20_000
COLUMNS = '"offset", timestamp_ms, key, key_is_null, value, value_is_null, headers'


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

    def added(self, what: str) -> Added:
        """The same record, to be written again."""
        return Added(self.key or b"", self.value, self.headers, self.timestamp_ms, what, self.source)


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

    @property
    def condition(self) -> str:
        """Rows of this copy of the partition, in SQL."""
        return is_of(self.replica)

    def rows(self, query: str) -> list[dict[str, Any]]:
        """A question to the tables; `{here}` stands for the condition."""
        return self.tables.rows(query.replace("{here}", self.condition))

    def entries(self, condition: str) -> Iterator[JournalEntry]:
        """Entries that meet a condition, in offset order; those that cannot be read left out."""
        query = f"""
            SELECT "offset", entry_type, coalesce(entry_action, '') AS entry_action, entity_id, attributes FROM entries
            WHERE {{here}} AND entry_type IS NOT NULL AND attributes IS NOT NULL AND ({condition}) ORDER BY "offset"
        """
        for row in self.rows(query):
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
        numbers = ", ".join(map(str, distinct))
        query = f'SELECT {COLUMNS} FROM records WHERE {self.condition} AND control_type IS NULL AND "offset" IN ({numbers})'
        records: dict[int, StoredRecord] = {}
        for record in self.stored(self.tables.arrow(query)):
            records.setdefault(record.offset, record)
        return records

    def all_records(self, first_offset: int = 0) -> Iterator[StoredRecord]:
        """Every data record from an offset on, in offset order, each offset once."""
        last = first_offset - 1
        while True:
            query = f"""
                SELECT {COLUMNS} FROM records
                WHERE {self.condition} AND control_type IS NULL AND "offset" > {last}
                ORDER BY "offset" LIMIT {PORTION_ROWS}
            """
            portion = self.tables.arrow(query)
            if not portion.num_rows:
                return
            for record in self.stored(portion):
                if record.offset != last:
                    yield record
                last = record.offset

    def stored(self, rows: pa.Table) -> Iterator[StoredRecord]:
        """Rows of `records` as records."""
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
        """Its dialect."""
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
        """An earlier repair that is unfinished."""
        return unfinished_repair(self.tables, self.replica, self.applied)

    def last_record(self) -> StoredRecord | None:
        """The record at the end."""
        return next(iter(self.records([self.end_offset() - 1]).values()), None)

    def count(self) -> int:
        """How many data records it has, each offset once."""
        query = f"""SELECT count(DISTINCT "offset") AS n FROM lifelines WHERE {self.condition} AND kind <> 'control'"""
        return int(self.tables.rows(query)[0]["n"])

    def end_offset(self) -> int:
        """The offset behind the last record."""
        (row,) = self.rows('SELECT coalesce(max("offset") + 1, 0) AS n FROM lifelines WHERE {here}')
        return int(row["n"])


def text(content: bytes | None) -> Any:
    """A header's name or value as text; bytes that are none keep one character each."""
    if content is None:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("latin-1")
