"""The entries of a view of a log: as it is, or as a run of the log cleaner leaves it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark.dialects import Dialect
from spark.log.read_committed import committed, has_transactions, left_by_cleaner
from spark.stages._entries import entries_of
from spark.tables import Manifest
from spark.tables.replica import PartitionReplica, is_of
from spark.tables.store import ResultTables

VIEWS = ("log", "next", "full")
STARTED = (
    "start"  # what compaction leaves after the service's next start; only where that writes null records
)
NEWEST = {"next": "true", "full": "kind NOT IN ('tombstone', 'restart')"}  # of a key's newest record
Base = Callable[[PartitionReplica, ResultTables], tuple[PartitionReplica, int] | None]


@dataclass(frozen=True)
class ReplayEntries:
    """The entries that count for the dialect's service, in offset order, in portions; one may walk over them again."""

    name: str
    dialect: Dialect
    replica: PartitionReplica
    manifest: Manifest
    nulled: tuple[int, ...] = ()  # offsets under whose keys the next start writes null records

    def __iter__(self) -> Iterator[pa.Table]:
        entries = entries_of(self.replica, self.manifest)
        if self.retained is not None:
            entries = at_offsets(entries, self.retained)
        if self.dialect.base:
            entries = with_base(self.dialect.base, self.replica, entries, self.manifest)
        if self.dialect.reads_committed:
            entries = committed(entries, is_of(self.replica), ResultTables.open(self.manifest))
        return entries

    @cached_property
    def retained(self) -> np.ndarray | None:
        """Offsets of the records that the cleaner leaves; None where it has not come by, or never comes."""
        if self.name == "log" or not self.dialect.is_compacted:
            return None
        if self.name == STARTED:
            return kept_after_start(self.replica, self.manifest, self.nulled)
        return kept_offsets(self.name, self.replica, ResultTables.open(self.manifest))


def at_offsets(entries: Iterable[pa.Table], retained: np.ndarray) -> Iterator[pa.Table]:
    """The entries at these offsets, in portions."""
    if not len(retained):
        return
    for portion in entries:
        offsets = portion.column("offset").to_numpy()
        following = np.searchsorted(retained, offsets).clip(max=len(retained) - 1)
        is_retained = retained[following] == offsets
        if is_retained.any():
            yield portion.filter(pa.array(is_retained))


def kept_offsets(view: str, replica: PartitionReplica, tables: ResultTables) -> np.ndarray:
    """Offsets of the records that the cleaner leaves, ascending. A record without key does not survive it."""
    is_of_replica = is_of(replica)
    if has_transactions(is_of_replica, tables):
        return left_by_cleaner(is_of_replica, NEWEST[view], tables)
    query = f"""
        SELECT "offset" FROM lifelines
        WHERE {is_of_replica} AND (key_hash_1 <> 0 OR key_hash_2 <> 0) AND superseded_by IS NULL AND {NEWEST[view]}
        ORDER BY "offset"
    """
    return tables.arrow(query).column("offset").to_numpy()


def kept_after_start(replica: PartitionReplica, manifest: Manifest, nulled: tuple[int, ...]) -> np.ndarray:
    """Of the offsets that the cleaner leaves, those whose key gets no null record at the next start."""
    tables, is_of_replica = ResultTables.open(manifest), is_of(replica)
    retained = kept_offsets("full", replica, tables)
    query = f"""
        SELECT "offset" FROM lifelines WHERE {is_of_replica} AND superseded_by IS NULL AND (key_hash_1, key_hash_2) IN (
            SELECT (key_hash_1, key_hash_2) FROM lifelines
            WHERE {is_of_replica} AND "offset" IN (SELECT unnest({list(nulled)}::BIGINT[])))
    """
    nulled_offsets = tables.arrow(query).column("offset").to_numpy()
    return retained[~np.isin(retained, nulled_offsets)]


def with_base(
    base: Base, replica: PartitionReplica, entries: Iterable[pa.Table], manifest: Manifest
) -> Iterator[pa.Table]:
    """The entries behind those of the snapshot that holds what the log's head said, as if all stood at its last offset."""
    base_log = base(replica, ResultTables.open(manifest))
    if base_log is None:
        yield from entries
        return
    snapshot, end_offset = base_log
    for portion in entries_of(PartitionReplica(*snapshot), manifest):
        at = pa.repeat(pa.scalar(end_offset - 1, pa.int64()), portion.num_rows)
        yield portion.set_column(portion.schema.get_field_index("offset"), "offset", at)
    for portion in entries:
        yield portion.filter(pc.greater_equal(portion.column("offset"), end_offset))
